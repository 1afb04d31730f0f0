/**
 * Finds issues that have one cause though their words differ (contract: truth.md, "Issues: when are two the same?"): the same
 * category, and equal signatures or enough shared identifiers. Pure.
 */
import { sha256 } from '../core/keys.ts'
import { type Complaint, issueSignature, maskVolatile } from './signature.ts'

const MIN_SHARED = 2
const MIN_SHARE = 0.6
const MAX_IDENTIFIERS = 200

const QUOTED = /`([^`\n]{1,200})`|"([^"\n]{1,200})"|(?<!\w)'([^'\n]{1,200})'(?!\w)/g
const BETWEEN_WORDS = /[\s`"'()[\]{},;<>|*=]+|::/
const LABEL = /^(?:[A-Za-z]{1,20}(?:-[A-Za-z]{1,20}){0,6}-?|(?:criterion|ac)_)\d{1,4}(?:\.\d{1,4})?$/i
const ABBREVIATIONS = new Set(['e.g', 'i.e', 'a.k.a'])

const CODE_LIKE: readonly RegExp[] = [
  /^--?[a-z][\w-]*$/i, // a flag
  /^(?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*\/[\w@-]*\.[a-z]\w{0,9}$/i, // a path to a file
  /^\.{0,2}\/[\w@.-]+\/[\w@./-]*$|^[\w@.-]+\/[\w@.-]+\/[\w@./-]*$/, // a path of several folders
  /^[A-Za-z_]\w*\.(?=[A-Za-z_])[\w.]*$/, // a dotted name, or the name of a file
  /^\w*[A-Za-z0-9]_\w+$|^_+[A-Za-z]\w*$/, // snake_case
  /^[A-Za-z]*[a-z][A-Z]\w*$/, // camelCase, or the name of an error's class
]

/** The code-like words of a text: not the labels of criteria, not plain words. */
export function findIdentifiers(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (word: string): void => {
    if (found.size < MAX_IDENTIFIERS && !LABEL.test(word)) found.add(word)
  }
  const plain = maskVolatile(text)
  for (const [, backticked, double, single] of plain.matchAll(QUOTED)) {
    const quoted = (backticked ?? double ?? single ?? '').trim().replace(/\s+/g, ' ')
    if (/[a-z]/i.test(quoted) && !quoted.includes('::')) add(quoted)
  }
  for (const word of plain.split(BETWEEN_WORDS)) {
    const name = word
      .slice(0, 200)
      .replace(/(?::#){1,2}/, '')
      .replace(/^[.:!?]{0,3}(?=\w)|[.:!?]{1,3}$/g, '')
    if (ABBREVIATIONS.has(name.toLowerCase())) continue
    if (CODE_LIKE.some((form) => form.test(name))) add(name)
  }
  return found
}

/** An issue with the fields that identify its cause. */
export type Traced<I> = {
  issue: I
  category: string | null
  signature: string
  identifiers: ReadonlySet<string>
}

export const traceIssue = <I extends Complaint>(issue: I): Traced<I> => ({
  issue,
  category: issue.category,
  signature: issueSignature(issue),
  identifiers: findIdentifiers(issue.description),
})

type Trace = Traced<unknown>

/** Counts shared identifiers of two issues; null if their causes differ. Equal signatures rank above any overlap. */
export function measureOverlap(a: Trace, b: Trace): number | null {
  if (a.signature === b.signature) return Number.POSITIVE_INFINITY
  if (a.category !== b.category) return null
  const [smaller, larger] = a.identifiers.size <= b.identifiers.size ? [a, b] : [b, a]
  const shared = [...smaller.identifiers].filter((name) => larger.identifiers.has(name)).length
  return shared >= MIN_SHARED && shared >= MIN_SHARE * smaller.identifiers.size ? shared : null
}

/** Finds the best overlap with a list of issues; null if no issue has the same cause. */
const bestOverlap = (trace: Trace, others: readonly Trace[]): number | null =>
  others.reduce<number | null>((best, other) => {
    const overlap = measureOverlap(trace, other)
    return overlap !== null && (best === null || overlap > best) ? overlap : best
  }, null)

/** Checks whether two lists of issues share a cause. */
export const shareCause = (some: readonly Trace[], others: readonly Trace[]): boolean =>
  some.some((trace) => bestOverlap(trace, others) !== null)

/**
 * Assigns the issues of one turn to causes that are known, and groups the rest. Pairs are taken by overlap, then by the position
 * of the issue, then by that of the cause. A new cause is known by its first issue.
 *
 * @param known the issues that each known cause is compared by
 * @returns for each issue the index of its cause: below `known.length` for a known one, otherwise that of a new one
 */
export function assignCauses(traces: readonly Trace[], known: readonly (readonly Trace[])[]): number[] {
  const causes = known.map((each) => [...each])
  const taken = pairsOf(traces, known).reduce((assigned, { position, cause }) => {
    if (!assigned.has(position)) assigned.set(position, cause)
    return assigned
  }, new Map<number, number>())
  return traces.map((trace, position) => {
    const assigned = taken.get(position) ?? pairsOf([trace], causes.slice(known.length))[0]?.cause
    if (assigned !== undefined) return taken.has(position) ? assigned : known.length + assigned
    causes.push([trace])
    return causes.length - 1
  })
}

type Pair = { position: number; cause: number; overlap: number }

const pairsOf = (traces: readonly Trace[], causes: readonly (readonly Trace[])[]): Pair[] =>
  traces
    .flatMap((trace, position) =>
      causes.flatMap((others, cause) => {
        const overlap = bestOverlap(trace, others)
        return overlap === null ? [] : [{ position, cause, overlap }]
      }),
    )
    .sort((a, b) =>
      a.overlap === b.overlap ? a.position - b.position || a.cause - b.cause : b.overlap > a.overlap ? 1 : -1,
    )

/** An issue as a turn keeps it for stall analysis: its signature, and a hash of each identifier with the category. */
export type CauseMark = { signature: string; identifiers: readonly string[] }

/** Maximum number of identifiers of an issue that a turn keeps. */
const MAX_MARKED = 24

export function markCause(issue: Complaint): CauseMark {
  const { category, signature, identifiers } = traceIssue(issue)
  const hashes = [...identifiers].map((name) => sha256(`${category ?? ''}\n${name}`).slice(0, 8))
  return { signature, identifiers: hashes.slice(0, MAX_MARKED) }
}

/** The hashes include the category. */
const traceOf = ({ signature, identifiers }: CauseMark): Trace => ({
  issue: null,
  category: null,
  signature,
  identifiers: new Set(identifiers),
})

/**
 * Numbers the causes of some turns in the order in which they appear.
 *
 * @param turns the marks of each turn's issues, turns ascending, issues in the order of the Coach
 * @returns the number of the cause of each issue
 */
export function numberCauses(turns: readonly (readonly CauseMark[])[]): number[][] {
  const known: Trace[][] = []
  return turns.map((marks) => {
    const traces = marks.map(traceOf)
    const numbers = assignCauses(traces, known)
    traces.forEach((trace, i) => {
      const number = numbers[i] ?? known.length
      known[number] = [...(known[number] ?? []), trace]
    })
    return numbers
  })
}

/** Groups issues of one turn by their cause, each group in the order given, the groups in the order of their first issues. */
export function groupByCause<I extends Complaint>(issues: readonly I[]): [I, ...I[]][] {
  const numbers = assignCauses(issues.map(traceIssue), [])
  const groups = new Map<number, [I, ...I[]]>()
  issues.forEach((issue, i) => {
    const number = numbers[i] ?? i
    const group = groups.get(number)
    if (group === undefined) groups.set(number, [issue])
    else group.push(issue)
  })
  return [...groups.values()]
}

const MAX_NAMES_SHOWN = 3

/**
 * Renders how often a turn raised a cause and how its issues differ; empty for one issue.
 *
 * @example
 * describeRepeats(issues) // ' ×12: a.py, b.py, c.py and 9 more'
 */
export function describeRepeats(issues: readonly Complaint[]): string {
  if (issues.length < 2) return ''
  const all = issues.map(({ description }) => [...findIdentifiers(description)])
  const common = new Set(all[0]?.filter((name) => all.every((names) => names.includes(name))))
  const differing = [...new Set(all.flat())].filter((name) => !common.has(name))
  const shown = differing.slice(0, MAX_NAMES_SHOWN).join(', ')
  const more = differing.length - MAX_NAMES_SHOWN
  return ` ×${issues.length}${shown === '' ? '' : `: ${shown}`}${more > 0 ? ` and ${more} more` : ''}`
}
