import * as z from 'zod'
import { canonicalInstant } from '../../core/instants.ts'
import { optionalNumber as number, textList as strings, optionalText as text } from '../../graph/columns.ts'
import {
  COACH_DECISIONS,
  CRITERION_STATUSES,
  GATE_STATUSES,
  MODES,
  PLAYER_DECISIONS,
  PROMISE_STATUSES,
  SEVERITIES,
  SOURCES,
} from '../../graph/model/values.ts'
import type { TurnState } from './record.ts'

/** What the graph keeps of turns, decoded. */

const json = text.transform((value) => (value === null ? null : (JSON.parse(value) as unknown)))

/** Engines print instants with more or fewer zeros: one form leaves. */
export const instantRow = text.transform((value) => (value === null ? null : canonicalInstant(value)))

const verificationRow = z.object({
  position: z.number(),
  form: z.enum(['status', 'entry']),
  criterionId: z.string(),
  criterionText: text,
  status: z.enum(CRITERION_STATUSES),
  source: z.enum(SOURCES),
  evidence: text,
})

export const promiseRow = z.object({
  position: z.number(),
  criterionId: z.string(),
  criterionText: text,
  status: z.enum(PROMISE_STATUSES),
  evidence: text,
  evidenceType: text,
  confidence: number,
  testFile: text,
  implementationFiles: strings,
})

const issueRow = z.object({
  position: z.number(),
  severity: z.enum(SEVERITIES),
  severityRaw: z.string(),
  category: text,
  description: z.string(),
  criterionIds: strings,
  suggestion: text,
  details: json,
})

const gateRow = z.object({ position: z.number(), name: z.string(), status: z.enum(GATE_STATUSES) })

const turnRow = z.object({
  key: z.string(),
  id: z.string(),
  number: z.number(),
  playerSummary: z.string(),
  playerDecision: z.enum(PLAYER_DECISIONS),
  playerDecisionRaw: text,
  coachDecision: z.enum(COACH_DECISIONS),
  coachDecisionRaw: text,
  coachFeedback: text,
  mode: z.enum(MODES),
  blockersFound: strings,
  progressSummary: z.string(),
  testsPassed: number,
  testsFailed: number,
  coverage: number,
  archScore: number,
  startedAt: instantRow,
  completedAt: instantRow,
  createdAt: instantRow,
  durationSeconds: number,
  lessonsFromTurn: strings,
  whatToTryNext: text,
  filesModified: strings,
  commit: text,
  transcriptSessionIds: strings,
  extra: json,
  verificationCount: z.number(),
  promiseCount: z.number(),
  issueCount: z.number(),
  gateCount: z.number(),
})

/** A turn with its parts, as `turns/_record` and `turns/_context` return them. */
export const turnWithParts = z.object({
  turn: turnRow,
  verifications: z.array(verificationRow),
  promises: z.array(promiseRow),
  issues: z.array(issueRow),
  gates: z.array(gateRow),
})

export type TurnWithParts = z.output<typeof turnWithParts>

type Counts = Pick<TurnWithParts['turn'], 'verificationCount' | 'promiseCount' | 'issueCount' | 'gateCount'>
type Parts = { [part in 'verifications' | 'promises' | 'issues' | 'gates']: readonly unknown[] }

/** False for what a reader sees of a half-visible commit. */
export const isWhole = ({
  turn,
  verifications,
  promises,
  issues,
  gates,
}: { turn: Counts } & Parts): boolean =>
  turn.verificationCount === verifications.length &&
  turn.promiseCount === promises.length &&
  turn.issueCount === issues.length &&
  turn.gateCount === gates.length

export type WorldScope = { project: string; featureId: string; taskId: string; worldSlug: string }

export function toTurnState(
  row: TurnWithParts,
  { project, featureId, taskId, worldSlug }: WorldScope,
): TurnState {
  const { number: turnNumber, verificationCount, promiseCount, issueCount, gateCount, ...turn } = row.turn
  const verifications = row.verifications.toSorted(byPosition)
  const fromMap = verifications.filter(({ form }) => form === 'status')
  return {
    ...turn,
    project,
    featureId,
    taskId,
    worldSlug,
    turnNumber,
    createdAt: turn.createdAt ?? '',
    extra: (turn.extra ?? {}) as TurnState['extra'],
    acceptanceCriteriaStatus: Object.fromEntries(
      fromMap.map(({ criterionId, status }) => [criterionId, status]),
    ),
    verifications: verifications
      .filter(({ form }) => form === 'entry')
      .map(({ position, form, ...verification }) => verification),
    promises: row.promises.toSorted(byPosition).map(({ position, ...promise }) => promise),
    issues: issuesFrom(row.issues),
    gates: Object.fromEntries(row.gates.toSorted(byPosition).map(({ name, status }) => [name, status])),
  }
}

export const issuesFrom = (rows: TurnWithParts['issues']): TurnState['issues'] =>
  rows.toSorted(byPosition).map(({ position, ...issue }) => issue as TurnState['issues'][number])

const byPosition = (a: { position: number }, b: { position: number }): number => a.position - b.position
