/** Folds the verifications and promises of a world into the progress of its criteria (contract: criteria.md). Pure. */
import * as z from 'zod'
import { groupBy } from '../core/group-by.ts'
import { BASES, type Basis, createGrader, markEvidence } from './basis.ts'
import type { Criterion } from './identity.ts'
import { type ObservedOn, observedOn, observedOnText } from './observation.ts'
import {
  CRITERION_STATUSES,
  columns,
  PROMISE_STATUSES,
  SOURCES,
  type Source,
  optionalText as text,
} from './values.ts'

const placeInWorld = {
  turn: z.number(),
  position: z.number(),
  criterionKey: z.string(),
  label: z.string(),
}

/** A verification of the world (`cypher/criteria/_entry`). */
export const ledgerEntry = columns({
  ...placeInWorld,
  status: z.enum(CRITERION_STATUSES),
  source: z.enum(SOURCES),
  /** Form of the entry: in the status map, or in full. */
  form: z.enum(['status', 'entry']),
  /** True if the entry has evidence of its own: text that does more than restate a promise. */
  substantiated: z.boolean(),
  evidence: text,
  /** The files that its observation saw; null without an observation. */
  observedOn: observedOnText.nullable().default(null),
  /** Time at which it was added to the turn after its end; null if the record has it. */
  addedAt: text,
  /** Text of its criterion as given; also null if it was not read. */
  text,
})
export type LedgerEntry = z.output<typeof ledgerEntry>

export const promiseEntry = columns({
  ...placeInWorld,
  status: z.enum(PROMISE_STATUSES),
  evidence: text,
  /** Text of its criterion as given; also null if it was not read. */
  text,
})
export type PromiseEntry = z.output<typeof promiseEntry>

/** Entry without its texts. `judges` is true if it may change a state: it is neither a claim nor a repeat of a full entry. */
export type RecentEntry = { turn: number; status: LedgerEntry['status']; judges: boolean }

/** Number of newest entries of a criterion that are kept and shown. */
export const HISTORY_SHOWN = 20

const STATUS_OF = { v: 'verified', r: 'rejected', p: 'pending', u: 'unknown' } as const

/** Text form `7vr0u-`: turns since the previous entry (omitted if 1), first letter of the status, a dash if it is no judgement. */
const recentEntries = z.codec(z.string(), z.custom<readonly RecentEntry[]>(), {
  decode: (stored) => {
    let turn = 0
    return [...stored.matchAll(/(\d*)([vrpu])(-?)/g)].map(([, after, letter, dash]) => {
      turn += after === '' ? 1 : Number(after)
      return { turn, status: STATUS_OF[letter as keyof typeof STATUS_OF], judges: dash === '' }
    })
  },
  encode: (recent) =>
    recent
      .map(({ turn, status, judges }, i) => {
        const after = turn - (recent[i - 1]?.turn ?? 0)
        return `${after === 1 ? '' : after}${status[0]}${judges ? '' : '-'}`
      })
      .join(''),
})

/** The place of a basis in the list. */
const basisPlace = z.codec(z.number().nullable(), z.custom<Basis | null>(), {
  decode: (place) => (place === null ? null : (BASES[place] ?? null)),
  encode: (basis) => (basis === null ? null : BASES.indexOf(basis)),
})

/** `12 k3j… 9x2…;3 k3j…`: one text, empty without marks. */
const marks = z.codec(z.string(), z.custom<readonly string[]>(), {
  decode: (stored) => (stored === '' ? [] : stored.split(';')),
  encode: (list) => list.join(';'),
})

/** Proof of a criterion by observations: like the state `sticky`, but only observed verifications count. */
export type ObservedProof = {
  verifiedInTurn: number
  contestedInTurn: number | null
  /** True if a later rejection has evidence of its own. */
  isRefuted: boolean
  /** Files that the newest observed verification saw. */
  on: ObservedOn
}

const observedProof = z.codec(
  columns({
    verifiedInTurn: z.number(),
    contestedInTurn: z.number().nullable(),
    isRefuted: z.boolean(),
    ...observedOn.shape,
  }).nullable(),
  z.custom<ObservedProof | null>(),
  {
    decode: (stored) => {
      if (stored === null) return null
      const { verifiedInTurn, contestedInTurn, isRefuted, ...on } = stored
      return { verifiedInTurn, contestedInTurn, isRefuted, on }
    },
    encode: (proof) => {
      if (proof === null) return null
      const { on, ...rest } = proof
      return { ...rest, ...on }
    },
  },
)

const state = z
  .codec(z.enum(['v', 'r', 'p']), z.enum(['verified', 'rejected', 'pending']), {
    decode: (letter) => STATUS_OF[letter],
    encode: (given) => given[0] as 'v' | 'r' | 'p',
  })
  .default('pending')
