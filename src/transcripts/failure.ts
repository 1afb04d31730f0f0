/** Groups failed calls: names what the messages of one failure have in common. */
import { stripVTControlCharacters } from 'node:util'

/** Longer ones say nothing more about what fails again and again. */
const LONGEST = 120

const PATH = /(?:[A-Za-z]:)?(?:[\\/][\w.@%+~-]+){2,}[\\/]?/g
const ID = /\b(?:0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*\d)[0-9a-f]{8,})\b/gi
const TAGS = /<\/?tool_use_error>/g

/**
 * Lines that announce what follows, and say nothing themselves: a heading (`### Error`), a rule (`====`, `=== RUN`), a
 * label alone (`Error:`), and the echo of a command (`$ npm test`, `[lint] $ …`, `> vitest run`).
 */
const ANNOUNCEMENTS: readonly RegExp[] = [
  /^#{1,6}\s/,
  /^={3,}/,
  /^[^\p{L}\p{N}]+$/u,
  /^(?:errors?|fail(?:ed|ures?)|stderr|stdout|output|result)\s*[:.]?$/i,
  /^(?:\[[^\]]*\]\s*)?[$>]\s/,
]

const saysSomething = (line: string): boolean =>
  !ANNOUNCEMENTS.some((announcement) => announcement.test(line))

/**
 * The tool, and what a message has in common with those of the same failure: without paths, numbers and ids, so that
 * the same failure of another file is counted with it.
 *
 * @example failureOf('Read', 'File /a/b.ts is 3012 lines long') // 'Read: File <path> is N lines long'
 */
export function failureOf(tool: string, message: string): string {
  const lines = stripVTControlCharacters(message)
    .replace(TAGS, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  // "Exit code 1" alone says nothing: what was written to standard error does.
  const exitCode = /^Exit code \d+$/.test(lines[0] ?? '') ? lines.splice(0, 1) : []
  const first = lines.find(saysSomething) ?? lines[0]
  const said = first === undefined ? exitCode.join() : [...exitCode, first].join(': ')
  const normal = said.replace(PATH, '<path>').replace(ID, '<id>').replace(/\d+/g, 'N').replace(/\s+/g, ' ')
  const common = [...normal].slice(0, LONGEST).join('')
  return common === '' ? tool : `${tool}: ${common}`
}
