/**
 * Declares the turn record (seed 000's TurnStateEntity with the additions of real sessions; contract: turns.md): the input, and
 * the output, which derives from the stored fields. The snake_case wire form derives from both.
 */
import * as z from 'zod'
import {
  exactJson,
  instant,
  integerBetween,
  LIMITS,
  label,
  list,
  map,
  name,
  nameOrEmpty,
  text,
} from '../../core/fields.ts'
import { recordShape } from '../../graph/model/derived.ts'
import { nodes, turnFields, verificationFields } from '../../graph/model/nodes.ts'
import { findContradiction } from '../../rules/observation.ts'
import {
  COACH_DECISIONS,
  CRITERION_STATUSES,
  FILES_SOURCES,
  GATE_STATUSES,
  PLAYER_DECISIONS,
  SEVERITIES,
  SOURCES,
  UNKNOWN_FEATURE,
} from '../../rules/values.ts'
import { observation, observationInput } from './observation.ts'
import { judge, judgeInput, player, playerInput } from './turn-agents.ts'
import { turnUsage, usageInput } from './usage.ts'
import {
  COACH_DECISION_WORDS,
  criterionStatus,
  decision,
  mode,
  PLAYER_DECISION_WORDS,
  promiseStatus,
  SEVERITY_WORDS,
  toPlayerDecision,
} from './words.ts'

const amount = z.number().min(0)
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

export const criterionId = label.regex(/\S/, 'is empty; name the criterion by its id')

/** A verification as it is sent, in a turn or as an addition to one. */
export const verificationInput = z.strictObject({
  criterionId,
  criterionText: text.nullish(),
  status: criterionStatus,
  source: z.enum(SOURCES).nullish(),
  evidence: text.nullish(),
  files: list(text).nullish().describe('what it is about: a later change of one makes the proof stale'),
  judge: judgeInput.nullish().describe('agent that judged, if it is another one than the judge of the turn'),
  observation: observationInput.nullish().describe('observed result of a command or a test report'),
})

/** Verifications as they are sent. An observation must fit the status. */
export const listOfVerifications = <S extends z.ZodType<VerificationInput>>(entry: S) =>
  list(entry).superRefine((verifications, context) => {
    for (const [i, { status, observation: seen }] of verifications.entries()) {
      const message = seen == null ? null : findContradiction({ status, seen })
      if (message !== null) context.addIssue({ code: 'custom', path: [i, 'observation'], message })
    }
  })

export type VerificationInput = z.output<typeof verificationInput>

const promiseInput = z.strictObject({
  criterionId,
  criterionText: text.nullish(),
  status: promiseStatus,
  evidence: text.nullish(),
  evidenceType: label.nullish(),
  confidence: z.number().nullish(),
  testFile: text.nullish(),
  implementationFiles: list(text).nullish(),
})

const issueFieldsInput = z.strictObject({
  severity: decision(SEVERITY_WORDS).describe(`${SEVERITIES.join(', ')}, or a synonym`),
  severityRaw: label
    .nullish()
    .describe('of a record that was read back: the word that severity was given as'),
  category: label.nullish(),
  description: text,
  criterionIds: list(label).nullish(),
  suggestion: text.nullish(),
  details: exactJson.optional(),
})

/** JSON texts of values without content. */
const EMPTY = ['{}', '[]', '""']

/** Checks whether an issue has content besides its severity. An import leaves out other issues with a warning. */
const hasContent = (issue: Omit<z.output<typeof issueFieldsInput>, 'severity'>): boolean =>
  [issue.description, issue.category, issue.suggestion].some((value) => /\S/.test(value ?? '')) ||
  [issue.criterionIds, issue.details].some((value) => !EMPTY.includes(JSON.stringify(value ?? {})))

const issueInput = issueFieldsInput.refine(hasContent, {
  path: ['description'],
  error: 'is empty; describe the issue, or leave the issue out',
})

/** Fields of a record that was read back, or of `to_episode_body` in seed 000. They are checked in derived-keys.ts. */
const readBackKeys = {
  entityType: z
    .literal('turn_state', 'must be "turn_state", or left out')
    .nullish()
    .describe('of an episode body, which is taken as it is'),
  id: text.nullish().describe('for display; not used, it follows from feature_id and turn_number'),
  key: text.nullish().describe('of a record that was read back: must be that of its world and turn'),
  createdAt: instant
    .nullish()
    .describe('of a record that was read back: not used, storing it again has its own'),
  recordedBy: text
    .nullish()
    .describe('of a record that was read back: not used, the service knows the token'),
  playerDecisionRaw: label
    .nullish()
    .describe('of a record that was read back: the word that player_decision was given as'),
  coachDecisionRaw: label
    .nullish()
    .describe('of a record that was read back: the word that coach_decision was given as'),
}

