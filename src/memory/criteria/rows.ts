import * as z from 'zod'
import { PROMISE_STATUSES, textList as strings, optionalText as text } from '../../graph/model/values.ts'
import type { Criterion } from './identity.ts'
import { COUNTED_DECISIONS, type Outcome } from './signature.ts'
import type { Progress, RecentEntry } from './state.ts'

/** What the graph keeps of criteria, decoded. */

/** A criterion's columns: key, texts, their sources, labels, their sources, what it merged into, its world. */
export const criterionRow = z.tuple([z.string(), strings, strings, strings, strings, text, text]).transform(
  ([key, texts, textSources, labels, labelSources, mergedInto, worldKey]): Criterion => ({
    key,
    texts: texts.map((held, i) => ({ text: held, source: textSources[i] ?? '' })),
    aliases: labels.map((label, i) => ({ label, source: labelSources[i] ?? '' })),
    mergedInto,
    worldKey,
  }),
)

const standing = z.enum(['verified', 'rejected', 'pending'])
const maybeTurn = z.number().nullable()

const keptProgress = z.object({
  rev: z.number(),
  firstTurn: z.number(),
  firstPosition: z.number(),
  label: z.string().nullable(),
  firstJudgedTurn: maybeTurn,
  lastTurn: maybeTurn,
  lastVerifiedTurn: maybeTurn,
  state: standing,
  verifiedInTurn: maybeTurn,
  contestedInTurn: maybeTurn,
  evidenceState: standing,
  evidenceVerifiedInTurn: maybeTurn,
  evidenceContestedInTurn: maybeTurn,
  latestState: standing,
  latestVerifiedInTurn: maybeTurn,
  promiseTurn: maybeTurn,
  promiseStatus: z.enum(PROMISE_STATUSES).nullable(),
  promiseLabel: z.string().nullable(),
  evidencedRejectionTurn: maybeTurn,
  entries: z.number(),
  recent: z.string().transform(recentFrom),
  rejections: z.number(),
  flips: z.number(),
  completeTurn: maybeTurn,
  isBrokenPromise: z.boolean(),
})

/** `1v2r3u-`: the turn, the status by its first letter, and a dash where the entry judges nothing. */
function recentFrom(text: string): RecentEntry[] {
  return [...text.matchAll(/(\d+)([vrpu])(-?)/g)].map(([, turn, letter, dash]) => ({
    turn: Number(turn),
    status: STATUS_OF[letter as keyof typeof STATUS_OF],
    judges: dash === '',
  }))
}

const STATUS_OF = { v: 'verified', r: 'rejected', p: 'pending', u: 'unknown' } as const

const recentText = (recent: readonly RecentEntry[]): string =>
  recent.map(({ turn, status, judges }) => `${turn}${status[0]}${judges ? '' : '-'}`).join('')

const KEPT = Object.keys(keptProgress.shape) as (keyof z.output<typeof keptProgress>)[]

/** Where a criterion stands, and the revision of the ledger it was derived at; null: half of a commit. */
export type KeptProgress = { rev: number; progress: Progress } | null

/**
 * What an edge (:World)-[:PROGRESS]->(:Criterion) keeps for the next capture or context: one text, so that no
 * reader meets a part of it, and that it costs one value and not twenty. It is the list of the values without
 * their names, a quarter as long. What stands beside it is for analysts.
 */
export const progressRow = text.transform((kept): KeptProgress => {
  if (kept === null) return null
  const values = JSON.parse(kept) as unknown[]
  const { rev, ...progress } = keptProgress.parse(
    Object.fromEntries(KEPT.map((name, i) => [name, values[i]])),
  )
  return { rev, progress }
})

export const progressProperties = (
  progress: Progress,
  rev: number,
): { kept: string; state: string; rejections: number } => {
  const record = { rev, ...progress, recent: recentText(progress.recent) }
  const { state, rejections } = progress
  return { kept: JSON.stringify(KEPT.map((name) => record[name])), state, rejections }
}

/** A world counts up the revisions of its edges: a reader that raced a commit sees another sum. */
export const progressIsWhole = (progressSum: number, edges: readonly KeptProgress[]): boolean =>
  edges.reduce((sum, edge) => sum + (edge?.rev ?? Number.NaN), 0) === progressSum

const keptOutcome = z.tuple([
  z.number(),
  z.enum(COUNTED_DECISIONS),
  z.string(),
  z.number(),
  z.array(z.string()),
])

/** How a counted turn ended, as one text: on the turn, and of the newest turns on the world. */
export const outcomeText = z.string().transform((kept): Outcome => {
  const [turn, decision, signature, blocking, gates] = keptOutcome.parse(JSON.parse(kept))
  return { turn, decision, signature, blocking, gates }
})

export const outcomeRow = (outcome: Outcome | null): string | null =>
  outcome === null
    ? null
    : JSON.stringify([outcome.turn, outcome.decision, outcome.signature, outcome.blocking, outcome.gates])
