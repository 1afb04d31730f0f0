// Computes, directly from the files, the issues of a session that are open or gone after each of its turns.
import { type Turn, tasks } from './artifacts.ts'

export type IssueExpectation = {
  category: string
  description: string // in the words of the newest turn that raised it
  openedInTurn: number
  turns: number[]
  goneInTurn: number | null
}
export type SessionExpectation = {
  featureId: string
  taskId: string
  folder: string
  worldIndex: number
  after: { turn: number; issues: IssueExpectation[] }[]
}

const RUN_TIME_WORDS = new Set(['in', 'took', 'after', 'duration', 'elapsed', 'of'])
const UNITS = /^(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)$/
const PLACE_WORDS = new Set(['line', 'lines', 'ln', 'column', 'columns', 'col'])

type Word = { text: string; bare: string; opens: boolean; closes: boolean }

function wordsOf(text: string): Word[] {
  return text
    .normalize('NFKC')
    .replace(/\b(pid|duration|elapsed)=/gi, '$1 ')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => ({
      text: word,
      bare: word.replace(/^[('"`[{]+|[)'"`\]},;:.!?]+$/g, '').toLowerCase(),
      opens: word.startsWith('('),
      closes: /\)[.,;:]?$/.test(word),
    }))
}

/** Returns the number of words from `at` on that form one duration: `1m 30s` has two, `3min` has one. */
function durationLength(words: readonly Word[], at: number): number {
  let length = 0
  for (;;) {
    const [word, next] = [words[at + length]?.bare ?? '', words[at + length + 1]?.bare ?? '']
    const units = word.split(/[\d.,]+/).slice(1)
    if (!/^(\d+([.,]\d+)?[a-z]*)+$/.test(word)) return length
    if (units.every((unit) => UNITS.test(unit))) length += 1
    else if (units.length === 1 && units[0] === '' && UNITS.test(next)) length += 2
    else return length
  }
}

/** Replaces a word that is volatile by its form with a mask; other words stay unchanged. */
function maskForm(word: string): string {
  if (/\/(tmp|var\/tmp|var\/folders|dev\/shm)(\/|\b(?![\w-]))/.test(word)) return '~folder'
  if (/^\W*[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\W*$/.test(word)) return '~id'
  if (/^\W*0x[0-9a-f]+\W*$/.test(word)) return '~id'
  if (/^\W*\d{4}-\d\d-\d\d(t[\d:.,z+-]+)?\W*$/.test(word)) return '~date'
  if (/^\W*\d{1,2}:\d\d(:\d\d([.,]\d+)?)?z?\W*$/.test(word)) return '~time'
  if (/^\W*l\d+(-l?\d+)?\W*$/.test(word)) return '~line'
  const hex = /^\W*([0-9a-f]{7,64})\W*$/.exec(word)?.[1]
  if (hex !== undefined && /\d/.test(hex) && /[a-f]/.test(hex)) return '~id'
  return word.replace(/(\.[a-z]{1,8}|\D):\d+:\d+/g, '$1~line').replace(/(\.[a-z]{1,8}):\d+/g, '$1~line')
}

/**
 * Returns the complaint in words that are equal in every run: without volatile words and leading zeros of
 * labels.
 */
function complaintOf(text: string): string {
  const words = wordsOf(text)
  const kept: string[] = []
  for (let i = 0; i < words.length; i++) {
    const { text: word, bare, opens } = words[i]!
    const before = words[i - 1]?.bare ?? ''
    const length = durationLength(words, i)
    const closes = words[i + length - 1]?.closes ?? false
    const isNumber = /^\d+([-–]\d+)?$/.test(bare)
    if (length > 0 && (RUN_TIME_WORDS.has(before.replace(/[:=]$/, '')) || (opens && closes))) {
      kept.push('~duration')
      i += length - 1
    } else if (isNumber && PLACE_WORDS.has(before)) kept.push('~line')
    else if (isNumber && before === 'pid') kept.push('~pid')
    else kept.push(maskForm(word.toLowerCase()).replace(/(?<=[a-z][-_])0+(?=\d)/g, ''))
  }
  return kept.join(' ')
}

/**
 * Reads quoted strings first, then all words of the rest and of the quoted strings: code differs from prose
 * in form.
 */
function namesIn(text: string): Set<string> {
  const names = new Set<string>()
  const plain = text.normalize('NFKC')
  for (const mark of ['`', '"', "'"]) {
    let start = -1
    for (let i = 0; i < plain.length; i++) {
      if (plain[i] === '\n') start = -1
      if (plain[i] !== mark) continue
      const [left, right] = [/\w/.test(plain[i - 1] ?? ''), /\w/.test(plain[i + 1] ?? '')]
      if (mark === "'" && left && right) continue // an apostrophe
      if (start === -1) {
        if (mark !== "'" || !left) start = i
        continue
      }
      if (mark === "'" && right) continue
      const quoted = plain.slice(start + 1, i).trim()
      if (/[a-z]/i.test(quoted)) names.add(quoted)
      start = -1
    }
  }
  for (const piece of plain.split(/[^\w./@:-]+|::/)) {
    const name = piece.replace(/^[.:@]+|[.:/]+$/g, '').replace(/(:\d+)+$/, '')
    if (isCode(name) && !isLabel(name)) names.add(piece.endsWith('/') ? `${name}/` : name)
  }
  return names
}

const isLabel = (name: string): boolean => /^([a-z]+[-_])+\d+$/i.test(name)

function isCode(name: string): boolean {
  if (!/[a-z]/i.test(name) || name.endsWith('-')) return false
  if (/^--?[a-z]/i.test(name)) return true // a flag
  if (name.includes('_')) return /\w_|_\w/.test(name.replace(/^.*\//, '')) || name.includes('/')
  const parts = name.split('/')
  if (parts.length > 1) return parts.length > 2 || parts.at(-1)!.includes('.') // and/or is not a path
  const dotted = name.split('.')
  if (dotted.length > 1)
    return /^[a-z]\w*$/i.test(dotted[0]!) && /^[a-z]/i.test(dotted[1]!) && !/^(i\.e|e\.g)$/i.test(name)
  return /^[a-z]*[a-z][A-Z]\w*$/i.test(name) && /[a-z][A-Z]/.test(name)
}

type Issue = Turn['issues'][number]

/**
 * Applies the contract's "same cause": returns 0 if the causes differ, otherwise how much the two issues
 * share.
 */
export function sharedCause(a: Issue, b: Issue): number {
  if (a.category !== b.category) return 0
  if (complaintOf(a.description) === complaintOf(b.description)) return Number.POSITIVE_INFINITY
  const [one, other] = [namesIn(a.description), namesIn(b.description)]
  const both = [...one].filter((name) => other.has(name)).length
  return both >= 2 && both / Math.min(one.size, other.size) >= 0.6 ? both : 0
}

/** A cause with all of its assigned issues, by the turn that raised them. */
type Cause = { raised: Map<number, Issue[]>; goneInTurn: number | null }

const strength = (issue: Issue, { raised }: Cause): number =>
  [...raised.values()].flat().reduce((most, other) => Math.max(most, sharedCause(issue, other)), 0)

function issuesAfter(turns: Turn[]): IssueExpectation[] {
  const causes: Cause[] = []
  for (const { number, coachDecision, issues } of turns) {
    const known = [...causes]
    const strengths = issues.map((issue) => known.map((cause) => strength(issue, cause)))
    issues.forEach((issue, i) => {
      const best = Math.max(0, ...strengths[i]!)
      let cause = best > 0 ? known[strengths[i]!.indexOf(best)] : undefined
      if (cause === undefined) {
        // A new cause in this turn: issues of one turn are compared with the first issue of each new cause.
        const fresh = causes.slice(known.length)
        const first = fresh.map(({ raised }) => sharedCause(issue, raised.get(number)![0]!))
        const closest = Math.max(0, ...first)
        cause = closest > 0 ? fresh[first.indexOf(closest)] : undefined
      }
      if (cause === undefined) {
        cause = { raised: new Map(), goneInTurn: null }
        causes.push(cause)
      }
      cause.raised.set(number, [...(cause.raised.get(number) ?? []), issue])
      cause.goneInTurn = null
    })
    if (!['approved', 'feedback', 'rejected'].includes(coachDecision)) continue
    known.forEach((cause, k) => {
      if (cause.goneInTurn === null && strengths.every((row) => row[k] === 0)) cause.goneInTurn = number
    })
  }
  return causes.map(({ raised, goneInTurn }) => {
    const newest = [...raised.values()].at(-1)!
    const { category, description } = newest.toSorted((a, b) => a.severity - b.severity)[0]!
    const numbers = [...raised.keys()]
    return { category, description, openedInTurn: numbers[0]!, turns: numbers, goneInTurn }
  })
}

export const issueExpectations = (root: string): SessionExpectation[] =>
  tasks(root).flatMap(({ worlds, ...task }) =>
    worlds.map((turns, w) => ({
      ...task,
      worldIndex: w + 1,
      after: turns.map(({ number }, i) => ({ turn: number, issues: issuesAfter(turns.slice(0, i + 1)) })),
    })),
  )