export const turnInput = z.strictObject({
  project: name.nullish().describe("default: the connection's project"),
  featureId: nameOrEmpty.describe(`"": that of the world, otherwise ${UNKNOWN_FEATURE}`),
  taskId: name,
  worldSlug: name.nullish().describe('default: the newest world of the task'),
  turnNumber: integerBetween(1, LIMITS.turnNumber),
  playerSummary: text.describe('what the Player implemented or attempted'),
  playerDecision: decision(PLAYER_DECISION_WORDS, toPlayerDecision)
    .nullish()
    .describe(`${PLAYER_DECISIONS.join(', ')}, or a synonym; a Coach's decision counts as implemented`),
  coachDecision: decision(COACH_DECISION_WORDS)
    .nullish()
    .describe(`${COACH_DECISIONS.join(', ')}, or a synonym`),
  judge: judgeInput.nullish().describe('agent that judged the turn'),
  player: playerInput.nullish().describe('agent that played the turn'),
  coachFeedback: text.nullish(),
  deliveredFeedback: text
    .nullish()
    .describe('feedback of the previous judgement, as the Player of this turn got it'),
  mode: mode.nullish(),
  recovered: z.boolean().optional().describe('true: the mode defaults to recovering_state'),
  blockersFound: list(text).optional(),
  lessonsFromTurn: list(text).optional(),
  filesModified: list(text).optional(),
  filesSource: z
    .enum(FILES_SOURCES)
    .nullish()
    .describe(
      'git: git shows these files as changed, so that no issue denies one; default: the Player claims them',
    ),
  progressSummary: text.optional(),
  acceptanceCriteriaStatus: map(criterionId, criterionStatus)
    .optional()
    .describe('criterion → status, the short form of `verifications`'),
  verifications: listOfVerifications(verificationInput).optional(),
  promises: list(promiseInput).optional(),
  issues: list(issueInput).optional(),
  gates: map(label.regex(/\S/, 'is empty; name the gate'), z.enum(GATE_STATUSES)).optional(),
  testsPassed: count.nullish(),
  testsFailed: count.nullish(),
  coverage: amount.nullish(),
  archScore: amount.nullish(),
  startedAt: instant.nullish(),
  completedAt: instant.nullish().describe('default: now; null: not known'),
  durationSeconds: amount.nullish(),
  whatToTryNext: text.nullish(),
  commit: label.nullish(),
  transcriptSessionIds: list(label).optional(),
  usage: usageInput.nullish().describe('tokens of its agents; counts if its transcripts are not known'),
  extra: z.record(z.string(), exactJson).optional().describe('kept as it came'),
  ...readBackKeys,
})

/** `POST /v1/turns`: the record, and the handling of another record at the same turn. */
export const captureRequest = turnInput.extend({
  onConflict: z.enum(['error', 'supersede']).optional().describe('supersede: replace, and keep the old one'),
  createWorld: z
    .boolean()
    .optional()
    .describe('true: make a world that does not exist, also above turn 1 of a task that has worlds'),
})

export type CaptureRequest = z.output<typeof captureRequest>

const notInRecord = { position: true, project: true } as const

export const verification = z.object({
  ...recordShape(verificationFields),
  files: z.array(z.string()).optional().describe('only where it names some'),
  judge: judge.optional().describe('only if it is named'),
  observation: observation.optional().describe('only if something was observed'),
})
const promise = z.object(recordShape(nodes.Promise.properties.omit(notInRecord).shape))
const issue = z.object({
  ...recordShape(nodes.Issue.properties.omit({ ...notInRecord, signature: true }).shape),
  details: z.json(),
})

export const turnContent = z.object(recordShape(turnFields))

/** Fields after the parts in a record. All other fields come before the parts. */
const BEHIND_PARTS = {
  testsPassed: true,
  testsFailed: true,
  coverage: true,
  archScore: true,
  startedAt: true,
  completedAt: true,
  durationSeconds: true,
  lessonsFromTurn: true,
  whatToTryNext: true,
  filesModified: true,
  filesSource: true,
  commit: true,
  transcriptSessionIds: true,
  usage: true,
  extra: true,
  createdAt: true,
  recordedBy: true,
} as const

/** Turn as stored and returned: every field, with defaults. */
export const turnState = z.object({
  id: z.string().describe('TURN-{feature_id}-{turn_number}: for display only'),
  key: z.string(),
  project: z.string(),
  featureId: z.string(),
  taskId: z.string(),
  worldSlug: z.string(),
  turnNumber: z.number(),
  ...turnContent.omit(BEHIND_PARTS).shape,
  acceptanceCriteriaStatus: z.record(z.string(), z.enum(CRITERION_STATUSES)),
  verifications: z.array(verification),
  promises: z.array(promise),
  issues: z.array(issue),
  gates: z.record(z.string(), z.enum(GATE_STATUSES)),
  ...turnContent.pick(BEHIND_PARTS).shape,
  usage: turnUsage.nullable().describe('tokens that the turn reports; null if it reports none'),
  extra: z.record(z.string(), z.json()),
  judge: judge.optional().describe('agent that judged the turn; only if it is named'),
  player: player.optional().describe('agent that played the turn; only if it is named'),
})

export type TurnState = z.output<typeof turnState>
/** Record of a turn whose world is not chosen yet. */
export type TurnRecord = Omit<TurnState, 'key' | 'project' | 'worldSlug'>
export type Verification = z.output<typeof verification>
export type TurnPromise = z.output<typeof promise>
export type Issue = z.output<typeof issue>
