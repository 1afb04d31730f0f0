/** Declares the views of criteria, promises and stalls: the Player sees the progress, the Coach also the reasons (invariant 9). */
import * as z from 'zod'
import { BASES } from '../../rules/basis.ts'
import { observedOn } from '../../rules/observation.ts'
import type { LedgerEntry, Progress } from '../../rules/progress.ts'
import { HISTORY_SHOWN } from '../../rules/progress.ts'
import { CRITERION_KINDS, CRITERION_STATUSES, PROMISE_STATUSES, SOURCES } from '../../rules/values.ts'
import { turnState } from '../record/record.ts'

export const ROLES = ['player', 'coach'] as const
export type Role = (typeof ROLES)[number]

export const historyEntry = z.object({
  turn: z.number(),
  status: z.enum(CRITERION_STATUSES),
  source: z.enum(SOURCES),
  evidence: z.string().nullable(),
  addedAt: z.string().optional().describe('only if it was added to the turn after its end: when'),
})

export const criterionState = z.object({
  criterionId: z.string(),
  key: z.string(),
  text: z.string().nullable(),
  aliases: z.array(z.object({ label: z.string(), source: z.string() })),
  state: z.enum(['verified', 'rejected', 'pending']),
  verifiedInTurn: z.number().nullable(),
  lastTurn: z.number().nullable(),
  basis: z
    .enum(BASES)
    .nullable()
    .describe(
      "how its newest verification is known: by an observation, by a judge's own text, by the Player's text for it, by the Player's text for another criterion, or by no text; null: it is not verified",
    ),
  observedOn: observedOn.optional().describe('only if its basis is `observed`: the files that were checked'),
  refuted: z
    .boolean()
    .describe('verified, and rejected later with evidence of its own, without a verification since'),
  contested: z.object({ turn: z.number(), reason: z.string().nullable().optional() }).nullable(),
  history: z.array(historyEntry).optional().describe('role coach only: the newest 20, oldest first'),
  historyOmitted: z.number().optional(),
  promise: z.object({ turn: z.number(), status: z.enum(PROMISE_STATUSES) }).nullable(),
  stale: z
    .object({ turn: z.number(), files: z.array(z.string()) })
    .optional()
    .describe(
      'verified, and since then a turn touched files of its proof, or a version worded it anew (no files)',
    ),
  declared: z
    .boolean()
    .optional()
    .describe('only where the task declares what must hold; false: it is not among that, and does not count'),
  kind: z.enum(CRITERION_KINDS).optional().describe('of a declared one'),
  judged: z.boolean().optional().describe('of a declared one; false: no judge has named it so far'),
  rewordedInVersion: z.number().optional(),
  retiredInVersion: z.number().optional(),
})

export type ShownCriterion = z.output<typeof criterionState>

/** How many of the criteria that count are proven, and how. */
export const criterionCounts = {
  verified: z.number().describe('number of counting criteria that are verified, including contested ones'),
  observed: z.number().describe('verified by an observation'),
  judged: z.number().describe("verified in a judge's own words"),
  repeated: z.number().describe("verified in the Player's words for the same criterion"),
  misplaced: z.number().describe("verified in the Player's words for another criterion"),
  bare: z.number().describe('verified without evidence'),
  contested: z.number().describe('verified, and rejected later'),
  refuted: z.number().describe('verified, and rejected later with evidence of its own'),
}

/** State of a criterion: the part that every role sees, and the turns from which the rest is derived. */
export type CriterionState = Omit<ShownCriterion, 'contested' | 'history' | 'historyOmitted'> & {
  contestedInTurn: number | null
  /** Newest turn in which a judge explicitly verified the criterion. */
  lastVerifiedTurn: number | null
}

export const promisedCriterion = criterionState.pick({
  criterionId: true,
  key: true,
  text: true,
  promise: true,
})

export type PromisedCriterion = z.output<typeof promisedCriterion>

const promiseItem = turnState.shape.promises.element
  .omit({ criterionId: true })
  .extend({
    criterionId: z.string().describe('as resolved: the label shown for the criterion'),
    label: z.string().describe('as the Player gave it'),
    givenLabel: z.string().describe('the same: as every label of an answer that was given otherwise'),
    criterionText: z.string().nullable().describe('the text shown for the criterion'),
    key: z.string(),
  })
  .partial({ evidence: true })

export const promisesView = z.object({
  source: z.enum(['current', 'recovered', 'none']),
  recoveredFromTurn: z.number().optional(),
  message: z.string().optional().describe('that they were recovered, or that the task is not known'),
  items: z.array(promiseItem),
})

