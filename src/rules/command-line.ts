/**
 * Splits the text of a command into a program and its arguments, as a shell would without its own features. Pure.
 *
 * Our own, because shell-quote accepts a quote that never ends and replaces variables by empty texts.
 */

/** Maximum size of a command in one text, and of each argument, in bytes of UTF-8. */
export const MAX_COMMAND_BYTES = 4 * 1024
export const MAX_ARGUMENTS = 100

/** The arguments of a command, or the reason why it has none, as the rest of a sentence that begins with the command. */
export type SplitCommand = { argv: string[] } | { refused: string }

/** Characters with a meaning for a shell at any place outside quotes. */
const OPERATORS = new Set('|&;<>()`*?\n')

/**
 * @example
 * splitCommand(`npm test -- -t "half to even"`) // { argv: ['npm', 'test', '--', '-t', 'half to even'] }
 * splitCommand('npm test | tee log') // { refused: 'needs a shell for "|"; …' }
 */
export function splitCommand(text: string): SplitCommand {
  if (Buffer.byteLength(text) > MAX_COMMAND_BYTES)
    return { refused: `is longer than ${MAX_COMMAND_BYTES} bytes` }
  const argv: string[] = []
  let word: string | null = null
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
      // Within double quotes a backslash before any other character is a character of the text.
      word = (word ?? '') + (quote === null || '"\\$`'.includes(next) ? next : character + next)
      i++
      continue
    }
    if (character === '`' || (character === '$' && /[\w({?!@*#$'"-]/.test(next)))
      return { refused: needsShell(character === '`' ? character : character + next) }
    if (quote === '"') {
      if (character === '"') quote = null
      else word = (word ?? '') + character
      continue
    }
    if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (OPERATORS.has(character)) return { refused: needsShell(findOperator(character, next)) }
    else if (/\s/.test(character)) {
      if (word !== null) argv.push(word)
      word = null
    } else {
      if (word === null && (character === '~' || character === '#')) return { refused: needsShell(character) }
      if (character === '{' && next !== '}' && next !== '') return { refused: needsShell('{') }
      word = (word ?? '') + character
    }
  }
  if (quote !== null) return { refused: `has a quote ${quote} that does not end` }
  if (word !== null) argv.push(word)
  const [program = ''] = argv
  if (program === '') return { refused: 'names no program' }
  if (/^[A-Za-z_]\w*=/.test(program) || program === '!') return { refused: needsShell(program) }
  if (argv.length > MAX_ARGUMENTS) return { refused: `has more than ${MAX_ARGUMENTS} arguments` }
  return { argv }
}

/** `&&` and `||` are named whole. */
const findOperator = (character: string, next: string): string => {
  if (character === '\n') return 'a line break'
  return next === character && '&|<>'.includes(character) ? character + next : character
}

const needsShell = (construct: string): string =>
  `needs a shell for "${construct}"; give it on the command line with \`turngraph verify --shell\``

/** Quotes an argument of a command to be pasted into a shell, if necessary. */
export const quoteForShell = (argument: string): string =>
  /^[\w.,:@%+=/-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`

/** Shows a command in the form in which it can be pasted into a shell. */
export const showCommand = (argv: readonly string[]): string => argv.map(quoteForShell).join(' ')

/** Forms in which the text of a criterion declares a command: a code span, and the words next to it. */
const RUN_FORMS: readonly RegExp[] = [
  /^run:?[ ]`([^`]+)`/i,
  /`([^`]+)`[ ](?:passes|succeeds|runs cleanly|runs clean|exits(?: with)?(?: (?:exit )?(?:code|status))? 0)(?![\p{L}\p{N}_]|\.\p{N})/iu,
]

/**
 * Finds the command that the text of a criterion declares, in the forms of the contract; null without one. A code span without
 * these words is no command.
 *
 * @example
 * findCommand('`npm test` passes') // 'npm test'
 */
export function findCommand(text: string): string | null {
  for (const form of RUN_FORMS) {
    const found = form.exec(text)?.[1]?.trim()
    if (found !== undefined && found !== '') return found
  }
  return null
}