const maybeTurn = z.number().nullable().default(null)
const counter = z.number().default(0)

/** Progress of a criterion. The defaults are those without an entry. The order of the fields is that of the stored list. */
const progressShape = {
  firstTurn: z.number(),
  firstPosition: z.number(),
  /** Newest judge's label as given; null if no judge has named the criterion. */
  label: text,
  /** First and newest turn in which a judge named the criterion. */
  firstJudgedTurn: maybeTurn,
  lastTurn: maybeTurn,
  lastVerifiedTurn: maybeTurn,
  state,
  verifiedInTurn: maybeTurn,
  contestedInTurn: maybeTurn,
  evidenceState: state,
  evidenceVerifiedInTurn: maybeTurn,
  evidenceContestedInTurn: maybeTurn,
  latestState: state,
  latestVerifiedInTurn: maybeTurn,
  promiseTurn: maybeTurn,
  promiseStatus: z.enum(PROMISE_STATUSES).nullable().default(null),
  promiseLabel: text,
  evidencedRejectionTurn: maybeTurn,
  /** Number of entries, and the newest of them, oldest first: for the history and for stall analysis. */
  entries: counter,
  recent: recentEntries.default([]),
  /** Number of rejections, and of rejections right after a verification. */
  rejections: counter,
  flips: counter,
  /** First turn that promised the criterion as complete, and whether that turn or a later one rejected it with evidence. */
  completeTurn: maybeTurn,
  isBrokenPromise: z.boolean().default(false),
  /** How its newest verification is known. */
  basis: basisPlace.default(null),
  /** Marks of the evidence of its newest promises, those of one turn (see `basis.ts`). */
  promiseMarks: marks.default([]),
  observed: observedProof.default(null),
}

export type Progress = z.output<z.ZodObject<typeof progressShape>>

/** List of the values without names, a quarter as long as a map. */
export const progressColumns = columns(progressShape)

export const notYetNamed = ({ turn, position }: { turn: number; position: number }): Progress =>
  progressColumns.parse([turn, position])

/** Returns a function that finds the criterion at the end of a chain of merges, for which entries count. */
export function finalKeys(
  criteria: readonly Pick<Criterion, 'key' | 'mergedInto'>[],
): (key: string) => string {
  const into = new Map(criteria.map(({ key, mergedInto }) => [key, mergedInto]))
  const follow = (key: string): string => {
    const next = into.get(key)
    return next == null ? key : follow(next)
  }
  return follow
}

/** Describes a chain of merges that ends at a missing criterion, or never; null if it is sound. */
export function findBrokenMerge(key: string, into: ReadonlyMap<string, string | null>): string | null {
  const passed = new Set<string>()
  for (let at: string | null = key; at !== null; at = into.get(at) ?? null) {
    if (!into.has(at)) return `is merged into ${at}, which the task does not have`
    if (passed.has(at)) return `is merged into ${[...passed].join(', then ')}, and so into itself`
    passed.add(at)
  }
  return null
}

/** Progress during a fold. Marks and bases are computed at its end, because later turns replace most results. */
type FoldState = Omit<Progress, 'promiseMarks'> & {
  /** The newest verification of the fold. Its basis replaces `basis`. */
  proof: LedgerEntry | null
}

/** Adds entries to the progress; `known` stays unchanged. `finalKey`: criterion for which an entry counts ({@link finalKeys}). */
export function advance(
  known: ReadonlyMap<string, Progress>,
  ledger: readonly LedgerEntry[],
  promised: readonly PromiseEntry[],
  finalKey: (key: string) => string = (key) => key,
): Map<string, Progress> {
  const folded = new Map<string, FoldState>()
  // Folds turn by turn, so that the result does not depend on the number of turns per call.
  const repeats = repeatsIn(ledger, finalKey)
  for (const entry of [...ledger, ...promised].sort(inOrder)) {
    const key = finalKey(entry.criterionKey)
    const before = folded.get(key) ?? { ...(known.get(key) ?? notYetNamed(entry)), proof: null }
    folded.set(key, 'source' in entry ? addVerification(before, entry, repeats) : addPromise(before, entry))
  }
  const proofs = [...folded].flatMap(([key, { proof }]) => (proof === null ? [] : { key, proof }))
  const { marks, bases } = gradeProofs(known, proofs, promised, finalKey)
  const progress = new Map(known)
  for (const [key, { proof, ...state }] of folded) {
    const basis = bases.get(key) ?? state.basis
    progress.set(key, { ...state, promiseMarks: marks.get(key) ?? [], basis })
  }
  return progress
}

export type TurnEntries = {
  turn: number
  entries: readonly LedgerEntry[]
  promised: readonly PromiseEntry[]
}

