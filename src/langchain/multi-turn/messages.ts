/** Reads what LangChain hands over: messages with tool calls and their results, and what was thrown. */
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import type { LLMResult } from '@langchain/core/outputs'
import type { TerminationReason } from '../../autobuild/state/multi-turn-state.ts'

/** A property of a value from LangChain, where errors and outputs are of any shape. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** What a model asks for. Of several candidates the first, as in `invoke`. */
export function toolCallsIn(output: LLMResult): readonly ToolCall[] {
  return readToolCalls(field(output.generations[0]?.[0], 'message'))
}

/** What a chain hands to its caller to run: its output is an AI message with tool calls, or ends in one. */
export function toolCallsReturned(outputs: unknown): readonly ToolCall[] {
  const returned = field(outputs, 'messages') ?? field(outputs, 'output') ?? outputs
  return readToolCalls(Array.isArray(returned) ? returned.at(-1) : returned)
}

/** The ids of the calls whose results a model is shown. */
export const resultIdsIn = (messages: readonly BaseMessage[]): ReadonlySet<string> =>
  new Set(messages.filter((message) => ToolMessage.isInstance(message)).map((result) => result.tool_call_id))

const readToolCalls = (message: unknown): readonly ToolCall[] =>
  AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []

/** By name or code, since each of them comes in many classes: the runtime's, LangChain's, LangGraph's, a provider's. */
const REASONS: ReadonlyMap<unknown, TerminationReason> = new Map([
  ['AbortError', 'cancelled'],
  ['ModelAbortError', 'cancelled'],
  ['TimeoutError', 'timeout'],
  ['GraphRecursionError', 'max_iterations'],
  ['GRAPH_RECURSION_LIMIT', 'max_iterations'],
])

/** Which end of a conversation an error stands for. */
export const toTerminationReason = (thrown: unknown): TerminationReason =>
  REASONS.get(field(thrown, 'name')) ?? REASONS.get(field(thrown, 'lc_error_code')) ?? 'error'

export function toMessage(thrown: unknown): string {
  const message = field(thrown, 'message')
  return typeof message === 'string' && message !== '' ? message : String(thrown)
}

/** LangGraph leaves a tool that waits for a human by throwing; the same call is run again later. */
export const isInterrupt = (thrown: unknown): boolean => field(thrown, 'is_bubble_up') === true
