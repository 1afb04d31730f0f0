/**
 * Folds what the turns of a world say of its criteria (contract: criteria.md, "State"). Pure. One fold serves the capture, which
 * stores its result, and every question about an earlier turn.
 */
import * as z from 'zod'
import { groupBy } from '../core/group-by.ts'
import { BASES, type Basis, createGrader, markEvidence } from './basis.ts'
import type { Criterion } from './identity.ts'
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

/** One verification of the world (`cypher/criteria/_entry`). */
export const ledgerEntry = columns({
  ...placeInWorld,
  status: z.enum(CRITERION_STATUSES),
  source: z.enum(SOURCES),
  /** Whether it came as a map entry or in the full form. */
  form: z.enum(['status', 'entry']),
  /** Has evidence of its own: text that does more than restate a promise. */
  substantiated: z.boolean(),
  evidence: text,
})
export type LedgerEntry = z.output<typeof ledgerEntry>

export const promiseEntry = columns({
  ...placeInWorld,
  status: z.enum(PROMISE_STATUSES),
  evidence: text,
})
export type PromiseEntry = z.output<typeof promiseEntry>

/** An entry without its words. `judges`: it may change a state (no claim, and no repeat of a full entry). */
export type RecentEntry = { turn: number; status: LedgerEntry['status']; judges: boolean }

/** Number of newest entries of a criterion that are kept and shown. */
export const HISTORY_SHOWN = 20

const STATUS_OF = { v: 'verified', r: 'rejected', p: 'pending', u: 'unknown' } as const

/** `1v2r3u-`: the turn, the status by its first letter, and a dash where the entry judges nothing. */
const recentEntries = z.codec(z.string(), z.custom<readonly RecentEntry[]>(), {
  decode: (stored) =>
    [...stored.matchAll(/(\d+)([vrpu])(-?)/g)].map(([, turn, letter, dash]) => ({
      turn: Number(turn),
      status: STATUS_OF[letter as keyof typeof STATUS_OF],
      judges: dash === '',
    })),
  encode: (recent) =>
    recent.map(({ turn, status, judges }) => `${turn}${status[0]}${judges ? '' : '-'}`).join(''),
})

const state = z.enum(['verified', 'rejected', 'pending']).default('pending')
const maybeTurn = z.number().nullable().default(null)
const counter = z.number().default(0)

/**
 * Where a criterion is in a world after some turn: the ledger, folded. The defaults are those of a criterion that nobody
 * has named yet; the order is that of the stored list.
 */
const progressShape = {
  firstTurn: z.number(),
  firstPosition: z.number(),
  /** The newest judge's label as it was given; null while no judge has named the criterion. */
  label: text,
  /** The first and the newest turn in which a judge named it. */
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
  /** The newest turn in which a judge rejected it with evidence of its own. */
  evidencedRejectionTurn: maybeTurn,
  /** How many entries name it, and the newest of them, oldest first: for its history and for stall analysis. */
  entries: counter,
  recent: recentEntries.default([]),
  /** How often a judge rejected it; how often right after a judgement that had verified it. */
  rejections: counter,
  flips: counter,
  /** The first turn in which it was promised complete, and whether it was rejected with evidence in that one or later. */
  completeTurn: maybeTurn,
  isBrokenPromise: z.boolean().default(false),
  /** How its newest verification is known. */
  basis: z.enum(BASES).nullable().default(null),
  /** Marks of the evidence of its newest promises, those of one turn (see `basis.ts`). */
  promiseMarks: z.array(z.string()).readonly().default([]),
}

export type Progress = z.output<z.ZodObject<typeof progressShape>>

/** The list of the values without their names, a quarter as long. */
export const progressColumns = columns(progressShape)

/** Of a criterion that is named for the first time. */
export const notYetNamed = ({ turn, position }: { turn: number; position: number }): Progress =>
  progressColumns.parse([turn, position])

/** Where a merged criterion's entries count: at the end of its chain of merges. */
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

/**
 * Folds entries of later turns into what stood before them. `known` is not changed.
 *
 * @param finalKey where an entry's criterion counts (see {@link finalKeys})
 */
