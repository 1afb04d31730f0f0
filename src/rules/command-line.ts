/**
 * Splits the text of a command into a program and its arguments by the quoting rules of a shell, and finds the command in the text
 * of a criterion. Rejects a command that needs other features of a shell, such as a pipe, a variable or a wildcard. Pure.
 *
 * Does not use the package `shell-quote`, because it accepts a quote that never ends and replaces variables by empty texts.
 */

/** Maximum size, in bytes of UTF-8, of a command that is one text, and of each argument of a command that is a list. */
export const MAX_COMMAND_BYTES = 4 * 1024
/** Maximum number of arguments, including the program. */
export const MAX_ARGUMENTS = 100

/** Runs a line of a shell. Each command of the line must succeed, also in a pipe. */
export const SHELL = ['bash', '-eo', 'pipefail', '-c'] as const

/** Arguments, or the reason of a rejection. The reason ends a sentence that begins with the command: "names no program". */
export type SplitCommand = { argv: string[] } | { refused: string }

/** Characters that a shell interprets anywhere outside quotes: operators and wildcards. */
const SHELL_CHARACTERS = new Set('|&;<>()*?\n')

/**
 * Splits a command, or explains why it cannot run without a shell.
 *
 * @example
 * splitCommand(`npm test -- -t "half to even"`) // { argv: ['npm', 'test', '--', '-t', 'half to even'] }
 * splitCommand('npm test | tee log') // { refused: 'needs a shell for "|"; …' }
 */
export function splitCommand(text: string): SplitCommand {
  if (Buffer.byteLength(text) > MAX_COMMAND_BYTES)
    return { refused: `is longer than ${MAX_COMMAND_BYTES} bytes` }
  const argv: string[] = []
  /** Argument under construction; null between arguments. */
  let word: string | null = null
  /** Character of the open quote; null outside quotes. */
  let quote: '"' | "'" | null = null
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i)
    const next = text.charAt(i + 1)
    if (quote === "'") {
      if (character === "'") quote = null
      else word = (word ?? '') + character
      continue
    }
    if (character === '\\') {
      if (next === '') return { refused: 'ends with a backslash' }
      // Within double quotes, a backslash escapes only these four characters. Before other characters it is part of the text.
      word = (word ?? '') + (quote === null || '"\\$`'.includes(next) ? next : character + next)
      i++
      continue
    }
    // A dollar sign before any other character is part of the text.
    if (character === '`' || (character === '$' && /[\w({?!@*#$'"-]/.test(next)))
      return { refused: explainShellNeed(character === '`' ? character : character + next) }
    if (quote === '"') {
      if (character === '"') quote = null
      else word = (word ?? '') + character
      continue
    }
    if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (SHELL_CHARACTERS.has(character))
      return { refused: explainShellNeed(nameConstruct(character, next)) }
    else if (/\s/.test(character)) {
      if (word !== null) argv.push(word)
      word = null
    } else {
      // At the start of an argument, `~` is the home folder and `#` begins a comment.
      if (word === null && (character === '~' || character === '#'))
        return { refused: explainShellNeed(character) }
      // A shell does not change `{}`, which `find -exec` needs.
      if (character === '{' && next !== '}' && next !== '') return { refused: explainShellNeed('{') }
      word = (word ?? '') + character
    }
  }
  if (quote !== null) return { refused: `has a quote ${quote} that does not end` }
  if (word !== null) argv.push(word)
  const [program = ''] = argv
  if (program === '') return { refused: 'names no program' }
  // An assignment sets a variable for one command, and `!` negates the exit code.
  if (/^[A-Za-z_]\w*=/.test(program) || program === '!') return { refused: explainShellNeed(program) }
  if (argv.length > MAX_ARGUMENTS) return { refused: `has more than ${MAX_ARGUMENTS} arguments` }
  return { argv }
}

/** Names the construct that begins with a character: `&&`, not `&`. */
const nameConstruct = (character: string, next: string): string => {
  if (character === '\n') return 'a line break'
  return next === character && '&|<>'.includes(character) ? character + next : character
}

const explainShellNeed = (construct: string): string =>
  `needs a shell for "${construct}"; give it on the command line with \`turngraph verify --shell\``

export const quoteForShell = (argument: string): string =>
  /^[\w.,:@%+=/-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`

/** Joins a command to one line that can be pasted into a shell. */
export const showCommand = (argv: readonly string[]): string => argv.map(quoteForShell).join(' ')

/** Matches "Run `npm test`" at the start, or "`npm test` passes" anywhere, but neither `passes_through` nor "exits 0.5". */
const RUN_FORMS: readonly RegExp[] = [
  /^run:?[ ]`([^`]+)`/gi,
  /`([^`]+)`[ ](?:passes|succeeds|runs cleanly|runs clean|exits(?: with)?(?: (?:exit )?(?:code|status))? 0)(?![\p{L}\p{N}_]|\.\p{N})/giu,
]

/**
 * Lists the different commands that the text of a criterion declares (contract: evidence.md). A code span without the words of
 * {@link RUN_FORMS} is not a command.
 *
 * @example
 * findCommands('`npm test` passes') // ['npm test']
 */
export function findCommands(text: string): string[] {
  const found = RUN_FORMS.flatMap((form) =>
    [...text.matchAll(form)].map(([, command = '']) => command.trim()),
  )
  return [...new Set(found)].filter((command) => command !== '')
}
