import type { CriterionStatus, PromiseStatus, Source } from '../turns/record.ts'
import type { Criterion } from './identity.ts'
import { compareCodeUnits, compareNaturally, normalizeLabel } from './labels.ts'
import { normalizeText, oneBeginsWithTheOther, wordsOf } from './text.ts'

/**
 * What holds in a world as of a turn, derived from its append-only verifications (contract: criteria.md,
 * "State"). Pure, so that every policy and every turn can be asked at any time.
 */

export const POLICIES = ['sticky', 'evidence', 'latest'] as const
export type Policy = (typeof POLICIES)[number]

/** One verification of the world. `form` says whether it came as a map entry or in the full form. */
export type LedgerEntry = {
  turn: number
  position: number
  criterionKey: string
  label: string
  status: CriterionStatus
  source: Source
  form: 'status' | 'entry'
  /** Has evidence of its own: text that does more than restate a promise. */
  substantiated: boolean
  evidence: string | null
}

export type PromiseEntry = {
  turn: number
  position: number
  criterionKey: string
  label: string
  status: PromiseStatus
}

export type CriterionState = {
  criterionId: string
  key: string
  text: string | null
  aliases: { label: string; source: string }[]
  state: 'verified' | 'rejected' | 'pending'
  verifiedInTurn: number | null
  lastTurn: number | null
  contested: { turn: number; reason: string | null } | null
  history: { turn: number; status: CriterionStatus; source: Source; evidence: string | null }[]
  promise: { turn: number; status: PromiseStatus } | null
}

const RESTATES_A_PROMISE = /^\s*promise status:/i

/** Text that only restates a promise (`Promise status: …`) is no evidence. */
export const isSubstantiated = (evidence: string | null): boolean =>
  evidence !== null && evidence.trim() !== '' && !RESTATES_A_PROMISE.test(evidence)

/** The criteria that count, in the total order of the contract. */
export function criterionStates(
  criteria: readonly Criterion[],
  ledger: readonly LedgerEntry[],
  promised: readonly PromiseEntry[],
  policy: Policy,
): CriterionState[] {
  const byKey = new Map(criteria.map((criterion) => [criterion.key, criterion]))
  const finalKey = (key: string): string => {
    const into = byKey.get(key)?.mergedInto
    return into == null ? key : finalKey(into)
  }
  const verifications = groupBy(withoutRepeats([...ledger].sort(inOrder)), (entry) =>
    finalKey(entry.criterionKey),
  )
  const promises = groupBy([...promised].sort(inOrder), (entry) => finalKey(entry.criterionKey))
  const judged = [...verifications].filter(([, entries]) => entries.some(isJudgement)).map(([key]) => key)
  // While no judge has named any criterion in this world, the promised ones count, as pending.
  const counting = judged.length > 0 ? judged : [...promises.keys()]
  return counting
    .map((key) => {
      const criterion = byKey.get(key)
      if (criterion === undefined)
        throw new Error(`a verification is of criterion ${key}, which the task does not have`)
      const entries = verifications.get(key) ?? []
      const own = promises.get(key) ?? []
      const merged = criteria.filter((other) => other.key !== key && finalKey(other.key) === key)
      return stateOf(criterion, merged, entries, own, policy)
    })
    .sort(compareStates)
    .map(({ state }) => state)
}

type Placed = { state: CriterionState; first: { turn: number; position: number } }

function stateOf(
  criterion: Criterion,
  merged: readonly Criterion[],
  entries: readonly LedgerEntry[],
  promises: readonly PromiseEntry[],
  policy: Policy,
): Placed {
  const judgements = entries.filter(isJudgement)
  const promise = promises.at(-1)
  const state: CriterionState = {
    criterionId: shownLabel(criterion, judgements, promises),
    key: criterion.key,
    text: shownText(criterion),
    aliases: [...criterion.aliases, ...merged.flatMap((other) => other.aliases)]
      .filter(
        (alias, i, all) => all.findIndex((a) => a.label === alias.label && a.source === alias.source) === i,
      )
      .sort((a, b) => compareNaturally(a.label, b.label) || compareCodeUnits(a.source, b.source)),
    ...(policy === 'latest' ? latest(judgements) : accumulated(judgements, policy)),
    lastTurn: judgements.at(-1)?.turn ?? null,
    history: entries.map(({ turn, status, source, evidence }) => ({ turn, status, source, evidence })),
    promise: promise === undefined ? null : { turn: promise.turn, status: promise.status },
  }
  const first = entries[0] ?? promises[0] ?? { turn: 0, position: 0 }
  return { state, first: { turn: first.turn, position: first.position } }
}

