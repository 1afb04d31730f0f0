/** Groups failed calls: names what the messages of one failure have in common. */
import { stripVTControlCharacters } from 'node:util'

/** Longer ones say nothing more about what fails again and again. */
const LONGEST = 120

const PATH = /(?:[A-Za-z]:)?(?:[\\/][\w.@%+~-]+){2,}[\\/]?/g
const ID = /\b(?:0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*\d)[0-9a-f]{8,})\b/gi
const TAGS = /<\/?tool_use_error>/g

/**
 * Lines that announce what follows, and say nothing themselves: a heading (`### Error`), a rule (`====`, `=== RUN`), a
 * label alone (`Error:`), the echo of a command (`$ npm test`, `[lint] $ …`, `> vitest run`), and the file alone above its
 * errors.
 */
const ANNOUNCEMENTS: readonly RegExp[] = [
  /^#{1,6}\s/,
  /^={3,}/,
  /^[^\p{L}\p{N}]+$/u,
  /^(?:errors?|fail(?:ed|ures?)|stderr|stdout|output|result)\s*[:.]?$/i,
  /^(?:\[[^\]]*\]\s*)?[$>]\s/,
  /^(?:[A-Za-z]:)?(?:[\w.@%+~-]*[\\/])+[\w.@%+~-]+:?$/,
]

/** A run of pytest begins with this rule; lines about its platform and plugins, and each test, come before what failed. */
const PYTEST = /^=+ test session starts =+$/
const PYTEST_HEADER =
  /^(?:platform |cachedir:|rootdir:|configfile:|testpaths:|plugins:|asyncio:|collecting |collected )/
const PYTEST_FAILED = /\b(?:FAILED|ERROR)\s+\[\s*\d+%\]$/
const PYTEST_ASSERTION = /^E\s+\S/
const PYTEST_TITLE = /^=+ (.*\S) =+$/

/** The line that says what failed; of pytest its first assertion, or else the title of its end (`no tests ran`). */
function lineThatSays(lines: readonly string[]): string | undefined {
  const start = lines.findIndex((line) => PYTEST.test(line))
  const said = (start === -1 ? lines : lines.slice(0, start)).find(saysSomething)
  if (said !== undefined || start === -1) return said
  const run = lines.slice(start + 1).filter((line) => !PYTEST_HEADER.test(line))
  const assertion = run.find((line) => PYTEST_ASSERTION.test(line))
  if (assertion !== undefined) return assertion
  // A long message is cut before its assertion: the first test that failed is what is left.
  const failed = run.find((line) => PYTEST_FAILED.test(line))
  const title = run.findLast((line) => PYTEST_TITLE.test(line))
  return failed ?? title?.replace(PYTEST_TITLE, '$1') ?? run.find(saysSomething) ?? 'pytest' // cut within its header
}

const saysSomething = (line: string): boolean =>
  !ANNOUNCEMENTS.some((announcement) => announcement.test(line))

/**
 * The tool, and what a message has in common with those of the same failure: without paths, numbers and ids, so that
 * the same failure of another file is counted with it.
 *
 * @example classifyFailure('Read', 'File /a/b.ts is 3012 lines long') // 'Read: File <path> is N lines long'
 */
export function classifyFailure(tool: string, message: string): string {
  const lines = stripVTControlCharacters(message)
    .replace(TAGS, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  // "Exit code 1" alone says nothing: what was written to standard error does.
  const exitCode = /^Exit code \d+$/.test(lines[0] ?? '') ? lines.splice(0, 1) : []
  const first = lineThatSays(lines) ?? lines[0]
  const said = first === undefined ? exitCode.join() : [...exitCode, first].join(': ')
  const normal = said.replace(PATH, '<path>').replace(ID, '<id>').replace(/\d+/g, 'N').replace(/\s+/g, ' ')
  const common = [...normal].slice(0, LONGEST).join('')
  return common === '' ? tool : `${tool}: ${common}`
}
