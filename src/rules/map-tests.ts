/** Finds the criteria that the tests of a report prove (contract: evidence.md, "Test reports"). Pure. */
import { normalizeLabel } from './labels.ts'

export const REPORT_FORMATS = ['junit', 'tap', 'vitest'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export const TEST_STATUSES = ['passed', 'failed', 'skipped'] as const
export type TestStatus = (typeof TEST_STATUSES)[number]

/** A test of a report. Names of suites come before the test's own, with ` > ` between them. */
export type ReportedTest = { name: string; status: TestStatus; durationMs: number | null; message?: string }

/** A declared criterion. `tests`: patterns of names; `*` is any text. */
export type TestedCriterion = { label: string; kind?: string; tests?: readonly string[] | null | undefined }

/** Criterion with its tests. It holds if every test that ran passed and at least one ran. `holds`: null if all were skipped. */
export type MappedCriterion<C> = { criterion: C; holds: boolean | null; tests: ReportedTest[] }

export type TestMap<C> = {
  mapped: MappedCriterion<C>[]
  /** Criteria that no test names, except those for a person. */
  unmapped: C[]
  /** Number of tests that name no criterion. */
  unused: number
}

/** Maximum number of comparisons of a pattern with a name. */
const MAX_COMPARISONS = 5_000_000

/** Patterns and tests whose product is above the limit. */
export class TooManyPatterns extends Error {}

/**
 * Maps tests to criteria by the patterns of a criterion, or by its label in the name of a test. A pattern is the end of a name,
 * from the start of a word on; letters compare without case, and parameters such as `[1-2]` at the end do not count.
 *
 * @throws TooManyPatterns
 * @example
 * mapTests([{ label: 'AC-1', tests: ['rounds half to even'] }], [{ name: 'money > rounds half to even', status: 'passed', durationMs: 3 }])
 */
export function mapTests<C extends TestedCriterion>(
  criteria: readonly C[],
  tests: readonly ReportedTest[],
): TestMap<C> {
  const patterns = criteria.map(({ tests: given }) => (given ?? []).map(toForms))
  if (patterns.flat().length * tests.length > MAX_COMPARISONS) throw new TooManyPatterns()
  const byLabel = new Map<string, Set<number>>()
  for (const [i, { label }] of criteria.entries())
    for (const written of isDistinct(label)
      ? [label, normalizeLabel(label), toSnake(label)].map(foldName)
      : [])
      byLabel.set(written, (byLabel.get(written) ?? new Set()).add(i))
  const found: ReportedTest[][] = criteria.map(() => [])
  let unused = 0
  for (const test of tests) {
    const named = new Set(listLabels(test.name, byLabel).flatMap((label) => [...(byLabel.get(label) ?? [])]))
    const ends = listEnds(test.name)
    for (const [i, own] of patterns.entries())
      if (own.some((forms) => forms.some((form) => ends.some((name) => matchesEnd(name, form))))) named.add(i)
    for (const i of named) found[i]?.push(test)
    if (named.size === 0) unused++
  }
  const all = criteria.map((criterion, i) => ({ criterion, tests: found[i] ?? [] }))
  return {
    mapped: all
      .filter((each) => each.tests.length > 0)
      .map((each) => ({ ...each, holds: holds(each.tests) })),
    unmapped: all
      .filter((each) => each.tests.length === 0 && each.criterion.kind !== 'manual')
      .map(({ criterion }) => criterion),
    unused,
  }
}

/** A label such as `2` or `login` is also a word of other tests, so it names none. */
const isDistinct = (label: string): boolean => /\p{L}/u.test(label) && /\p{N}/u.test(label)

function holds(tests: readonly ReportedTest[]): boolean | null {
  if (tests.some(({ status }) => status === 'failed')) return false
  return tests.some(({ status }) => status === 'passed') ? true : null
}

const foldName = (text: string): string => text.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim()

/** Parts of a pattern between its asterisks. */
type Pattern = readonly string[]

/** Returns the forms of a pattern: as given, and with `_` for each blank, as in the names of Go subtests. */
function toForms(given: string): Pattern[] {
  const folded = foldName(given)
  return [...new Set([folded, folded.replaceAll(' ', '_')])].map((form) => form.split('*'))
}

/** Returns a name as it is, without parameters, and without the types of a Java method (`rounds(int)[1]`, `rounds()`). */
function listEnds(name: string): string[] {
  const whole = foldName(name)
  const close = whole.at(-1)
  const open = close === ']' ? whole.indexOf('[') : close === ')' ? whole.lastIndexOf(' (') : -1
  const bare = open > 0 ? whole.slice(0, open).trimEnd() : whole
  const types = bare.endsWith('()') || (close === ']' && bare.endsWith(')')) ? bare.lastIndexOf('(') : -1
  return [...new Set([whole, bare, types > 0 ? bare.slice(0, types) : bare])]
}

const WORD_CHARACTER = /[\p{L}\p{N}_]/u

/** Matches a pattern with the end of a name, from the start of a word on. Each part is searched once, behind the one before it. */
function matchesEnd(name: string, pattern: Pattern): boolean {
  const [first = '', ...others] = pattern
  const last = others.pop()
  if (last === undefined) {
    const start = name.length - first.length
    return first !== '' && name.endsWith(first) && isStartOfWord(name, start, first)
  }
  let at = findAtWord(name, first)
  if (at < 0) return false
  at += first.length
  for (const part of others) {
    const next = name.indexOf(part, at)
    if (next < 0) return false
    at = next + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}

function findAtWord(name: string, part: string): number {
  if (part === '') return 0
  let at = name.indexOf(part)
  while (at >= 0 && !isStartOfWord(name, at, part)) at = name.indexOf(part, at + 1)
  return at
}

/** A part that begins with a mark, such as `[slow]`, begins anywhere. */
const isStartOfWord = (name: string, at: number, part: string): boolean =>
  at === 0 || !WORD_CHARACTER.test(part.charAt(0)) || !WORD_CHARACTER.test(name.charAt(at - 1))

/** Words that may be labels as they are, such as `R1.AC-1`. */
const WORDS = /[\p{L}\p{N}][\p{L}\p{N}._-]*/gu
/** Labels of letters and a number, also within `test_ac_003_rounds` and `AC-003-rounds.test.ts`. */
const LABELS =
  /(?<![\p{L}\p{N}.-])(\p{L}{1,20})[-_]?(\d{1,4})(?![\p{L}\p{N}]|[.-]\p{N})|(?<![\p{L}\p{N}.-])(AC) (\d{1,4})(?![\p{L}\p{N}]|[.-]\p{N})/giu

/** Matches the names of functions, which may contain a label. They have no `.` and no `-`: `r1_2` is the label `R1.2`. */
const IDENTIFIERS = /(?<![\p{L}\p{N}_]|\p{N}[.-])[\p{L}\p{N}_]+(?![\p{L}\p{N}_]|[.-]\p{N})/gu
/** Matches the places where a word begins within a name such as `TestAC3Rounds`. */
const WORD_STARTS = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{N})(?=\p{Lu}\p{Ll})/gu
const MAX_PARTS = 8

/** Separates letters and numbers: `R1.2`, `r1_2` and `R1_02` become `r_1_2`. */
const toSnake = (label: string): string =>
  (label.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [])
    .map((part) => part.replace(/^0+(?=\p{N})/u, ''))
    .join('_')

/** Lists the labels in a name. In a function, the longest declared label with a digit in its last part counts: `AC-3.1`. */
function listLabels(name: string, declared: ReadonlyMap<string, unknown>): string[] {
  const text = name.normalize('NFC')
  const words = [...text.matchAll(WORDS)].map(([word]) => word.replace(/[._-]{1,8}$/u, ''))
  const inFunctions: string[] = []
  const others = text.replace(WORD_STARTS, '_').replace(IDENTIFIERS, (identifier) => {
    const parts = identifier.split('_')
    if (parts.length === 1) return identifier
    for (let end = parts.length; end > 0; end--) {
      if (!/\p{N}/u.test(parts[end - 1] ?? '')) continue
      for (let start = Math.max(0, end - MAX_PARTS); start < end; start++) {
        const label = toSnake(parts.slice(start, end).join('_'))
        if (!declared.has(label)) continue
        inFunctions.push(label)
        parts.splice(start, end - start, '')
        end = start + 1
      }
    }
    return parts.join('_')
  })
  const labels = [...others.matchAll(LABELS)].map((found) =>
    normalizeLabel(`${found[1] ?? found[3]}-${found[2] ?? found[4]}`),
  )
  return [...new Set([...words, ...inFunctions, ...labels].map(foldName))]
}
