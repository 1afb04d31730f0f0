/** What the graph stores of criteria, decoded: each shape is the one declaration of its columns and of its type. */
import * as z from 'zod'
import type { Criterion } from '../../rules/identity.ts'
import { COUNTED_DECISIONS, type Outcome } from '../../rules/outcome.ts'
import {
  CRITERION_STATUSES,
  columns,
  PROMISE_STATUSES,
  SOURCES,
  textList as strings,
  optionalText as text,
} from '../../rules/values.ts'

/** `cypher/criteria/_criterion`. */
export const criterionRow = columns({
  key: z.string(),
  texts: strings,
  textSources: strings,
  labels: strings,
  labelSources: strings,
  mergedInto: text,
  worldKey: text,
}).transform(
  ({ texts, textSources, labels, labelSources, ...criterion }): Criterion => ({
    ...criterion,
    texts: texts.map((each, i) => ({ text: each, source: textSources[i] ?? '' })),
    aliases: labels.map((label, i) => ({ label, source: labelSources[i] ?? '' })),
  }),
)

/** The same as it is stored. */
export const storedCriterion = ({ texts, aliases, mergedInto, worldKey }: Criterion) => ({
  texts: texts.map(({ text }) => text),
  textSources: texts.map(({ source }) => source),
  labels: aliases.map(({ label }) => label),
  labelSources: aliases.map(({ source }) => source),
  mergedInto,
  worldKey,
})

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

export const promiseEntry = columns({ ...placeInWorld, status: z.enum(PROMISE_STATUSES) })
export type PromiseEntry = z.output<typeof promiseEntry>

/** An entry without its words. `judges`: it may change a state (no claim, and no repeat of a full entry). */
export type RecentEntry = { turn: number; status: LedgerEntry['status']; judges: boolean }

/** `1v2r3u-`: the turn, the status by its first letter, and a dash where the entry judges nothing. */
const recentFrom = (stored: string): readonly RecentEntry[] =>
  [...stored.matchAll(/(\d+)([vrpu])(-?)/g)].map(([, turn, letter, dash]) => ({
    turn: Number(turn),
    status: STATUS_OF[letter as keyof typeof STATUS_OF],
    judges: dash === '',
  }))

const STATUS_OF = { v: 'verified', r: 'rejected', p: 'pending', u: 'unknown' } as const

const recentText = (recent: readonly RecentEntry[]): string =>
  recent.map(({ turn, status, judges }) => `${turn}${status[0]}${judges ? '' : '-'}`).join('')

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
  recent: z.string().default('').transform(recentFrom),
  /** How often a judge rejected it; how often right after a judgement that had verified it. */
  rejections: counter,
  flips: counter,
  /** The first turn in which it was promised complete, and whether it was rejected with evidence in that one or later. */
  completeTurn: maybeTurn,
  isBrokenPromise: z.boolean().default(false),
}

const progressOfNone = z.object(progressShape)
export type Progress = z.output<typeof progressOfNone>

/** Of a criterion that is named for the first time. */
export const notYetNamed = ({ turn, position }: { turn: number; position: number }): Progress =>
  progressOfNone.parse({ firstTurn: turn, firstPosition: position })

const storedProgress = columns({ rev: z.number(), ...progressShape })
const STORED = ['rev', ...Object.keys(progressShape)] as (keyof z.output<typeof storedProgress>)[]

/** Where a criterion is, and the revision of the ledger it was derived at; null: half of a commit. */
export type ProgressAtRevision = { rev: number; progress: Progress } | null

/**
 * What an edge (:World)-[:PROGRESS]->(:Criterion) keeps for the next capture or context: one text, so that no
 * reader meets a part of it, and that it costs one value and not twenty. It is the list of the values without
 * their names, a quarter as long. What stands beside it is for analysts.
 */
export const progressRow = text.transform((list): ProgressAtRevision => {
  if (list === null) return null
  const { rev, ...progress } = storedProgress.parse(JSON.parse(list))
  return { rev, progress }
})

export const progressProperties = (
  progress: Progress,
  rev: number,
): { kept: string; state: string; rejections: number } => {
  const record = { rev, ...progress, recent: recentText(progress.recent) }
  const { state, rejections } = progress
  return { kept: JSON.stringify(STORED.map((name) => record[name])), state, rejections }
}

/** A world counts up the revisions of its edges: a reader that raced a commit sees another sum. */
export const progressIsWhole = (progressSum: number, edges: readonly ProgressAtRevision[]): boolean =>
  edges.reduce((sum, edge) => sum + (edge?.rev ?? Number.NaN), 0) === progressSum

const storedOutcome = columns({
  turn: z.number(),
  decision: z.enum(COUNTED_DECISIONS),
  signature: z.string(),
  blocking: z.number(),
  gates: z.array(z.string()),
  failedGates: z.array(z.string()).default([]),
  testsFailed: z.number().nullable().default(null),
  quote: z.string().default(''),
  causes: z.array(columns({ signature: z.string(), identifiers: z.array(z.string()) })).default([]),
})

/** How a counted turn ended, as one text: on the turn, and of the newest turns on the world. */
export const outcomeText = z.string().transform((list): Outcome => storedOutcome.parse(JSON.parse(list)))

export const outcomeRow = (outcome: Outcome | null): string | null =>
  outcome === null
    ? null
    : JSON.stringify([
        outcome.turn,
        outcome.decision,
        outcome.signature,
        outcome.blocking,
        outcome.gates,
        outcome.failedGates,
        outcome.testsFailed,
        outcome.quote,
        outcome.causes.map(({ signature, identifiers }) => [signature, identifiers]),
      ])
