/** Groups failed calls: finds a name that the messages of the same failure have in common. */
import { stripVTControlCharacters } from 'node:util'

const MAX_LENGTH = 120

/** Maximum length of a line in UTF-16 code units. The patterns below take quadratic time. */
const MAX_LINE_LENGTH = 500

/** Matches absolute and relative paths, and names of source files. */
const PATH =
  /(?:[A-Za-z]:)?[\w.@%+~-]*(?:[\\/][\w.@%+~-]+){2,}[\\/]?|(?:~|\.{1,2})?[\\/][\w.@%+~-]+|(?:[\w@%+~-]+[\\/])*[\w@%+~-][\w.@%+~-]*\.(?:[cm]?[jt]sx?|py|go|rs|exs?|rb|java|kt|swift|php|cs|[ch](?:pp)?|json|ya?ml|toml|md|html?|s?css|sql|sh|txt|lock|log)\b/g
const ID = /\b(?:0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*\d)[0-9a-f]{8,})\b/gi
const DURATION =
  /\b(?:\d+:)?\d{1,2}:\d{2}(?:\.\d+)\b|\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b(?:\s?\d+(?:\.\d+)?\s?(?:ms|s|m)\b)*/g
const TAGS = /<\/?tool_use_error>/g

/**
 * Lines that do not describe the failure: a heading, a rule, a label without a text, the echo of a command (`[lint] $ …`), a
 * single path, an exit code, the duration of a run, and the advice that programs print last.
 */
const ANNOUNCEMENTS: readonly RegExp[] = [
  /^#{1,6}\s/,
  /^={3,}\s*(?:RUN|FAILURES|ERRORS|short test summary info|test session starts|warnings summary)?\s*=*$/,
  /^[^\p{L}\p{N}]+$/u,
  /^(?:errors?|fail(?:ed|ures?)?|stderr|stdout|output|result|traceback)\s*[:.]?$/i,
  /^(?:\[[^\]]*\]\s*)?[$>]\s/,
  /^(?:[A-Za-z]:)?(?:[\w.@%+~-]*[\\/])+[\w.@%+~-]+:?$/,
  /^(?:Exit code|exit status) -?\d+$/,
  /\b(?:exited with|failed with|completed with)(?: exit)? (?:code|status) -?\d+\W*$/i,
  /^make(?:\[\d+\])?: \*\*\*/,
  /^(?:npm|pnpm|yarn) (?:ERR!|error)\s*(?:A complete log|[\\/]|code |errno |path |command |Lifecycle |$)/i,
  /^(?:Duration|Start at|Time:|Done in|Finished in)\b/i,
  /^(?:note|hint|help|info|tip|usage|see also|for more information|run with)\b|^(?:use|try) `/i,
  /^(?:platform |cachedir:|rootdir:|configfile:|testpaths:|plugins:|asyncio:|collecting |collected )/,
  /\btruncated\b/,
]

const saysSomething = (line: string): boolean =>
  !ANNOUNCEMENTS.some((announcement) => announcement.test(line))

/**
 * Names a failure: the tool, and the last informative line of the message. Paths, durations, ids and numbers
 * are masked, so that the same failure in another file has the same name.
 *
 * @example classifyFailure('Read', 'File /a/b.ts is 3012 lines long') // 'Read: File <path> is N lines long'
 */
export function classifyFailure(tool: string, message: string): string {
  const lines = stripVTControlCharacters(message)
    .replace(TAGS, '')
    .split('\n')
    .map((line) => line.trim().slice(0, MAX_LINE_LENGTH))
    .filter((line) => line !== '')
  const said = lines.findLast(saysSomething) ?? lines[0] ?? ''
  const normal = said
    .replace(/^=+ | =+$/g, '')
    .replace(DURATION, '<duration>')
    .replace(PATH, '<path>')
    .replace(ID, '<id>')
    .replace(/\d+/g, 'N')
    .replace(/\s+/g, ' ')
  const common = [...normal].slice(0, MAX_LENGTH).join('')
  return common === '' ? tool : `${tool}: ${common}`
}
