import type { TerminationReason } from '../../autobuild/state/termination-reason.ts'
import { field } from './field.ts'

/** By name or code, since each of them comes in many classes: the runtime's, LangChain's, LangGraph's, a provider's. */
const REASONS: ReadonlyMap<unknown, TerminationReason> = new Map([
  ['AbortError', 'cancelled'],
  ['ModelAbortError', 'cancelled'],
  ['TimeoutError', 'timeout'],
  ['GraphRecursionError', 'max_iterations'],
  ['GRAPH_RECURSION_LIMIT', 'max_iterations'],
])

/** Which end of a conversation an error stands for. */
export const reasonOf = (thrown: unknown): TerminationReason =>
  REASONS.get(field(thrown, 'name')) ?? REASONS.get(field(thrown, 'lc_error_code')) ?? 'error'

export function textOf(thrown: unknown): string {
  const message = field(thrown, 'message')
  return typeof message === 'string' && message !== '' ? message : String(thrown)
}

/** LangGraph leaves a tool that waits for a human by throwing; the same call is run again later. */
export const isInterrupt = (thrown: unknown): boolean => field(thrown, 'is_bubble_up') === true