export type PromisesView = z.output<typeof promisesView>

export const VERDICTS = [
  'insufficient_data',
  'progressing',
  'no_growth',
  'plateau',
  'oscillating',
  'stalled',
  'blocked',
  'finished',
] as const

/** Verdict on the progress of a session. */
const stall = z.object({
  verdict: z.enum(VERDICTS),
  shouldStop: z.boolean(),
  reason: z.string(),
  sinceTurn: z.number().nullable().describe('the first turn that the verdict looked at'),
  window: z.number().describe('how many feedback turns the verdict looked at'),
  signatures: z.array(
    z.object({ turn: z.number(), signature: z.string(), blocking: z.number(), verifiedTotal: z.number() }),
  ),
  suggestion: z.string().nullable(),
  criteriaLeft: z.array(z.string()),
})

export type Stall = z.output<typeof stall> & {
  /** Suggestion for a Player. The other suggestion names gates and rejections. */
  playerSuggestion: string | null
}

/** Only the Coach gets the reason and the complaints. A Player gets a suggestion without gates and evidence. */
export const stallView = stall.partial({ reason: true, suggestion: true }).extend({
  signatures: z.array(
    stall.shape.signatures.element.extend({
      signature: z.string().optional().describe('equal where the complaints are the same'),
      blocking: z.number().optional().describe('how many blocking issues'),
    }),
  ),
})

export type StallView = z.output<typeof stallView>

/** Returns the view of a criterion for a role. A Player sees no history. */
export function shownCriterion(
  state: CriterionState,
  role: Role,
  { progress }: { progress: ReadonlyMap<string, Progress> },
  histories: ReadonlyMap<string, readonly LedgerEntry[]> | null,
): ShownCriterion {
  const { lastVerifiedTurn, contestedInTurn, ...criterion } = state
  if (role === 'player') {
    return { ...criterion, contested: contestedInTurn === null ? null : { turn: contestedInTurn } }
  }
  const history = histories?.get(state.key) ?? []
  const shown = history.slice(-HISTORY_SHOWN)
  const omitted = (progress.get(state.key)?.entries ?? 0) - shown.length
  return {
    ...criterion,
    contested:
      contestedInTurn === null ? null : { turn: contestedInTurn, reason: reasonIn(contestedInTurn, history) },
    history: shown.map(({ turn, status, source, evidence, addedAt }) => ({
      ...{ turn, status, source, evidence },
      ...(addedAt !== null && { addedAt }),
    })),
    ...(omitted === 0 ? {} : { historyOmitted: omitted }),
  }
}

/** Returns the last reason of a judge in the contesting turn, because another judge may reject without a reason. */
const reasonIn = (contested: number, history: readonly LedgerEntry[]): string | null =>
  history.findLast(
    ({ turn, status, source, evidence }) =>
      turn === contested && status === 'rejected' && source !== 'player' && Boolean(evidence?.trim()),
  )?.evidence ?? null

/** Returns the stall view for a role. The Player sees the verdict and the remaining criteria, but no internals (invariant 9). */
export function stallFor(role: Role, stall: Stall): StallView {
  const { playerSuggestion, ...told } = stall
  if (role === 'coach') return told
  const { reason, suggestion, signatures, ...open } = told
  return {
    ...open,
    ...(playerSuggestion !== null && { suggestion: playerSuggestion }),
    signatures: signatures.map(({ turn, verifiedTotal }) => ({ turn, verifiedTotal })),
  }
}

const WARNED: ReadonlySet<string> = new Set(['plateau', 'oscillating', 'stalled', 'blocked'])

export const isWarned = ({ verdict }: Pick<StallView, 'verdict'>): boolean => WARNED.has(verdict)

export function stallWarning(
  role: Role,
  stall: Pick<StallView, 'verdict' | 'reason' | 'suggestion' | 'sinceTurn' | 'criteriaLeft'>,
): string | null {
  if (!isWarned(stall)) return null
  if (role === 'coach') return [`${stall.verdict}. ${stall.reason}`, stall.suggestion ?? ''].join(' ').trim()
  const left = stall.criteriaLeft.length === 0 ? '' : `; criteria left: ${stall.criteriaLeft.join(', ')}`
  const suggested = stall.suggestion == null ? '' : `. ${stall.suggestion}`
  return `${stall.verdict} since turn ${stall.sinceTurn}${left}${suggested}`
}
