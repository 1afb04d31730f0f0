/** Converts the calls of a transcript turn to the lists that the turn stores, and back. Pure. */
import * as z from 'zod'
import { STEP_STATUSES, type StepStatus, textList } from './values.ts'

/** A tool call, without its input, its output and its error. */
export type Call = {
  id: string
  tool: string
  status: StepStatus
  /** Number of its group of parallel calls in the turn, from 1; null if it is not parallel. */
  parallelGroup: number | null
  durationMs: number | null
  /** Subagent that the call started, as its result names it. */
  agentId: string | null
  /** Id of the response with the call. Distinguishes calls if ids are reused. */
  response: string | null
}

/**
 * Calls of a turn, as lists with one value for each call, in order. Lists in the graph cannot contain null, so -1, 0 and the
 * empty text represent missing values. Calls are not nodes, because their number is too large (DESIGN.md, "Storage").
 */
export const callLists = z.object({
  tools: textList,
  callIds: textList,
  statuses: z.array(z.enum(STEP_STATUSES)),
  parallelGroups: z.array(z.number()),
  durationsMs: z.array(z.number()),
  agentIds: textList,
  responses: textList,
})
export type CallLists = z.output<typeof callLists>

/** Properties of a turn that are lists of its calls. */
export const CALL_LISTS = callLists.keyof().options

/**
 * @example
 * toCallLists([{ id: 'toolu_1', tool: 'Read', status: 'ok', parallelGroup: null, durationMs: 12, agentId: null, response: 'msg_1' }])
 * // { tools: ['Read'], callIds: ['toolu_1'], statuses: ['ok'], parallelGroups: [0], durationsMs: [12], agentIds: [''], responses: ['msg_1'] }
 */
export const toCallLists = (calls: readonly Call[]): CallLists => ({
  tools: calls.map(({ tool }) => tool),
  callIds: calls.map(({ id }) => id),
  statuses: calls.map(({ status }) => status),
  parallelGroups: calls.map(({ parallelGroup }) => parallelGroup ?? 0),
  // A negative duration means that a clock was set back. The real duration is not known.
  durationsMs: calls.map(({ durationMs }) => (durationMs === null || durationMs < 0 ? -1 : durationMs)),
  agentIds: calls.map(({ agentId }) => agentId ?? ''),
  responses: calls.map(({ response }) => response ?? ''),
})

export const fromCallLists = (lists: CallLists): Call[] =>
  lists.tools.map((tool, i) => ({
    id: lists.callIds[i] ?? '',
    tool,
    status: lists.statuses[i] ?? 'pending',
    parallelGroup: lists.parallelGroups[i] || null,
    durationMs: isKnown(lists.durationsMs[i]) ? lists.durationsMs[i] : null,
    agentId: lists.agentIds[i] || null,
    response: lists.responses[i] || null,
  }))

const isKnown = (ms: number | undefined): ms is number => ms !== undefined && ms >= 0
