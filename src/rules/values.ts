/** Lists the allowed words of properties, which the records of the capabilities and the model share. */
import * as z from 'zod'

export const COACH_DECISIONS = ['approved', 'feedback', 'rejected', 'deferred', 'error', 'unknown'] as const
export type CoachDecision = (typeof COACH_DECISIONS)[number]

export const PLAYER_DECISIONS = ['implemented', 'failed', 'blocked', 'unknown'] as const
export type PlayerDecision = (typeof PLAYER_DECISIONS)[number]

export const MODES = ['fresh_start', 'recovering_state', 'continuing_work'] as const
export type Mode = (typeof MODES)[number]

export const CRITERION_STATUSES = ['verified', 'rejected', 'pending', 'unknown'] as const
export type CriterionStatus = (typeof CRITERION_STATUSES)[number]

/** Proof of a declared criterion: the code, the exit of a command, or a person. */
export const CRITERION_KINDS = ['code', 'command', 'manual'] as const
export type CriterionKind = (typeof CRITERION_KINDS)[number]

/** Where a list of changed files comes from. A list without a source is the Player's claim. */
export const FILES_SOURCES = ['git'] as const

export const PROMISE_STATUSES = ['complete', 'partial', 'incomplete', 'uncertain'] as const
export type PromiseStatus = (typeof PROMISE_STATUSES)[number]

export const SEVERITIES = ['blocking', 'should_fix', 'advisory'] as const
export type Severity = (typeof SEVERITIES)[number]

/** The feature of a turn whose sources do not name one. */
export const UNKNOWN_FEATURE = 'FEAT-UNKNOWN'

export const SOURCES = ['coach', 'validator', 'gate', 'command', 'person', 'player'] as const
export type Source = (typeof SOURCES)[number]

export const GATE_STATUSES = ['passed', 'failed', 'unknown'] as const

export const TURN_RUN_STATUSES = [
  'running',
  'cancel_requested',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
] as const
export type TurnRunStatus = (typeof TURN_RUN_STATUSES)[number]

export const ATTEMPT_STATUSES = ['running', 'committed', 'failed', 'interrupted'] as const
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number]
/** An attempt with such a status has ended without the record of a turn. */
export const WITHOUT_RECORD: ReadonlySet<AttemptStatus> = new Set(['failed', 'interrupted'])

/** Origin of a number: the default, or the caller. */
export const COUNT_SOURCES = ['default', 'explicit'] as const

/** Reasons that end a turn run early if its world lists them, in the order in which they are checked. */
export const STOP_REASONS = ['approved', 'all_verified', 'all_observed', 'stalled', 'budget'] as const
export type StopReason = (typeof STOP_REASONS)[number]

/** Policies for a run that a restart interrupted: a new run resumes it or not. */
export const RESUME_POLICIES = ['never', 'auto'] as const

/** Origins of a transcript turn. A message from another program has the origin that the transcript names. */
export const TRANSCRIPT_TURN_KINDS = [
  'human',
  'skill',
  'command',
  'bash',
  'task_notification',
  'teammate',
  'subagent',
  'continuation',
] as const
export type TranscriptTurnKind = string

export const TURN_KIND_DESCRIPTION = `what began the turn: ${TRANSCRIPT_TURN_KINDS.join(', ')}, or another origin that the transcript names, such as peer, coordinator or channel`

export const TRANSCRIPT_TURN_STATUSES = ['complete', 'interrupted', 'open'] as const

export const STEP_STATUSES = ['ok', 'error', 'denied', 'interrupted', 'pending'] as const
export type StepStatus = (typeof STEP_STATUSES)[number]

// Columns and properties as statements return them: null for an absent value, and an empty list for an absent list.

export const optionalText = z.string().nullable().default(null)

export const optionalNumber = z.number().nullable().default(null)

export const textList = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? [])

const list = z.custom<unknown[]>(Array.isArray, 'expected a list')

/** Decodes a row in the form of a list, at half the cost of a map: its columns by name, in the order of the statement. */
export const columns = <const S extends z.ZodRawShape>(shape: S) => {
  const names = Object.keys(shape)
  return z.codec(list, z.object(shape), {
    decode: (values) => {
      // A context decodes hundreds of lists; Object.fromEntries takes ten times as long.
      const row: { [name: string]: unknown } = {}
      for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i]
      return row as z.input<z.ZodObject<S>>
    },
    encode: (value) => {
      const values = names.map((name) => value[name as keyof typeof value])
      // Omits a last null to save space: an absent value decodes to the default.
      return values.at(-1) === null ? values.slice(0, -1) : values
    },
  })
}
