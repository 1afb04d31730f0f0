/** Declares the events. Each has the current state, so that a repeated event does no harm (contract: events.md). */
import * as z from 'zod'
import { criterionCounts, VERDICTS } from '../memory/criteria/views.ts'
import { COACH_DECISIONS } from '../rules/values.ts'
import { turnRunStatus } from '../runs/views.ts'

const everyEvent = {
  project: z.string(),
  version: z
    .number()
    .describe('rises with every change of what the event is about: keep the highest that you saw'),
  changedAt: z.string().describe("by the database's clock"),
}

export const sessionEvent = z.object({
  type: z.literal('session'),
  ...everyEvent,
  worldSlug: z.string(),
  featureId: z.string(),
  taskId: z.string(),
  currentTurn: z.number(),
  decision: z.enum(COACH_DECISIONS).nullable().describe("the Coach's in the newest turn"),
  ...criterionCounts,
  total: z.number().describe('how many criteria count'),
  verdict: z.enum(VERDICTS).describe('that of stall analysis'),
  activeTurnRunId: z.string().nullable(),
  activeAttemptId: z.string().nullable(),
  deletedAt: z.string().nullable(),
})

export const runEvent = z.object({ type: z.literal('run'), ...everyEvent, ...turnRunStatus.shape })

export const importEvent = z.object({
  type: z.literal('import'),
  ...everyEvent,
  sessionId: z.string().describe('of the transcript; `{session}/{agent}` for that of a subagent'),
  bytes: z.number().describe('how far it is read'),
  isWhole: z.boolean().describe('false while more of it is being written'),
})

export const eventSchemas = { session: sessionEvent, run: runEvent, import: importEvent }

export type SessionEvent = z.output<typeof sessionEvent>
export type RunEvent = z.output<typeof runEvent>
export type ImportEvent = z.output<typeof importEvent>
export type ChangeEvent = SessionEvent | RunEvent | ImportEvent

/** Interval of the comments in an idle stream: proxies close a silent connection. */
export const HEARTBEAT_MS = 15_000
