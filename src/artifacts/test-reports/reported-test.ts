/** Declares a test of a report, and the limits of reports. Pure. */
import { cutLine } from '../../rules/cut-line.ts'
import { toOneLine } from '../../rules/foreign-text.ts'
import type { ReportedTest, TestStatus } from '../../rules/map-tests.ts'

export const MAX_REPORT_BYTES = 8 * 1024 * 1024
export const MAX_TESTS = 20_000
/** Maximum depth of suites and subtests. */
export const MAX_DEPTH = 32
const MAX_NAME_CHARACTERS = 1_000
const MAX_MESSAGE_CHARACTERS = 1_000

/** A report that cannot be read. The message is the rest of a sentence that begins with the report. */
export class BrokenReport extends Error {}

export class TestList {
  readonly #tests = new Set<ReportedTest>()

  add(name: string, status: TestStatus, durationMs: number | null, message: string | null): ReportedTest {
    if (this.#tests.size === MAX_TESTS) throw new BrokenReport(`has more than ${MAX_TESTS} tests`)
    const short = message === null ? '' : cutLine(cleanText(message), MAX_MESSAGE_CHARACTERS)
    const test = { name, status, durationMs, ...(short !== '' && { message: short }) }
    this.#tests.add(test)
    return test
  }

  remove(test: ReportedTest): void {
    this.#tests.delete(test)
  }

  /** Lists one of several tests with one name: a failed one, otherwise a passed one. */
  listWorstOfEach(): ReportedTest[] {
    const worst = new Map<string, ReportedTest>()
    for (const test of this.#tests) {
      const other = worst.get(test.name)
      if (other === undefined || RANK[test.status] > RANK[other.status]) worst.set(test.name, test)
    }
    return [...worst.values()]
  }
}

const RANK: Readonly<Record<TestStatus, number>> = { skipped: 0, passed: 1, failed: 2 }

const cleanText = (text: string): string =>
  toOneLine(text.slice(0, 4 * MAX_MESSAGE_CHARACTERS).toWellFormed())

/** Adds a name to the name of its suite. A suite whose name begins its part is left out. */
export function joinName(suite: string, given: string): string {
  const name = cleanText(given)
  if (suite === '') return cutLine(name, MAX_NAME_CHARACTERS)
  if (name === '') return suite
  const above = suite.lastIndexOf(SEPARATOR)
  const [before, last] =
    above < 0
      ? ['', suite]
      : [suite.slice(0, above + SEPARATOR.length), suite.slice(above + SEPARATOR.length)]
  const repeats = name.startsWith(last) && !WORD_CHARACTER.test(name.charAt(last.length))
  return cutLine(repeats ? before + name : suite + SEPARATOR + name, MAX_NAME_CHARACTERS)
}

const SEPARATOR = ' > '
const WORD_CHARACTER = /[\p{L}\p{N}_]/u

/** Reads a number of milliseconds. Returns null for any other text. */
export function toMilliseconds(given: unknown, factor = 1): number | null {
  // Surefire writes 1,234.5 for a long time.
  const text = typeof given === 'string' ? given.trim().replaceAll(',', '') : given
  const number = text === '' || text == null ? Number.NaN : Number(text) * factor
  return Number.isFinite(number) && number >= 0 ? Math.min(Math.round(number), MAX_MILLISECONDS) : null
}

const MAX_MILLISECONDS = 366 * 24 * 3_600_000
