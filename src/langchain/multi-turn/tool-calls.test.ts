import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import { RunnableLambda, RunnableParallel } from '@langchain/core/runnables'
import { fakeModel } from '@langchain/core/testing'
import { tool } from '@langchain/core/tools'
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import {
  agent,
  asked,
  type Config,
  call,
  done,
  grep,
  idsOf,
  never,
  ROUND,
  read,
  runTool,
  schema,
  tracked,
} from '../../../test/support/small-agent.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe('tool calls', () => {
  test('stay pending until each is done, regardless of the order of their ends', async () => {
    const { changes, config } = tracked()
    const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    const run = async (toolCall: ToolCall, options: Config) => {
      const slow = RunnableLambda.from(() => later(toolCall.id === 'c1' ? 20 : 1))
      await slow.invoke('', options)
      return runTool(toolCall, options)
    }
    const model = fakeModel()
      .respondWithTools([call('c1', 'read'), call('c2', 'read'), call('c3', 'grep')])
      .respond(done)
    await agent(model, run).invoke('go', config)
    const completed = changes.map(({ completedToolCalls }) => idsOf(completedToolCalls))
    expect(completed.at(-1)).toEqual(['c2', 'c3', 'c1'])
    const waiting = changes.filter(
      ({ pendingToolCalls, completedToolCalls }) =>
        completedToolCalls.length > 0 && pendingToolCalls.length > 0,
    )
    expect(waiting.map(({ streamingState }) => streamingState)).toEqual(['tool_execution', 'tool_execution'])
  })

  test('that run one after the other are one round', async () => {
    const { config, passed } = tracked()
    const model = fakeModel()
      .respondWithTools([call('c1', 'read'), call('c2', 'grep')])
      .respond(done)
    const loop = RunnableLambda.from(async (_: string, options) => {
      const answer = await model.invoke('go', options)
      const results: BaseMessage[] = []
      for (const each of answer.tool_calls!) results.push(await runTool(each, options))
      return model.invoke([answer, ...results], options)
    })
    await loop.invoke('go', config)
    expect(passed()).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
  })

  test('tool calls are matched by name, then by order, if LangChain gives no id', async () => {
    const { changes, config } = tracked()
    const calls = [call('c1', 'read'), call('c2', 'grep'), call('c3', 'read')]
    const model = fakeModel().respondWithTools(calls).respond(done)
    const loop = RunnableLambda.from(async (_: string, options) => {
      await model.invoke('go', options)
      await Promise.all([grep, read, read].map((each) => each.invoke({ path: 'a' }, options)))
      return model.invoke('go', options)
    })
    await loop.invoke('go', config)
    const resuming = changes.find(({ streamingState }) => streamingState === 'resuming')
    expect(idsOf(resuming!.completedToolCalls)).toEqual(['c2', 'c1', 'c3'])
  })

  test('without an id match the run of their tool with any id', async () => {
    const { tracker, config } = tracked()
    const message = new AIMessage({ content: '', tool_calls: [{ name: 'read', args: { path: 'a' } }] })
    await fakeModel().respond(message).invoke('go', config)
    await read.invoke(asked(call('made-up', 'read')), config)
    expect(tracker.state).toMatchObject({
      streamingState: 'resuming',
      completedToolCalls: [{ name: 'read' }],
    })
  })

  test('a run with another id does not answer a tool call', async () => {
    const { tracker, config } = tracked()
    await fakeModel()
      .respondWithTools([call('c1', 'read')])
      .invoke('go', config)
    await read.invoke(asked(call('other', 'read')), config)
    expect(tracker.state).toMatchObject({ streamingState: 'paused', completedToolCalls: [] })
  })

  test('with an abandoned tool are done when the model receives another result', async () => {
    const { tracker, config, passed } = tracked()
    const hanging = tool(never, { name: 'hanging', description: 'never ends', schema })
    const model = fakeModel()
      .respondWithTools([call('c1', 'hanging')])
      .respond(done)
    const run = async (toolCall: ToolCall, options: Config) => {
      void hanging.invoke(asked(toolCall), options)
      await vi.waitFor(() => expect(tracker.state.streamingState).toBe('tool_execution'))
      return new ToolMessage({ content: 'too slow', tool_call_id: toolCall.id!, status: 'error' })
    }
    await agent(model, run).invoke('go', config)
    expect(passed()).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
    expect(idsOf(tracker.state.completedToolCalls)).toEqual(['c1'])
  })

  test('running tool calls take precedence over a parallel model', async () => {
    const { config, passed } = tracked()
    let isBeside = false
    const model = fakeModel()
      .respondWithTools([call('c1', 'read')])
      .respond(done)
    const patient = agent(model, async (toolCall, options) => {
      const slow = tool(() => vi.waitFor(() => void expect(isBeside).toBe(true)), {
        name: 'read',
        description: '',
        schema,
      })
      await slow.invoke(asked(toolCall), options)
      return new ToolMessage('result', toolCall.id!)
    })
    const beside = RunnableLambda.from(async (_: string, options) => {
      await vi.waitFor(() => expect(passed()).toContain('tool_execution'))
      await fakeModel().respond(done).invoke('go', options)
      isBeside = true
    })
    await RunnableParallel.from({ patient, beside }).invoke('go', config)
    expect(passed()).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
  })

  test('that LangChain did not see are done by legal moves when the model receives their results', async () => {
    const { tracker, changes, config, passed } = tracked()
    const model = fakeModel()
      .respondWithTools([call('c1', 'read'), call('c2', 'grep')])
      .respond(done)
    const run = (toolCall: ToolCall) => Promise.resolve(new ToolMessage('result', toolCall.id!))
    await agent(model, run).invoke('go', config)
    expect(passed()).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
    expect(changes.map(({ iteration, streamingState }) => `${iteration} ${streamingState}`)).toEqual([
      '0 idle',
      ...ROUND.map((state) => `1 ${state}`),
      '2 streaming',
      '2 idle',
    ])
    expect(idsOf(tracker.state.completedToolCalls)).toEqual(['c1', 'c2'])
    expect(tracker.state.pendingToolCalls).toEqual([])
  })

  test('with an input that does not fit its schema are done with the error message', async () => {
    const { tracker, config } = tracked()
    const model = fakeModel()
      .respondWithTools([{ id: 'c1', name: 'read', args: { path: 7 } }])
      .respond(done)
    await agent(model).invoke('go', config)
    expect(idsOf(tracker.state.completedToolCalls)).toEqual(['c1'])
  })

  test('tool calls that fail are done too, and the conversation continues', async () => {
    const { tracker, config, passed } = tracked()
    const model = fakeModel()
      .respondWithTools([call('c1', 'broken'), call('c2', 'read')])
      .respond(done)
    await agent(model).invoke('go', config)
    expect(passed()).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
    expect(idsOf(tracker.state.completedToolCalls).sort()).toEqual(['c1', 'c2'])
    expect(tracker.state).toMatchObject({ status: 'completed' })
  })

  test('tool calls that a tool leaves to a human stay pending until they run again', async () => {
    const { tracker, config } = tracked()
    const interrupt = Object.assign(new Error('wait'), { is_bubble_up: true })
    let isApproved = false
    const careful = tool(() => (isApproved ? 'written' : Promise.reject(interrupt)), {
      name: 'careful',
      description: 'asks first',
      schema,
    })
    const model = fakeModel()
      .respondWithTools([call('c1', 'careful')])
      .respond(done)
    const graph = RunnableLambda.from(async (messages: BaseMessage[], options) => {
      const answer =
        messages.at(-1) instanceof AIMessage ? messages.at(-1)! : await model.invoke('go', options)
      const [asks] = (answer as AIMessage).tool_calls!
      try {
        const result = await careful.invoke({ ...asks!, type: 'tool_call' }, options)
        return { messages: [await model.invoke([answer, result], options)] }
      } catch {
        return { messages: [answer] }
      }
    })
    const { messages } = await graph.invoke([], config)
    expect(tracker.state).toMatchObject({ status: 'running', streamingState: 'tool_execution' })
    expect(idsOf(tracker.state.pendingToolCalls)).toEqual(['c1'])
    isApproved = true
    await graph.invoke(messages, config)
    expect(tracker.state).toMatchObject({ status: 'completed', iteration: 2, pendingToolCalls: [] })
  })

  test('tool calls that never run, as with structured output, block nothing and stay pending', async () => {
    const { tracker, config, passed } = tracked()
    const router = fakeModel().respondWithTools([call('c1', 'route')])
    const answers = fakeModel()
      .respondWithTools([call('c2', 'read')])
      .respond(done)
    const chain = RunnableLambda.from(async (_: string, options) => {
      const { tool_calls: [route] = [] } = await router.invoke('where', options)
      return agent(answers).invoke(String(route?.args.path), options)
    })
    await chain.invoke('go', config)
    expect(passed()).toEqual(['idle', ...ROUND, ...ROUND, 'streaming', 'idle'])
    expect(tracker.state).toMatchObject({ status: 'completed', iteration: 3 })
    expect(idsOf(tracker.state.pendingToolCalls)).toEqual(['c1'])
    expect(idsOf(tracker.state.completedToolCalls)).toEqual(['c2'])
  })

  test('inside a tool belong to the tool', async () => {
    const { tracker, config, passed } = tracked()
    const inner = agent(
      fakeModel()
        .respondWithTools([call('x1', 'read')])
        .respond(done),
    )
    const expert = tool(async (_, options) => String((await inner.invoke('sub', options)).content), {
      name: 'expert',
      description: 'asks another agent',
      schema,
    })
    const outer = fakeModel()
      .respondWithTools([call('c1', 'expert')])
      .respond(done)
    await agent(outer, (each, options) => expert.invoke({ ...each, type: 'tool_call' }, options)).invoke(
      'go',
      config,
    )
    expect(passed()).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
    expect(tracker.state).toMatchObject({ iteration: 2, status: 'completed' })
    expect(idsOf(tracker.state.completedToolCalls)).toEqual(['c1'])
  })

  test('a tool run inside another tool does not answer another call', async () => {
    const { changes, config } = tracked()
    const expert = tool((input, { callbacks }) => grep.invoke(input, { callbacks }), {
      name: 'expert',
      description: 'greps by itself',
      schema,
    })
    const model = fakeModel()
      .respondWithTools([call('c1', 'expert'), call('c2', 'grep')])
      .respond(done)
    const loop = RunnableLambda.from(async (_: string, options) => {
      const { tool_calls: [first, second] = [] } = await model.invoke('go', options)
      await expert.invoke(asked(first!), options)
      await grep.invoke(asked(second!), options)
      return model.invoke('go', options)
    })
    await loop.invoke('go', config)
    const completed = changes.map(({ completedToolCalls }) => idsOf(completedToolCalls).join())
    expect([...new Set(completed)]).toEqual(['', 'c1', 'c1,c2'])
  })

  test('tool calls are copied: the message that asked may change', async () => {
    const { tracker, config } = tracked()
    const answer = await fakeModel()
      .respondWithTools([call('c1', 'read')])
      .invoke('go', config)
    answer.tool_calls![0]!.args.path = 'changed'
    expect(tracker.state.pendingToolCalls).toEqual([asked(call('c1', 'read'))])
    expectTypeOf(tracker.state.pendingToolCalls).toEqualTypeOf<ToolCall[]>()
  })
})
