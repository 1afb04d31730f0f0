/** Issues with one cause (truth.md): the same category, and equal signatures or enough shared identifiers. Pure. */
import * as z from 'zod'
import { sha256 } from '../core/keys.ts'
import { type Complaint, issueSignature, maskVolatile } from './signature.ts'
import { columns } from './values.ts'

const MIN_SHARED = 2
const MIN_SHARE = 0.6
/** Maximum number of identifiers that are compared: a text with more is a list. */
const MAX_IDENTIFIERS = 40

/** An apostrophe between two letters does not end a quoted string: 'I'll wait' is one. */
const QUOTED = /`([^`\n]{1,200})`|"([^"\n]{1,200})"|(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w)){1,200})'(?!\w)/g
/** Matches a word in which each backslash may begin the escape `\n`, `\r` or `\t`. */
const MAY_BE_ESCAPES = /(?<![\w@.:/\\-])[\w@.:/-]*(?:\\[nrt][\w@.:/-]*)+(?![\w@.:\\-])/g
/** Matches such a word if it is a path: it begins with a drive, or all of its backslashes are before its extension, without a slash. */
const PATH_OF_WINDOWS = /^[a-z]:\\|^\.{0,2}[^./:]*\.\w[^\\/]*$/i
const SEPARATOR_OF_WINDOWS = /(?<=[\w@.:-])\\{1,2}(?=[\w@.-])/g
const BETWEEN_WORDS = /[\s`"'()[\]{},;<>|*=]+|::/
const LABEL = /^(?:[A-Za-z]{1,20}(?:-[A-Za-z]{1,20}){0,6}-?|(?:criterion|ac)_)\d{1,4}(?:\.\d{1,4})?$/i
const ABBREVIATIONS = new Set(['e.g', 'i.e', 'a.k.a'])

const CODE_LIKE: readonly RegExp[] = [
  /^--?[a-z][\w-]*$/i, // a flag
  /^(?:[a-z]:)?(?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*\/[\w@-]*\.[a-z]\w{0,9}$/i, // a path to a file
  /^\.{0,2}\/[\w@.-]+\/[\w@./-]*$|^[\w@.-]+\/[\w@.-]+\/[\w@./-]*$/, // a path of several folders
  /^[A-Za-z_]\w*\.(?=[A-Za-z_])[\w.]*$/, // a dotted name, or the name of a file
  /^\w*[A-Za-z0-9]_\w+$|^_+[A-Za-z]\w*$/, // snake_case
  /^[A-Za-z]*[a-z][A-Z]\w*$|^[A-Z]{2,}[a-z]{3}\w*$/, // camelCase, or the name of an error's class
]

/** The code-like words of a text: not the labels of criteria, not plain words. */
export function findIdentifiers(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (word: string): void => {
    if (found.size < MAX_IDENTIFIERS && !LABEL.test(word)) found.add(word)
  }
  const plain = maskVolatile(text)
    .replace(MAY_BE_ESCAPES, (word) => (PATH_OF_WINDOWS.test(word) ? word : word.replace(/\\[nrt]/g, ' ')))
    .replace(SEPARATOR_OF_WINDOWS, '/')
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
  category: issue.category ?? null,
  signature: issueSignature(issue),
  identifiers: findIdentifiers(issue.description),
})

type Trace = Traced<unknown>

/** Counts shared identifiers of two issues; null if their causes differ. Equal signatures rank above any overlap. */
export function measureOverlap(a: Trace, b: Trace): number | null {
  if (a.signature === b.signature) return Number.POSITIVE_INFINITY
  if (a.category !== b.category) return null
  const [smaller, larger] = a.identifiers.size <= b.identifiers.size ? [a, b] : [b, a]
  if (smaller.identifiers.size < MIN_SHARED) return null
  let shared = 0
  for (const name of smaller.identifiers) if (larger.identifiers.has(name)) shared++
  return shared >= MIN_SHARED && shared >= MIN_SHARE * smaller.identifiers.size ? shared : null
}

/** Maximum number of issues that a cause is compared by: a turn that raises more of one cause repeats itself. */
const MAX_COMPARED = 50

type Match = { cause: number; overlap: number }

/** Finds the causes of an issue by its signature and its identifiers, so that few issues are compared. */
class CauseIndex {
  readonly #traces: Trace[][] = []
  readonly #bySignature = new Map<string, Set<number>>()
  readonly #byIdentifier = new Map<string, Set<number>>()

  constructor(causes: readonly (readonly Trace[])[] = []) {
    causes.forEach((traces, cause) => {
      for (const trace of traces) this.add(cause, trace)
    })
  }

  add(cause: number, trace: Trace): void {
    const traces = this.#traces[cause] ?? []
    if (traces.length >= MAX_COMPARED) return
    traces.push(trace)
    this.#traces[cause] = traces
    addTo(this.#bySignature, trace.signature, cause)
    for (const name of trace.identifiers) addTo(this.#byIdentifier, identifierKey(trace, name), cause)
  }

  /** The causes of an issue: the largest overlap first, of equal ones the earliest cause. */
  find(trace: Trace): Match[] {
    const counts = new Map<number, number>()
    for (const name of trace.identifiers)
      for (const cause of this.#byIdentifier.get(identifierKey(trace, name)) ?? [])
        counts.set(cause, (counts.get(cause) ?? 0) + 1)
    const named = [...counts].flatMap(([cause, count]) => (count >= MIN_SHARED ? [cause] : []))
    const candidates = new Set([...(this.#bySignature.get(trace.signature) ?? []), ...named])
    return [...candidates]
      .flatMap((cause) => {
        const overlap = this.#measure(trace, cause)
        return overlap === null ? [] : [{ cause, overlap }]
      })
      .sort((a, b) => compareOverlap(a, b) || a.cause - b.cause)
  }

  #measure(trace: Trace, cause: number): number | null {
    let best: number | null = null
    for (const other of this.#traces[cause] ?? []) {
      const overlap = measureOverlap(trace, other)
      if (overlap !== null && (best === null || overlap > best)) best = overlap
    }
    return best
  }
}

const identifierKey = ({ category }: Trace, name: string): string => `${category ?? ''}\n${name}`

function addTo(index: Map<string, Set<number>>, key: string, cause: number): void {
  const causes = index.get(key)
  if (causes === undefined) index.set(key, new Set([cause]))
  else causes.add(cause)
}

/** The larger overlap first. Two infinite ones are equal, which a subtraction would not find. */
const compareOverlap = (a: Match, b: Match): number =>
  a.overlap === b.overlap ? 0 : b.overlap > a.overlap ? 1 : -1

/**
 * Assigns the issues of one turn to causes that are known, and groups the rest. Pairs are taken by overlap, then by the position
 * of the issue, then by that of the cause. A new cause is known by its first issue.
 *
 * @param known the issues that each known cause is compared by
 * @returns for each issue the index of its cause: below `known.length` for a known one; and the known causes that any issue has
 */
export function assignCauses(
  traces: readonly Trace[],
  known: readonly (readonly Trace[])[],
): { causes: number[]; raised: ReadonlySet<number> } {
  const index = new CauseIndex(known)
  const added = new CauseIndex()
  const raised = new Set<number>()
  let count = known.length
  const causes = traces.map((trace) => {
    const matches = index.find(trace)
    for (const { cause } of matches) raised.add(cause)
    const assigned = matches[0]?.cause ?? added.find(trace)[0]?.cause
    if (assigned !== undefined) return assigned
    added.add(count, trace)
    return count++
  })
  return { causes, raised }
}

export const markColumns = columns({ signature: z.string(), identifiers: z.array(z.string()).readonly() })

/** An issue without its words: its signature, and a hash of each identifier with the category. */
export type CauseMark = z.output<typeof markColumns>

export function markCause(issue: Complaint): CauseMark {
  const { category, signature, identifiers } = traceIssue(issue)
  const hashes = [...identifiers].map((name) => sha256(`${category ?? ''}\n${name}`).slice(0, 8))
  return { signature, identifiers: hashes }
}

/** The hashes include the category. */
export const traceOf = ({ signature, identifiers }: CauseMark): Trace => ({
  issue: null,
  category: null,
  signature,
  identifiers: new Set(identifiers),
})

/** @returns the number of the cause of each issue, in the order of the turns and of the Coach */
export function numberCauses(turns: readonly (readonly CauseMark[])[]): number[][] {
  const known: Trace[][] = []
  return turns.map((marks) => {
    const traces = marks.map(traceOf)
    const numbers = assignCauses(traces, known).causes
    traces.forEach((trace, i) => {
      const number = numbers[i] ?? known.length
      known[number] = [...(known[number] ?? []), trace]
    })
    return numbers
  })
}

export function groupByCause<I extends Complaint>(issues: readonly I[]): [I, ...I[]][] {
  const numbers = assignCauses(issues.map(traceIssue), []).causes
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
