/** Decides which error texts of tool calls may be stored: those of a program, never those of a person. */

/** Maximum number of characters of an error text that are stored: its end, because the reason comes last. */
export const MAX_ERROR_CHARACTERS = 500

/** Version of these rules. A transcript that was read by other rules may have left a person's words, so it is read again. */
export const ERROR_TEXT_RULES = 2

/** Beginnings after which the whole text is the output of a program. */
const OUTPUT_FORMS: readonly RegExp[] = [
  /^Exit code -?\d+(?:\r?\n|$)/,
  /^<tool_use_error>/,
  /^### Error(?:\r?\n|$)/,
  /^(?:ERROR: [^\n]*\s+)?={3,} test session starts ={3,}\n[\s\S]*\d+\.\d+s(?: \([\d:]+\))? ={3,}\s*$/,
  /^(?:Pre|Post)ToolUse:[\w.-]+ (?:\[[^\]\n]*\] )?hook (?:blocking )?error\b/,
]

/** Sentences of Claude Code's own tools. Only the part that matches is stored; words of a person may follow it. */
const TOOL_SENTENCES: readonly RegExp[] = [
  /^MCP error -?\d+: [^\n]{0,200}$/,
  /^Request failed with status code \d+$/,
  /^Found \d+ matches of the string to replace, but replace_all is false\./,
  /^String to replace not found in file\./,
  /^No changes to make: old_string and new_string are exactly the same\./,
  /^Cannot create new file - file already exists\./,
  /^File does not exist\.(?=$|\s)/,
  /^Directory does not exist: \S+$/,
  /^Path does not exist: \S+$/,
  /^File has not been read yet\. Read it first before writing to it\./,
  /^File has been (?:unexpectedly )?modified[^.\n]{0,80}\. Read it again before attempting to write (?:to )?it\./,
  /^File content \([^)\n]{1,40}\) exceeds maximum allowed \w+ \([^)\n]{1,40}\)\./,
  /^File is (?:too large|not a Jupyter notebook)\b[^\n]{0,120}$/,
  /^E(?:NOENT|ISDIR|NOTDIR|ACCES|PERM|EXIST|XDEV): [a-z ]+, \w+ '[^'\n]*'(?: -> '[^'\n]*')?$/,
  /^Shell \w+ is not running, so cannot be killed \(status: \w+\)$/,
  /^No (?:shell|task) found with ID: \w+$/,
  /^Command timed out after \d[\d.]* ?m?s?(?: [\d.]+s)?(?=$|\r?\n)/,
  /^Ripgrep search timed out after \d+ seconds\./,
  /^InputValidationError: \w+ failed due to the following issues?:/,
  /^No such tool available: [\w.-]+$/,
  /^Unknown skill: [\w:.-]+$/,
  /^Agent type '[\w:.-]+' not found\./,
  /^Sibling tool call errored$/,
]

/** Sentences by which a program repeats what a person said. */
const QUOTES_PERSON =
  /\bthe user (?:said|says|wrote|answered|provided|responded|replied|sent|doesn't want|does not want|rejected|denied|declined|chose)\b|\buser (?:rejected|denied|declined)\b|\breason for the rejection\b|\buser feedback\b/i

/** Tool inputs that follow the sentence of an error. */
const ECHOED_INPUT = /\r?\n(?:String|Input|Command): [\s\S]*$/

/** Notes of Claude Code after the output of a program. Words of a person may follow them. */
const NOTES = /\[Request interrupted by user[\s\S]*$|<system-reminder>[\s\S]*$/

/** Tools whose result is the answer of a person. */
const ASKING_TOOLS: ReadonlySet<string> = new Set([
  'AskUserQuestion',
  'ExitPlanMode',
  'EnterPlanMode',
  'request_user_input',
])

/** Returns the part that a program wrote; null if nothing may be stored. A doubtful text counts as one of a person. */
export function keepProgramText(tool: string, text: string): string | null {
  if (ASKING_TOOLS.has(tool) || QUOTES_PERSON.test(text)) return null
  if (OUTPUT_FORMS.some((form) => form.test(text))) {
    const end = text.startsWith('<tool_use_error>') ? text.indexOf(END_OF_ERROR) : -1
    if (end >= 0) return text.slice(0, end).replace(ECHOED_INPUT, '') + END_OF_ERROR
    return text.replace(NOTES, '').trimEnd()
  }
  for (const sentence of TOOL_SENTENCES) {
    const found = sentence.exec(text)
    if (found !== null) return found[0]
  }
  return null
}

const END_OF_ERROR = '</tool_use_error>'

/** Returns what may stay stored. `isReadByRules`: the rules have read the transcript, so a text may be the end of a longer one. */
export function keepStoredText(tool: string, text: string, isReadByRules: boolean): string {
  const isEnd = isReadByRules && [...text].length === MAX_ERROR_CHARACTERS
  return isEnd ? text : (keepProgramText(tool, text) ?? '')
}

/** Lines as programs print them. They decide only the status of a call, never that a text is stored. */
const PROGRAM_LINES =
  /^(?:Traceback \(most recent call last\):|={3,} .* ={3,}$|time="|(?:ERROR|WARN|FATAL|error|warning)\b[:[ ]|npm (?:ERR!|error)|\(eval\):|\S+:\d+:(?:\d+:)?|[\w./-]+: .*(?:No such file|not found|denied)|\s+at \S+ \(|\/\S+$|E[A-Z]{4,}\b|\w+(?:Error|Exception): |.*was blocked\. For security, Claude Code|Tool execution failed|Pre-commit validation failed)/m

/** Checks whether an error text of an unknown form looks like the output of a program. */
export const looksPrinted = (text: string): boolean => PROGRAM_LINES.test(text)
