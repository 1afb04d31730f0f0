/** Declares a turn of a transcript, while it is read and when it is complete. */
import * as z from 'zod'
import { STEP_STATUSES, TRANSCRIPT_TURN_STATUSES } from '../rules/values.ts'
import { formatPattern } from './pattern.ts'
import { openUsage, sumUsage, usage } from './usage.ts'

/** A tool call, without any of its input or output (invariant 10). */
const step = z.object({
  id: z.string(),
  tool: z.string(),
  status: z.enum(STEP_STATUSES),
  /** The response with the call. Calls of the same response run in parallel. */
  response: z.string(),
  /** The uuid of the record with the call. Its result names this record. */
  record: z.string().nullable(),
  startedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  /** The error message, only for the status `error`. It must be scrubbed before it is stored. */
  error: z.string().nullable(),
  agentId: z.string().nullable(),
})
export type Step = z.output<typeof step>

/** A turn that is being read. It is plain data, because open turns at the end of a file are stored in the graph and restored. */
export const openTurn = z.object({
  id: z.string(),
  index: z.number(),
  kind: z.string(),
  promptId: z.string().nullable(),
  startedAt: z.string().nullable(),
  /** The time of the thread's last record in the turn. */
  lastAt: z.string().nullable(),
  /** The duration in the last `turn_duration`. Stored under this name in the file's state. */
  toldMs: z.number().nullable(),
  /** True if the end of the turn was read after its last call. */
  finished: z.boolean(),
  interrupted: z.boolean(),
  steps: z.array(step),
  usage: openUsage,
  effort: z.string().nullable(),
})
export type OpenTurn = z.output<typeof openTurn>

/** A turn of a transcript: one human→model→human cycle (contract: transcripts.md, "Turns"). */
export const readTurn = openTurn
  .pick({ id: true, index: true, kind: true, startedAt: true, effort: true })
  .extend({
    status: z.enum(TRANSCRIPT_TURN_STATUSES),
    durationMs: z.number().nullable(),
    durationSource: z.enum(['turn_duration', 'timestamps']).nullable(),
    length: z.number(),
    pattern: z.string().nullable(),
    errors: z.number(),
    parallelSteps: z.number(),
    usage: usage.nullable(),
    steps: z.array(step.omit({ record: true }).extend({ parallelGroup: z.number().nullable() })),
  })
export type TranscriptTurn = z.output<typeof readTurn>

/** @param closed true if the next turn has begun */
export function transcriptTurn(turn: OpenTurn, closed: boolean): TranscriptTurn {
  const { id, index, kind, startedAt, toldMs, steps } = turn
  const groups = parallelGroups(steps)
  const shown = steps.map(({ record: _, ...step }) => ({
    ...step,
    status: step.status === 'pending' && turn.interrupted ? ('interrupted' as const) : step.status,
    parallelGroup: groups.get(step.response) ?? null,
  }))
  const passedMs = msBetween(startedAt, turn.lastAt)
  return {
    id,
    index,
    kind,
    status: turn.interrupted ? 'interrupted' : closed || turn.finished ? 'complete' : 'open',
    startedAt,
    durationMs: toldMs ?? passedMs,
    durationSource: toldMs !== null ? 'turn_duration' : passedMs !== null ? 'timestamps' : null,
    length: steps.length,
    pattern: steps.length === 0 ? null : formatPattern(steps.map(({ tool }) => tool)),
    errors: shown.filter(({ status }) => status === 'error').length,
    parallelSteps: shown.filter(({ parallelGroup }) => parallelGroup !== null).length,
    usage: sumUsage(turn.usage),
    effort: turn.effort,
    steps: shown,
  }
}

/** Numbers the responses of a turn that have several calls, from 1. */
function parallelGroups(steps: readonly Step[]): ReadonlyMap<string, number> {
  const calls = new Map<string, number>()
  for (const { response } of steps) calls.set(response, (calls.get(response) ?? 0) + 1)
  const parallel = [...calls].filter(([, count]) => count > 1)
  return new Map(parallel.map(([response], i) => [response, i + 1]))
}

export function msBetween(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null
  const ms = Date.parse(to) - Date.parse(from)
  return Number.isNaN(ms) ? null : ms
}

/** Checks whether an instant is before another one. Returns false if one of them is unknown. */
export const isBefore = (at: string | null, other: string | null): boolean =>
  isUsual(at) && isUsual(other) ? at < other : (msBetween(other, at) ?? 0) < 0

/** Checks for the form `2026-03-08T14:07:00.397Z`, whose texts sort by time. */
const isUsual = (at: string | null): at is string =>
  at !== null && at.length === 24 && at[4] === '-' && at[10] === 'T' && at[23] === 'Z'

export const later = (a: string | null, b: string | null): string | null =>
  a === null || isBefore(a, b) ? (b ?? a) : a