/** Yields each turn, ascending, with the progress before and after it. */
export function* foldByTurn<T extends TurnEntries>(turns: readonly T[], finalKey: (key: string) => string) {
  let before: ReadonlyMap<string, Progress> = new Map()
  for (const turn of turns.toSorted((a, b) => a.turn - b.turn)) {
    const progress = advance(before, turn.entries, turn.promised, finalKey)
    yield { ...turn, before, progress }
    before = progress
  }
}

/** Marks the newest promises of each criterion, and grades proofs by the promises up to the turn of the proof. */
function gradeProofs(
  known: ReadonlyMap<string, Progress>,
  proofs: readonly { key: string; proof: LedgerEntry }[],
  promised: readonly PromiseEntry[],
  finalKey: (key: string) => string,
): { marks: ReadonlyMap<string, readonly string[]>; bases: ReadonlyMap<string, Basis> } {
  const marks = new Map([...known].map(([key, { promiseMarks }]) => [key, promiseMarks]))
  const bases = new Map<string, Basis>()
  /** Promises of the newest turn of a criterion that have no marks yet. */
  const unmarked = new Map<string, PromiseEntry[]>()
  const markAll = () => {
    for (const [key, entries] of unmarked) {
      const before = known.get(key)
      const earlier = before?.promiseTurn === entries[0]?.turn ? (before?.promiseMarks ?? []) : []
      marks.set(key, [...earlier, ...entries.flatMap(({ evidence }) => markEvidence(evidence))])
    }
    unmarked.clear()
  }
  const promisedIn = groupBy(promised.toSorted(inOrder), ({ turn }) => turn)
  const provenIn = groupBy(proofs, ({ proof }) => proof.turn)
  // A judge may repeat promises of its own turn. The grader of a turn is large and is not kept.
  for (const turn of [...new Set([...promisedIn.keys(), ...provenIn.keys()])].sort((a, b) => a - b)) {
    for (const entry of promisedIn.get(turn) ?? []) {
      const key = finalKey(entry.criterionKey)
      const others = unmarked.get(key)
      if (others?.[0]?.turn === turn) others.push(entry)
      else unmarked.set(key, [entry])
    }
    const inTurn = provenIn.get(turn) ?? []
    for (const { key, proof } of inTurn) if (proof.observedOn !== null) bases.set(key, 'observed')
    const unseen = inTurn.filter(({ proof }) => proof.observedOn === null)
    if (unseen.length === 0) continue
    markAll()
    const grade = createGrader(marks)
    for (const { key, proof } of unseen) bases.set(key, grade(key, proof.evidence))
  }
  markAll()
  return { marks, bases }
}

/** Adds a verification to the history of a criterion. Applies it if it is a judgement that does not repeat an earlier entry. */
function addVerification(
  before: FoldState,
  entry: LedgerEntry,
  repeats: ReadonlySet<LedgerEntry>,
): FoldState {
  const judges = isJudgement(entry) && !repeats.has(entry)
  const noted: FoldState = {
    ...before,
    entries: before.entries + 1,
    recent: [...before.recent, { turn: entry.turn, status: entry.status, judges }].slice(-HISTORY_SHOWN),
  }
  return judges ? applyJudgement(noted, entry) : noted
}

function addPromise(before: FoldState, { turn, status, label }: PromiseEntry): FoldState {
  const isComplete = status === 'complete'
  return {
    ...before,
    promiseTurn: turn,
    promiseStatus: status,
    promiseLabel: label,
    completeTurn: before.completeTurn ?? (isComplete ? turn : null),
    isBrokenPromise: before.isBrokenPromise || (isComplete && before.evidencedRejectionTurn === turn),
  }
}

/** Applies a judgement for all three policies. `unknown` changes only the turns in which the criterion was named. */
function applyJudgement(before: FoldState, entry: LedgerEntry): FoldState {
  const { turn, status, label, substantiated } = entry
  const seen = { ...before, label, firstJudgedTurn: before.firstJudgedTurn ?? turn, lastTurn: turn }
  if (status === 'verified') {
    return {
      ...seen,
      lastVerifiedTurn: turn,
      state: 'verified',
      verifiedInTurn: before.verifiedInTurn ?? turn,
      contestedInTurn: null,
      evidenceState: 'verified',
      evidenceVerifiedInTurn: before.evidenceVerifiedInTurn ?? turn,
      evidenceContestedInTurn: null,
      latestState: 'verified',
      latestVerifiedInTurn: turn,
      proof: entry,
      observed: applyObservation(before.observed, entry),
    }
  }
  if (status === 'rejected') {
    const stays = before.state === 'verified'
    const evidenceStays = before.evidenceState === 'verified' && !substantiated
    return {
      ...seen,
      state: stays ? 'verified' : 'rejected',
      contestedInTurn: stays ? turn : null,
      evidenceState: evidenceStays ? 'verified' : 'rejected',
      evidenceVerifiedInTurn: evidenceStays ? before.evidenceVerifiedInTurn : null,
      evidenceContestedInTurn: evidenceStays ? turn : null,
      latestState: 'rejected',
      latestVerifiedInTurn: null,
      evidencedRejectionTurn: substantiated ? turn : before.evidencedRejectionTurn,
      rejections: before.rejections + 1,
      flips: before.flips + (before.latestState === 'verified' ? 1 : 0),
      isBrokenPromise: before.isBrokenPromise || (substantiated && before.completeTurn !== null),
      observed: before.observed && {
        ...before.observed,
        contestedInTurn: turn,
        isRefuted: before.observed.isRefuted || substantiated,
      },
    }
  }
  return status === 'pending' ? { ...seen, latestState: 'pending', latestVerifiedInTurn: null } : seen
}

