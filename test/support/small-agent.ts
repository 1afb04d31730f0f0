import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import { RunnableLambda } from '@langchain/core/runnables'
import type { fakeModel } from '@langchain/core/testing'
import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import * as z from 'zod'
import type { MultiTurnState } from '../../src/autobuild/state/multi-turn-state.ts'
import {
  MultiTurnStateTracker,
  type MultiTurnStateTrackerOptions,
} from '../../src/langchain/multi-turn-state-tracker.ts'

export type Model = ReturnType<typeof fakeModel>
export type Config = Parameters<Model['invoke']>[1]

export const schema = z.object({ path: z.string() })
export const read = tool(({ path }) => `text of ${path}`, {
  name: 'read',
  description: 'reads a file',
  schema,
})
export const grep = tool(({ path }) => `lines of ${path}`, {
  name: 'grep',
  description: 'searches a file',
  schema,
})
export const broken = tool(() => Promise.reject(new Error('no such file')), {
  name: 'broken',
  description: 'always fails',
  schema,
})
export const TOOLS = new Map<string, StructuredToolInterface>(
  [read, grep, broken].map((each) => [each.name, each]),
)

export const call = (id: string, name: string): ToolCall => ({ id, name, args: { path: 'a' } })
export const asked = ({ id, name, args }: ToolCall): ToolCall => ({ id: id!, name, args, type: 'tool_call' })
export const done = new AIMessage('done')
export const never = () => new Promise<never>(() => {})

/** Runs a tool for a call like an agent: the model receives an error as the result. */
export async function runTool(toolCall: ToolCall, config: Config): Promise<ToolMessage> {
  const given = { ...toolCall, type: 'tool_call' as const }
  try {
    return (await TOOLS.get(toolCall.name)!.invoke(given, config)) as ToolMessage
  } catch (error) {
    return new ToolMessage({ content: String(error), tool_call_id: toolCall.id!, status: 'error' })
  }
}

/** A small agent: model → tools → model, until an answer calls no tools. */
export const agent = (
  model: Pick<Model, 'invoke'>,
  run: (toolCall: ToolCall, config: Config) => Promise<ToolMessage> = runTool,
) =>
  RunnableLambda.from(async (input: string, config) => {
    const messages: BaseMessage[] = [new HumanMessage(input)]
    for (;;) {
      const answer = await model.invoke(messages, config)
      if (!answer.tool_calls?.length) return answer
      messages.push(answer)
      messages.push(...(await Promise.all(answer.tool_calls.map((each) => run(each, config)))))
    }
  })

/** Makes a tracker and collects all of its changes. */
export function tracked(options: Partial<MultiTurnStateTrackerOptions> = {}) {
  const changes: MultiTurnState[] = []
  const onChange = (state: MultiTurnState) => void changes.push(state)
  const tracker = new MultiTurnStateTracker({ agentId: 'player', totalIterations: 10, onChange, ...options })
  const config = { callbacks: [tracker] }
  /** Returns the streaming states in order; consecutive equal states count once. */
  const passed = () =>
    ['idle', ...changes.map(({ streamingState }) => streamingState)].filter(
      (state, i, all) => i === 0 || state !== all[i - 1],
    )
  return { tracker, changes, config, passed }
}

export const ROUND = ['streaming', 'paused', 'tool_execution', 'resuming'] as const
export const idsOf = (calls: readonly ToolCall[]) => calls.map(({ id }) => id)