export function advance(
  known: ReadonlyMap<string, Progress>,
  ledger: readonly LedgerEntry[],
  promised: readonly PromiseEntry[],
  finalKey: (key: string) => string = (key) => key,
): Map<string, Progress> {
  const progress = new Map(known)
  const at = (entry: LedgerEntry | PromiseEntry): Progress =>
    progress.get(finalKey(entry.criterionKey)) ?? notYetNamed(entry)
  // Turn by turn, so that folding all at once and turn by turn are the same.
  const repeats = repeatsIn(ledger, finalKey)
  const promisedIn = groupBy(promised, ({ turn }) => turn)
  /** A judge may repeat promises of its own turn, which are listed after the judgements. */
  const listPromises = (turn: number) => {
    const after = new Map(progress)
    for (const entry of promisedIn.get(turn) ?? []) {
      const key = finalKey(entry.criterionKey)
      after.set(key, addPromise(after.get(key) ?? notYetNamed(entry), entry))
    }
    return new Map([...after].map(([key, { promiseMarks }]) => [key, promiseMarks]))
  }
  let grader = { turn: 0, grade: createGrader(new Map()) }
  const grade = ({ turn, criterionKey, evidence }: LedgerEntry): Basis => {
    if (turn !== grader.turn) grader = { turn, grade: createGrader(listPromises(turn)) }
    return grader.grade(finalKey(criterionKey), evidence)
  }
  for (const entry of [...ledger, ...promised].sort(inOrder)) {
    progress.set(finalKey(entry.criterionKey), named(at(entry), entry, repeats, grade))
  }
  return progress
}

function named(
  before: Progress,
  entry: LedgerEntry | PromiseEntry,
  repeats: ReadonlySet<LedgerEntry>,
  grade: (entry: LedgerEntry) => Basis,
): Progress {
  if (!('source' in entry)) {
    return addPromise(before, entry)
  }
  const judges = isJudgement(entry) && !repeats.has(entry)
  const noted: Progress = {
    ...before,
    entries: before.entries + 1,
    recent: [...before.recent, { turn: entry.turn, status: entry.status, judges }].slice(-HISTORY_SHOWN),
  }
  return judges ? judged(noted, entry, grade) : noted
}

function addPromise(before: Progress, { turn, status, label, evidence }: PromiseEntry): Progress {
  const isComplete = status === 'complete'
  return {
    ...before,
    promiseTurn: turn,
    promiseStatus: status,
    promiseLabel: label,
    promiseMarks: [...(before.promiseTurn === turn ? before.promiseMarks : []), ...markEvidence(evidence)],
    completeTurn: before.completeTurn ?? (isComplete ? turn : null),
    isBrokenPromise: before.isBrokenPromise || (isComplete && before.evidencedRejectionTurn === turn),
  }
}

/** One judgement under all three policies. Unknown and absence change nothing but that it was named. */
function judged(before: Progress, entry: LedgerEntry, grade: (entry: LedgerEntry) => Basis): Progress {
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
      basis: grade(entry),
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
    }
  }
  return status === 'pending' ? { ...seen, latestState: 'pending', latestVerifiedInTurn: null } : seen
}

/**
 * What a world keeps of where all of its criteria stand, by which named analyses find it: in how many criteria something
 * happened, ever; `lastGainTurn` is the newest turn that verified one for the first time.
 * `contestedCount`: they stand verified, and were rejected, too.
 */
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

/** A claim by the Player never changes a state. */
const isJudgement = ({ source }: { source: Source }): boolean => source !== 'player'

/** Where a record has `verifications`, entries of its status map for the same criterion are ignored. */
function repeatsIn(
  ledger: readonly LedgerEntry[],
  finalKey: (key: string) => string = (key) => key,
): ReadonlySet<LedgerEntry> {
  const inMaps = ledger.filter(({ form }) => form === 'status')
  if (inMaps.length === 0) return new Set() // most records have no map
  const place = ({ turn, criterionKey }: LedgerEntry) => `${turn} ${finalKey(criterionKey)}`
  const inFull = new Set(ledger.filter(({ form }) => form === 'entry').map(place))
  return new Set(inMaps.filter((entry) => inFull.has(place(entry))))
}

/** By turn; within one, judgements before promises, each in the order of its list. */
export const inOrder = (a: LedgerEntry | PromiseEntry, b: LedgerEntry | PromiseEntry): number =>
  a.turn - b.turn || Number('source' in b) - Number('source' in a) || a.position - b.position

/** What was said of a criterion, oldest first, without the words: all of it where the ledger was read, else the newest. */
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