type Verdict = Pick<CriterionState, 'state' | 'verifiedInTurn' | 'contested'>

/**
 * `sticky`: verified once stays verified; a later explicit rejection contests it, a later verification
 * clears that. `evidence`: a rejection with evidence of its own takes it back. Unknown changes nothing.
 */
function accumulated(judgements: readonly LedgerEntry[], policy: 'sticky' | 'evidence'): Verdict {
  let verdict: Verdict = { state: 'pending', verifiedInTurn: null, contested: null }
  for (const { status, turn, evidence, substantiated } of judgements) {
    if (status === 'verified') {
      verdict = { state: 'verified', verifiedInTurn: verdict.verifiedInTurn ?? turn, contested: null }
    } else if (status === 'rejected') {
      const stays = verdict.state === 'verified' && !(policy === 'evidence' && substantiated)
      verdict = stays
        ? { ...verdict, contested: { turn, reason: evidence } }
        : { state: 'rejected', verifiedInTurn: null, contested: null }
    }
  }
  return verdict
}

function latest(judgements: readonly LedgerEntry[]): Verdict {
  const last = judgements.findLast(({ status }) => status !== 'unknown')
  const state = last?.status === 'verified' || last?.status === 'rejected' ? last.status : 'pending'
  return { state, verifiedInTurn: state === 'verified' ? (last?.turn ?? null) : null, contested: null }
}

/** A claim by the Player never changes a state. */
const isJudgement = ({ source }: { source: Source }): boolean => source !== 'player'

/** Where a record has `verifications`, entries of its status map for the same criterion are ignored. */
function withoutRepeats(ledger: readonly LedgerEntry[]): LedgerEntry[] {
  const inFull = new Set(ledger.filter((e) => e.form === 'entry').map((e) => `${e.turn} ${e.criterionKey}`))
  return ledger.filter((e) => e.form === 'entry' || !inFull.has(`${e.turn} ${e.criterionKey}`))
}

/**
 * The newest judge's label, else the Player's; one known by its label alone keeps the id as it was given.
 */
function shownLabel(
  criterion: Criterion,
  judgements: readonly LedgerEntry[],
  promises: readonly PromiseEntry[],
): string {
  const given = (judgements.findLast(({ label }) => label !== '') ?? promises.at(-1))?.label ?? ''
  return criterion.texts.length === 0 ? given : normalizeLabel(given)
}

/** The longest wording that begins with a judge's, else the judge's, else the Player's. */
function shownText({ texts }: Criterion): string | null {
  const own = texts.filter(({ source }) => source !== 'player')
  const judged = own.map(({ text }) => wordsOf(text))
  const fitting = texts.filter(({ text }) => {
    const words = wordsOf(text)
    return judged.some((start) => start.length <= words.length && oneBeginsWithTheOther(start, words))
  })
  const length = ({ text }: { text: string }) => normalizeText(text).length
  // Of equally long ones the judge's own, so that the Player's list marks do not show.
  const candidates = (own.length > 0 ? fitting : texts).toSorted(
    (a, b) => length(b) - length(a) || Number(a.source === 'player') - Number(b.source === 'player'),
  )
  return candidates[0]?.text ?? null
}

function compareStates(a: Placed, b: Placed): number {
  const [x, y] = [a.state, b.state]
  if (x.text !== null && y.text !== null) {
    return (
      compareNaturally(x.criterionId, y.criterionId) ||
      compareCodeUnits(normalizeText(x.text), normalizeText(y.text)) ||
      compareCodeUnits(x.key, y.key)
    )
  }
  if (x.text !== null || y.text !== null) return x.text !== null ? -1 : 1
  return a.first.turn - b.first.turn || a.first.position - b.first.position || compareCodeUnits(x.key, y.key)
}

const inOrder = (a: { turn: number; position: number }, b: { turn: number; position: number }): number =>
  a.turn - b.turn || a.position - b.position

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