/** Applies a verification to the observed proof. A verification without an observation changes nothing. */
function applyObservation(
  before: ObservedProof | null,
  { turn, observedOn: on }: LedgerEntry,
): ObservedProof | null {
  if (on === null) return before
  return { verifiedInTurn: before?.verifiedInTurn ?? turn, contestedInTurn: null, isRefuted: false, on }
}

/** Summarizes for analyses. `lastGainTurn`: newest first verification. `contestedCount`: verified criteria with rejections. */
export function summarizeProgress(progress: Iterable<Progress>) {
  const all = [...progress]
  const gains = all.flatMap(({ verifiedInTurn }) => verifiedInTurn ?? [])
  const count = (matches: (each: Progress) => boolean) => all.filter(matches).length
  return {
    lastGainTurn: gains.length === 0 ? null : gains.reduce((a, b) => Math.max(a, b)),
    contestedCount: count(({ state, rejections }) => state === 'verified' && rejections > 0),
    flippedCount: count(({ flips }) => flips > 0),
    brokenPromiseCount: count(({ isBrokenPromise }) => isBrokenPromise),
  }
}

/** True for an entry of a judge. A claim by the Player never changes a state. */
const isJudgement = ({ source }: { source: Source }): boolean => source !== 'player'

type Placed = Pick<LedgerEntry, 'form' | 'source'> & { addedAt?: string | null | undefined }

/**
 * Finds entries of status maps that a judge of the same record repeats in full for the same criterion. They are ignored. A claim
 * of the Player or an addition does not replace an entry of a map.
 *
 * @param placeOf names the record and the criterion of an entry
 */
export function findRepeats<E extends Placed>(
  entries: readonly E[],
  placeOf: (entry: E) => string,
): ReadonlySet<E> {
  const inMaps = entries.filter(({ form }) => form === 'status')
  if (inMaps.length === 0) return new Set() // most records have no map
  const isFull = (entry: E) => entry.form === 'entry' && entry.addedAt == null && isJudgement(entry)
  const inFull = new Set(entries.filter(isFull).map(placeOf))
  return new Set(inMaps.filter((entry) => inFull.has(placeOf(entry))))
}

export const repeatsIn = (
  ledger: readonly LedgerEntry[],
  finalKey: (key: string) => string = (key) => key,
): ReadonlySet<LedgerEntry> =>
  findRepeats(ledger, ({ turn, criterionKey }) => `${turn} ${finalKey(criterionKey)}`)

/** Lists the entries that may change a state. */
export function listJudgements(
  ledger: readonly LedgerEntry[],
  finalKey: (key: string) => string,
): LedgerEntry[] {
  const repeats = repeatsIn(ledger, finalKey)
  return ledger.filter((entry) => isJudgement(entry) && !repeats.has(entry))
}

/** Orders entries by turn. Within a turn, judgements come before promises, each in the order of its list. */
export const inOrder = (a: LedgerEntry | PromiseEntry, b: LedgerEntry | PromiseEntry): number =>
  a.turn - b.turn || Number('source' in b) - Number('source' in a) || a.position - b.position

/** Lists the entries of a criterion without texts, oldest first: all of them if the ledger was read, otherwise the newest. */
export function entriesIn({
  ledger,
  progress,
}: {
  ledger: readonly LedgerEntry[] | null
  progress: ReadonlyMap<string, Progress>
}): (criterionKey: string) => readonly RecentEntry[] {
  const repeats = repeatsIn(ledger ?? [])
  const all = groupBy(ledger?.toSorted(inOrder) ?? [], ({ criterionKey }) => criterionKey)
  return (key) =>
    all.get(key)?.map((entry) => ({
      turn: entry.turn,
      status: entry.status,
      judges: isJudgement(entry) && !repeats.has(entry),
    })) ??
    progress.get(key)?.recent ??
    []
}
