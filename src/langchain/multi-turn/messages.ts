/** Reads the data of LangChain's events: messages with tool calls and their results, and thrown values. */
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import type { LLMResult } from '@langchain/core/outputs'
import type { TerminationReason } from '../../autobuild/state/multi-turn-state.ts'

/** Returns a property of a value from LangChain, whose errors and outputs may have any form. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** Returns the tool calls of a model. Uses the first of several candidates, like `invoke`. */
export function toolCallsIn(output: LLMResult): readonly ToolCall[] {
  return readToolCalls(field(output.generations[0]?.[0], 'message'))
}

/** Returns the calls that a chain leaves to its caller: its output is or ends in an AI message with tool calls. */
export function toolCallsReturned(outputs: unknown): readonly ToolCall[] {
  const returned = field(outputs, 'messages') ?? field(outputs, 'output') ?? outputs
  return readToolCalls(Array.isArray(returned) ? returned.at(-1) : returned)
}

export const resultIdsIn = (messages: readonly BaseMessage[]): ReadonlySet<string> =>
  new Set(messages.filter((message) => ToolMessage.isInstance(message)).map((result) => result.tool_call_id))

const readToolCalls = (message: unknown): readonly ToolCall[] =>
  AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []

/**
 * Reasons by name or code, because each error exists in many classes: those of the runtime, LangChain, LangGraph and providers.
 * An abort without a name has a message: `Abort` from LangGraph, and `Aborted` from LangChain if the signal has neither an error
 * nor a text as its reason.
 */
const REASONS: ReadonlyMap<unknown, TerminationReason> = new Map([
  ['AbortError', 'cancelled'],
  ['ModelAbortError', 'cancelled'],
  ['Abort', 'cancelled'],
  ['Aborted', 'cancelled'],
  ['TimeoutError', 'timeout'],
  ['GraphRecursionError', 'max_iterations'],
  ['GRAPH_RECURSION_LIMIT', 'max_iterations'],
])

export const toTerminationReason = (thrown: unknown): TerminationReason =>
  REASONS.get(field(thrown, 'name')) ??
  REASONS.get(field(thrown, 'lc_error_code')) ??
  REASONS.get(field(thrown, 'message')) ??
  'error'

export function toMessage(thrown: unknown): string {
  const message = field(thrown, 'message')
  return typeof message === 'string' && message !== '' ? message : String(thrown)
}

/** True if LangGraph left a tool that waits for a human, which it does by throwing. The same call runs again later. */
export const isInterrupt = (thrown: unknown): boolean => field(thrown, 'is_bubble_up') === true
