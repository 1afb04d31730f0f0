import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import type { LLMResult } from '@langchain/core/outputs'
import { field } from './field.ts'

/** What a model asks for. Of several candidates the first, as in `invoke`. */
export function toolCallsIn(output: LLMResult): readonly ToolCall[] {
  return toolCallsOf(field(output.generations[0]?.[0], 'message'))
}

/** What a chain hands to its caller to run: its output is an AI message with tool calls, or ends in one. */
export function toolCallsReturned(outputs: unknown): readonly ToolCall[] {
  const returned = field(outputs, 'messages') ?? field(outputs, 'output') ?? outputs
  return toolCallsOf(Array.isArray(returned) ? returned.at(-1) : returned)
}

/** The ids of the calls whose results a model is shown. */
export const resultIdsIn = (messages: readonly BaseMessage[]): ReadonlySet<string> =>
  new Set(messages.filter((message) => ToolMessage.isInstance(message)).map((result) => result.tool_call_id))

const toolCallsOf = (message: unknown): readonly ToolCall[] =>
  AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []
