import type { Serialized } from '@langchain/core/load/serializable'
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import { BaseRetriever } from '@langchain/core/retrievers'
import { RunnableLambda, RunnableParallel } from '@langchain/core/runnables'
import { fakeModel } from '@langchain/core/testing'
import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import { FakeListChatModel, FakeLLM, FakeStreamingChatModel } from '@langchain/core/utils/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { z } from 'zod'
import type { MultiTurnState } from '../autobuild/state/multi-turn-state.ts'
import { nextStreamingState, STREAMING_EVENTS } from '../autobuild/state/next-streaming-state.ts'
import { TurngraphError } from '../errors.ts'
import { MultiTurnStateTracker, type MultiTurnStateTrackerOptions } from './multi-turn-state-tracker.ts'

type Model = ReturnType<typeof fakeModel>
type Config = Parameters<Model['invoke']>[1]

const schema = z.object({ path: z.string() })
const read = tool(({ path }) => `text of ${path}`, { name: 'read', description: 'reads a file', schema })
const grep = tool(({ path }) => `lines of ${path}`, { name: 'grep', description: 'searches a file', schema })
const broken = tool(() => Promise.reject(new Error('no such file')), {
  name: 'broken',
  description: 'always fails',
  schema,
})
const TOOLS = new Map<string, StructuredToolInterface>([read, grep, broken].map((each) => [each.name, each]))

const call = (id: string, name: string): ToolCall => ({ id, name, args: { path: 'a' } })
const asked = ({ id, name, args }: ToolCall): ToolCall => ({ id: id!, name, args, type: 'tool_call' })
const done = new AIMessage('done')
const never = () => new Promise<never>(() => {})

/** Runs a tool for a call, as agents do: what it throws is told to the model. */
async function runTool(toolCall: ToolCall, config: Config): Promise<ToolMessage> {
  const given = { ...toolCall, type: 'tool_call' as const }
  try {
    return (await TOOLS.get(toolCall.name)!.invoke(given, config)) as ToolMessage
  } catch (error) {
    return new ToolMessage({ content: String(error), tool_call_id: toolCall.id!, status: 'error' })
  }
}

/** A small agent: model → tools → model, until an answer asks for no tools. */
const agent = (
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

/** A tracker, and all that it told. */
function tracked(options: Partial<MultiTurnStateTrackerOptions> = {}) {
  const changes: MultiTurnState[] = []
  const onChange = (state: MultiTurnState) => void changes.push(state)
  const tracker = new MultiTurnStateTracker({ agentId: 'player', totalIterations: 10, onChange, ...options })
  const config = { callbacks: [tracker] }
  /** The streaming states in order, each once however long it lasted. */
  const passed = () =>
    ['idle', ...changes.map(({ streamingState }) => streamingState)].filter(
      (state, i, all) => i === 0 || state !== all[i - 1],
    )
  return { tracker, changes, config, passed }
}

const ROUND = ['streaming', 'paused', 'tool_execution', 'resuming'] as const
const idsOf = (calls: readonly ToolCall[]) => calls.map(({ id }) => id)

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe('a conversation', () => {
  test('goes the whole round, as its documentation has it, and ends naturally', async () => {
    const { tracker, changes, config, passed } = tracked()
    const model = fakeModel()
      .respondWithTools([call('c1', 'read'), call('c2', 'grep')])
      .respond(done)
    await agent(model).invoke('go', config)

    expect(passed()).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
    const rows = changes.map(({ iteration, streamingState, pendingToolCalls, completedToolCalls }) =>
      [iteration, streamingState, idsOf(pendingToolCalls), idsOf(completedToolCalls)].join(' '),
    )
    expect(rows).toEqual([
      '0 idle  ',
      '1 streaming  ',
      '1 paused c1,c2 ',
      '1 tool_execution c1,c2 ',
      '1 tool_execution c2 c1',
      '1 resuming  c1,c2',
      '2 streaming  c1,c2',
      '2 idle  c1,c2',
    ])
    expect(tracker.state).toMatchObject({
      agentId: 'player',
      status: 'completed',
      terminationReason: 'natural_completion',
    })
    expect(tracker.state).not.toHaveProperty('error')
  })

  test('before the first run is idle and has no times', () => {
    const { tracker, changes } = tracked()
    expect(tracker.state).toEqual({
      agentId: 'player',
      runId: '',
      status: 'idle',
      iteration: 0,
      totalIterations: 10,
      startTime: 0,
      lastIterationTime: 0,
      streamingState: 'idle',
      pendingToolCalls: [],
      completedToolCalls: [],
    })
    expect(changes).toEqual([])
  })

  test('counts model calls from 1 and takes the time of each', async () => {
    let clock = 1000
    const { tracker, changes, config } = tracked({ now: () => clock++ })
    const model = fakeModel()
      .respondWithTools([call('c1', 'read')])
      .respondWithTools([call('c2', 'read')])
      .respond(done)
    await agent(model).invoke('go', config)
    const iterations = changes.map(({ iteration, lastIterationTime }) => `${iteration} ${lastIterationTime}`)
    expect([...new Set(iterations)]).toEqual(['0 1000', '1 1001', '2 1002', '3 1003'])
    expect(tracker.state).toMatchObject({ iteration: 3, startTime: 1000, lastIterationTime: 1003 })
    expect(idsOf(tracker.state.completedToolCalls)).toEqual(['c1', 'c2'])
  })

  test("bears the root run's id, or the one that it is given", async () => {
    const runId = '00000000-0000-7000-8000-000000000001'
    const own = tracked()
    await agent(fakeModel().respond(done)).invoke('go', { ...own.config, runId })
    expect(own.tracker.state.runId).toBe(runId)
    const given = tracked({ runId: 'mine' })
    expect(given.tracker.state.runId).toBe('mine')
    await agent(fakeModel().respond(done)).invoke('go', { ...given.config, runId })
    expect(given.tracker.state.runId).toBe('mine')
  })

  test('is seen while a model streams', async () => {
    const { tracker, config } = tracked()
    const chain = RunnableLambda.from((input: string) => input).pipe(
      new FakeStreamingChatModel({ sleep: 0, responses: [new AIMessage('abc')] }),
    )
    const seen: string[] = []
    for await (const _ of await chain.stream('go', config)) seen.push(tracker.state.streamingState)
    expect(seen).toEqual(['streaming', 'streaming', 'streaming'])
    expect(tracker.state).toMatchObject({ status: 'completed', streamingState: 'idle' })
  })

  test('takes up the tool calls of a streamed answer', async () => {
    const { tracker, config } = tracked()
    const chunk = new AIMessageChunk({ content: '', tool_calls: [call('c1', 'read')] })
    for await (const _ of await new FakeStreamingChatModel({ chunks: [chunk] }).stream('go', config)) {
      // the events come with the last chunk
    }
    expect(tracker.state.streamingState).toBe('paused')
    expect(idsOf(tracker.state.pendingToolCalls)).toEqual(['c1'])
  })

  test('of nested chains ends with the root alone', async () => {
    const { changes, config, passed } = tracked()
    const inner = agent(fakeModel().respond(done)).pipe((answer: AIMessage) => String(answer.content))
    const outer = inner.pipe(agent(fakeModel().respond(done))).pipe((answer: AIMessage) => answer)
    await outer.invoke('go', config)
    expect(passed()).toEqual(['idle', 'streaming', 'idle'])
    expect(changes.filter(({ terminationReason }) => terminationReason !== undefined)).toHaveLength(1)
    expect(changes.at(-1)).toMatchObject({ iteration: 2, terminationReason: 'natural_completion' })
  })

  test('of models side by side streams until the last of them ends', async () => {
    const { tracker, config, passed } = tracked()
    const slow = new FakeListChatModel({ responses: ['slow'], sleep: 20 })
    const both = RunnableParallel.from({ fast: agent(fakeModel().respond(done)), slow })
    await both.invoke('go', config)
    expect(passed()).toEqual(['idle', 'streaming', 'idle'])
    expect(tracker.state.iteration).toBe(2)
  })

  test('is kept of a model that only knows strings', async () => {
    const { tracker, config, passed } = tracked()
    await new FakeLLM({ response: 'done' }).invoke('go', config)
    expect(passed()).toEqual(['idle', 'streaming', 'idle'])
    expect(tracker.state).toMatchObject({ iteration: 1, terminationReason: 'natural_completion' })
  })

  test('follows another on the same tracker from the start', async () => {
    const { tracker, config } = tracked()
    await agent(
      fakeModel()
        .respondWithTools([call('c1', 'read')])
        .respond(done),
    ).invoke('go', config)
    const first = tracker.state
    await agent(fakeModel().respond(done)).invoke('again', config)
    expect(tracker.state).toMatchObject({ iteration: 1, completedToolCalls: [], status: 'completed' })
    expect(tracker.state.runId).not.toBe(first.runId)
    expect(idsOf(first.completedToolCalls)).toEqual(['c1'])
  })

  test('is not disturbed by other roots while its own is at work', async () => {
    const { tracker, config } = tracked()
    const model = new FakeListChatModel({ responses: ['one', 'two', 'three'], sleep: 10 })
    await agent(model).batch(['a', 'b', 'c'], config)
    expect(tracker.state).toMatchObject({ iteration: 1, status: 'completed' })
    await Promise.all([
      agent(model).invoke('a', config),
      agent(fakeModel().alwaysThrow(new Error('other')))
        .invoke('b', config)
        .catch(() => {}),
    ])
    expect(tracker.state).toMatchObject({ iteration: 1, status: 'completed' })
  })
})

describe('tool calls', () => {
  test('stay pending until each is done, in whatever order they end', async () => {
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

  test('run one after the other are one round', async () => {
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

  test('are matched by name, then by order, where LangChain tells no id', async () => {
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

  test('without an id take the run of their tool, whatever id it has', async () => {
    const { tracker, config } = tracked()
    const message = new AIMessage({ content: '', tool_calls: [{ name: 'read', args: { path: 'a' } }] })
    await fakeModel().respond(message).invoke('go', config)
    await read.invoke(asked(call('made-up', 'read')), config)
    expect(tracker.state).toMatchObject({
      streamingState: 'resuming',
      completedToolCalls: [{ name: 'read' }],
    })
  })

  test('with an id are not done by a run for another id', async () => {
    const { tracker, config } = tracked()
    await fakeModel()
      .respondWithTools([call('c1', 'read')])
      .invoke('go', config)
    await read.invoke(asked(call('other', 'read')), config)
    expect(tracker.state).toMatchObject({ streamingState: 'paused', completedToolCalls: [] })
  })

  test('whose tool is given up are done with what the model is shown instead', async () => {
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

  test('at work count for more than a model beside them', async () => {
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

  test('run out of sight are done when the model is shown their results, by legal moves', async () => {
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

  test('whose input does not fit its schema are done with the message that says so', async () => {
    const { tracker, config } = tracked()
    const model = fakeModel()
      .respondWithTools([{ id: 'c1', name: 'read', args: { path: 7 } }])
      .respond(done)
    await agent(model).invoke('go', config)
    expect(idsOf(tracker.state.completedToolCalls)).toEqual(['c1'])
  })

  test('that fail are done too, and the conversation goes on', async () => {
    const { tracker, config, passed } = tracked()
    const model = fakeModel()
      .respondWithTools([call('c1', 'broken'), call('c2', 'read')])
      .respond(done)
    await agent(model).invoke('go', config)
    expect(passed()).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
    expect(idsOf(tracker.state.completedToolCalls).sort()).toEqual(['c1', 'c2'])
    expect(tracker.state).toMatchObject({ status: 'completed' })
  })

  test('that a tool leaves to a human stay pending until they are run again', async () => {
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

  test('that nothing runs, as of structured output, hold nothing up and stay pending', async () => {
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

  test('are not done by what another tool runs inside', async () => {
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

  test('are copied: the message that asked may change', async () => {
    const { tracker, config } = tracked()
    const answer = await fakeModel()
      .respondWithTools([call('c1', 'read')])
      .invoke('go', config)
    answer.tool_calls![0]!.args.path = 'changed'
    expect(tracker.state.pendingToolCalls).toEqual([asked(call('c1', 'read'))])
    expectTypeOf(tracker.state.pendingToolCalls).toEqualTypeOf<ToolCall[]>()
  })
})

describe('what is no part of the conversation', () => {
  test('a tool that the chain runs by itself', async () => {
    const { tracker, config, passed } = tracked()
    const chain = RunnableLambda.from((path: string, options) => read.invoke({ path }, options)).pipe(
      agent(fakeModel().respond(done)),
    )
    await chain.invoke('go', config)
    expect(passed()).toEqual(['idle', 'streaming', 'idle'])
    expect(tracker.state).toMatchObject({ completedToolCalls: [], iteration: 1 })
  })

  test('a model that a retriever asks', async () => {
    class Rephrasing extends BaseRetriever {
      lc_namespace = ['test']
      override async _getRelevantDocuments(
        query: string,
        manager?: Parameters<BaseRetriever['_getRelevantDocuments']>[1],
      ) {
        await fakeModel().respond(done).invoke(query, { callbacks: manager!.getChild() })
        return []
      }
    }
    const { tracker, config } = tracked()
    await new Rephrasing()
      .pipe(() => 'go')
      .pipe(agent(fakeModel().respond(done)))
      .invoke('go', config)
    expect(tracker.state).toMatchObject({ iteration: 1, status: 'completed' })
    const end = tracker.state
    await new Rephrasing().invoke('go', config)
    expect(tracker.state).toBe(end)
  })
})

describe('a loop that a caller writes', () => {
  const prompted = (model: Model) => RunnableLambda.from((messages: BaseMessage[]) => messages).pipe(model)

  /** What a chain returns is seen by the tracker; the test goes on with the answer itself. */
  const returning = (model: Model, shape: (messages: BaseMessage[]) => unknown) => {
    const answers: AIMessage[] = []
    const chain = RunnableLambda.from(async (messages: BaseMessage[], options) => {
      const answer = await model.invoke(messages, options)
      answers.push(answer)
      return shape([...messages, answer])
    })
    return {
      invoke: async (messages: BaseMessage[], options: Config) => {
        await chain.invoke(messages, options)
        return answers.at(-1)!
      },
    }
  }

  test.each([
    ['a bare model', (model: Model) => model],
    ['a chain around the model', prompted],
    ['a chain that returns the messages', (model: Model) => returning(model, (messages) => messages)],
    ['a graph that returns its state', (model: Model) => returning(model, (messages) => ({ messages }))],
  ])('of %s and its tools is one conversation', async (_, wrap) => {
    const { tracker, config, passed } = tracked()
    const model = wrap(
      fakeModel()
        .respondWithTools([call('c1', 'read'), call('c2', 'grep')])
        .respond(done),
    )
    const messages: BaseMessage[] = [new HumanMessage('go')]
    const answer = await model.invoke(messages, config)
    expect(tracker.state).toMatchObject({ status: 'running', streamingState: 'paused', iteration: 1 })
    messages.push(answer, ...(await Promise.all(answer.tool_calls!.map((each) => runTool(each, config)))))
    expect(tracker.state).toMatchObject({ status: 'running', streamingState: 'resuming' })
    await model.invoke(messages, config)
    expect(passed()).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
    expect(tracker.state).toMatchObject({ iteration: 2, terminationReason: 'natural_completion' })
    expect(idsOf(tracker.state.completedToolCalls)).toEqual(['c1', 'c2'])
  })

  test('goes on where the model is shown results of tools that ran out of sight', async () => {
    const { tracker, config } = tracked()
    const model = fakeModel()
      .respondWithTools([call('c1', 'read')])
      .respond(done)
    const answer = await model.invoke('go', config)
    await model.invoke([answer, new ToolMessage('result', 'c1')], config)
    expect(tracker.state).toMatchObject({ iteration: 2, status: 'completed' })
  })

  test('that is given up is cancelled by the next conversation', async () => {
    const { tracker, changes, config } = tracked()
    await fakeModel()
      .respondWithTools([call('c1', 'read')])
      .invoke('go', config)
    await agent(fakeModel().respond(done)).invoke('something else', config)
    const ends = changes.filter(({ terminationReason }) => terminationReason !== undefined)
    expect(ends.map(({ terminationReason }) => terminationReason)).toEqual([
      'cancelled',
      'natural_completion',
    ])
    expect(idsOf(ends[0]!.pendingToolCalls)).toEqual(['c1'])
    expect(tracker.state).toMatchObject({ iteration: 1, pendingToolCalls: [] })
    expect(tracker.state.runId).not.toBe(ends[0]!.runId)
  })
})

describe('the end', () => {
  const failing = (error: Error) => fakeModel().alwaysThrow(error)

  test.each([
    ['a bare model', (error: Error) => failing(error)],
    ['an agent', (error: Error) => agent(failing(error))],
    [
      'a chain',
      (error: Error) =>
        RunnableLambda.from((): AIMessage => {
          throw error
        }),
    ],
  ])('of %s that fails is an error, and the state is idle', async (_, build) => {
    const { tracker, changes, config } = tracked()
    await expect(build(new Error('overloaded')).invoke('go', config)).rejects.toThrow('overloaded')
    expect(tracker.state).toMatchObject({
      status: 'failed',
      streamingState: 'idle',
      terminationReason: 'error',
      error: 'overloaded',
    })
    expect(changes.filter(({ status }) => status === 'failed')).toHaveLength(1)
  })

  test('of a failed model is taken back where a fallback goes on', async () => {
    const { tracker, changes, config } = tracked()
    const model = failing(new Error('overloaded')).withFallbacks([fakeModel().respond(done)])
    await RunnableLambda.from((_: string, options) => model.invoke('go', options)).invoke('go', config)
    expect(changes.map(({ status }) => status)).toContain('failed')
    expect(tracker.state).toMatchObject({ status: 'completed', iteration: 2 })
    expect(tracker.state).not.toHaveProperty('error')
  })

  test('of a failed model is taken back where the chain answers without it', async () => {
    const { tracker, config } = tracked()
    const chain = RunnableLambda.from((_: string, options) =>
      failing(new Error('overloaded'))
        .invoke('go', options)
        .catch(() => 'sorry'),
    )
    await chain.invoke('go', config)
    expect(tracker.state).toMatchObject({ status: 'completed', terminationReason: 'natural_completion' })
    expect(tracker.state).not.toHaveProperty('error')
  })

  test.each([
    ['it', false],
    ['the next conversation', true],
  ])(
    'by an AbortSignal is a cancellation, and what still goes on after %s is ignored',
    async (_, isFollowed) => {
      const { tracker, config } = tracked()
      const controller = new AbortController()
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const straggler = fakeModel().respond(done)
      let finish = () => {}
      const finished = new Promise<void>((resolve) => {
        finish = resolve
      })
      const chain = RunnableLambda.from(async (_: string, options) => {
        await held
        await straggler.invoke('late', { callbacks: options.callbacks! })
        finish()
        return done
      })
      const run = chain.invoke('go', { ...config, signal: controller.signal })
      controller.abort()
      await expect(run).rejects.toThrow()
      const cancelled = tracker.state
      expect(cancelled).toMatchObject({
        status: 'cancelled',
        streamingState: 'idle',
        terminationReason: 'cancelled',
      })
      expect(cancelled).not.toHaveProperty('error')
      if (isFollowed) await agent(fakeModel().respond(done)).invoke('again', config)
      const { state } = tracker
      release()
      await finished
      expect(straggler.callCount).toBe(1)
      expect(tracker.state).toBe(state)
      expect(cancelled).toMatchObject({ status: 'cancelled' })
    },
  )

  test.each([
    ['waits for a chunk', false],
    ['holds one, when LangChain tells its handlers nothing', true],
  ])('by the abort of a stream whose reader %s is a cancellation', async (_, isHolding) => {
    const { tracker, changes, config } = tracked()
    const controller = new AbortController()
    const model = new FakeStreamingChatModel({ sleep: 5, responses: [new AIMessage('a long answer')] })
    const chain = RunnableLambda.from((input: string) => input).pipe(model)
    const reading = async () => {
      for await (const _ of await chain.stream('go', { ...config, signal: controller.signal })) {
        if (isHolding) controller.abort()
        else setTimeout(() => controller.abort(), 1)
      }
    }
    await expect(reading()).rejects.toThrow()
    expect(tracker.state).toMatchObject({ status: 'cancelled', streamingState: 'idle' })
    const told = changes.length
    await agent(
      fakeModel()
        .respondWithTools([call('c1', 'read')])
        .respond(done),
    ).invoke('again', config)
    const states = changes.slice(told).map(({ streamingState }) => streamingState)
    expect(states).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
    expect(tracker.state).toMatchObject({ status: 'completed', iteration: 2 })
  })

  test('by an abort is a cancellation whatever its reason, while a model is at work', async () => {
    const { tracker, changes, config } = tracked()
    const controller = new AbortController()
    const model = new FakeListChatModel({ responses: ['late'], sleep: 200 })
    const run = agent(model as unknown as Model).invoke('go', { ...config, signal: controller.signal })
    await vi.waitFor(() => expect(tracker.state.streamingState).toBe('streaming'))
    controller.abort('enough')
    await expect(run).rejects.toThrow('enough')
    expect(tracker.state).toMatchObject({ status: 'cancelled', terminationReason: 'cancelled' })
    expect(changes.filter(({ status }) => status === 'cancelled')).toHaveLength(1)
  })

  test('by an abort is reported, not thrown, when whoever is told of it throws', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { tracker, config } = tracked({
      onChange: ({ status }) => {
        if (status === 'cancelled') throw new Error('no screen')
      },
    })
    const controller = new AbortController()
    const model = new FakeListChatModel({ responses: ['late'], sleep: 200 })
    const run = model.invoke('go', { ...config, signal: controller.signal })
    await vi.waitFor(() => expect(tracker.state.streamingState).toBe('streaming'))
    controller.abort()
    expect(warn.mock.calls.join()).toContain('no screen')
    expect(tracker.state.status).toBe('cancelled')
    await run.catch(() => {})
  })

  test('leaves nothing on a signal that outlives the conversation', async () => {
    const { signal } = new AbortController()
    const watches: AbortSignal[] = []
    const { config } = tracked()
    vi.spyOn(signal, 'addEventListener').mockImplementation((_type, _listener, options) => {
      const { signal: until } = options as { signal?: AbortSignal }
      if (until !== undefined) watches.push(until)
    })
    await agent(
      fakeModel()
        .respondWithTools([call('c1', 'read')])
        .respond(done),
    ).invoke('go', { ...config, signal })
    expect(watches.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  test("by LangChain's own time-out is a time-out", async () => {
    const { tracker, config } = tracked()
    await expect(RunnableLambda.from(never).invoke('go', { ...config, timeout: 10 })).rejects.toThrow()
    expect(tracker.state).toMatchObject({ status: 'failed', terminationReason: 'timeout' })
    expect(tracker.state.error).toContain('timeout')
  })

  test.each(['tool', 'model', 'token'])(
    'is a time-out when a %s is at work after timeoutMs',
    async (late) => {
      let clock = 0
      const { tracker, config } = tracked({ timeoutMs: 100, now: () => clock })
      const model =
        late === 'token'
          ? new FakeStreamingChatModel({ sleep: 0, responses: [new AIMessage('ab')] })
          : fakeModel()
              .respondWithTools([call('c1', 'read')])
              .respond(done)
      const run = async (toolCall: ToolCall, options: Config) => {
        if (late === 'tool') clock = 101
        const result = await runTool(toolCall, late === 'tool' ? options : {})
        clock = 101
        return result
      }
      if (late === 'token') {
        for await (const _ of await model.stream('go', config)) clock = 101
      } else {
        await agent(model as Model, run).invoke('go', config)
      }
      expect(tracker.state).toMatchObject({
        status: 'failed',
        streamingState: 'idle',
        terminationReason: 'timeout',
        error: 'The conversation took longer than 100 ms.',
      })
    },
  )

  test('by an abort after timeoutMs is a time-out', async () => {
    let clock = 0
    const { tracker, config } = tracked({ timeoutMs: 100, now: () => clock })
    const controller = new AbortController()
    const run = RunnableLambda.from(never).invoke('go', { ...config, signal: controller.signal })
    await vi.waitFor(() => expect(tracker.state.status).toBe('running'))
    clock = 101
    controller.abort()
    await expect(run).rejects.toThrow()
    expect(tracker.state.terminationReason).toBe('timeout')
  })

  test('comes with the first model call too many', async () => {
    const { tracker, config } = tracked({ totalIterations: 2 })
    const model = fakeModel()
    for (const id of ['c1', 'c2', 'c3']) model.respondWithTools([call(id, 'read')])
    await agent(model.respond(done)).invoke('go', config)
    expect(tracker.state).toMatchObject({
      status: 'failed',
      iteration: 2,
      streamingState: 'idle',
      terminationReason: 'max_iterations',
      error: 'All 2 model calls are used up.',
    })
    expect(idsOf(tracker.state.completedToolCalls)).toEqual(['c1', 'c2'])
  })

  test('does not come with the last model call allowed', async () => {
    const { tracker, config } = tracked({ totalIterations: 2 })
    await agent(
      fakeModel()
        .respondWithTools([call('c1', 'read')])
        .respond(done),
    ).invoke('go', config)
    expect(tracker.state).toMatchObject({ iteration: 2, terminationReason: 'natural_completion' })
  })

  test.each([{ name: 'GraphRecursionError' }, { lc_error_code: 'GRAPH_RECURSION_LIMIT' }])(
    'by %o is max_iterations',
    async (fields) => {
      const { tracker, config } = tracked()
      const limit = Object.assign(new Error('Recursion limit of 25 reached'), fields)
      const graph = RunnableLambda.from(() => Promise.reject(limit))
      await expect(graph.invoke('go', config)).rejects.toThrow()
      expect(tracker.state).toMatchObject({ status: 'failed', terminationReason: 'max_iterations' })
    },
  )

  test('is told by terminate where no event tells it, and stands', async () => {
    const { tracker, changes, config } = tracked()
    const model = new FakeStreamingChatModel({ sleep: 1, responses: [new AIMessage('a long answer')] })
    for await (const _ of await model.stream('go', config)) break
    expect(tracker.state).toMatchObject({ status: 'running', streamingState: 'streaming' })
    tracker.terminate('cancelled')
    expect(tracker.state).toMatchObject({ status: 'cancelled', streamingState: 'idle' })
    const told = changes.length
    tracker.terminate('error', 'later')
    expect(changes).toHaveLength(told)
    await agent(fakeModel().respond(done)).invoke('again', config)
    expect(tracker.state).toMatchObject({ status: 'completed', iteration: 1 })
  })

  test('by terminate in the middle silences the rest of the run', async () => {
    const { tracker, config } = tracked()
    const model = fakeModel()
      .respondWithTools([call('c1', 'read')])
      .respond(done)
    const run = (toolCall: ToolCall, options: Config) => {
      tracker.terminate('max_iterations', 'enough')
      return runTool(toolCall, options)
    }
    await agent(model, run).invoke('go', config)
    expect(tracker.state).toMatchObject({
      status: 'failed',
      iteration: 1,
      terminationReason: 'max_iterations',
      error: 'enough',
    })
    expect(idsOf(tracker.state.pendingToolCalls)).toEqual(['c1'])
  })

  test('by terminate while a tool runs leaves its call pending', async () => {
    const { tracker, config } = tracked()
    const careless = tool(() => tracker.terminate('cancelled'), { name: 'careless', description: '', schema })
    const model = fakeModel()
      .respondWithTools([call('c1', 'careless')])
      .respond(done)
    await agent(model, (each, options) => careless.invoke(asked(each), options)).invoke('go', config)
    expect(tracker.state).toMatchObject({ status: 'cancelled', completedToolCalls: [] })
    expect(idsOf(tracker.state.pendingToolCalls)).toEqual(['c1'])
  })

  test('is nothing before a conversation', () => {
    const { tracker, changes } = tracked()
    tracker.terminate('cancelled')
    expect(tracker.state).toMatchObject({ status: 'idle' })
    expect(changes).toEqual([])
  })
})

describe('the handler', () => {
  test('refuses a tool run that no model asked for, changes nothing, and the run goes on', async () => {
    const { tracker, config } = tracked()
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const before = tracker.state
    await read.invoke(asked(call('c1', 'read')), config)
    expect(warn.mock.calls.join()).toContain('"execute_tools" is not allowed in the state "idle"')
    expect(tracker.state).toBe(before)
    expect(() =>
      tracker.handleToolStart(
        { lc: 1, type: 'not_implemented', id: [] },
        '{}',
        'r1',
        undefined,
        [],
        {},
        'read',
        'c1',
      ),
    ).toThrow(TurngraphError)
    expect(tracker.state).toBe(before)
  })

  test('ignores a tool run after the end', async () => {
    const { tracker, config } = tracked()
    const warn = vi.spyOn(console, 'warn')
    await agent(fakeModel().respond(done)).invoke('go', config)
    const end = tracker.state
    await read.invoke(asked(call('c1', 'read')), config)
    expect(tracker.state).toBe(end)
    expect(warn).not.toHaveBeenCalled()
  })

  test('takes a second try of a call that is done for nothing new', async () => {
    const { tracker, config, passed } = tracked()
    const warn = vi.spyOn(console, 'warn')
    const model = fakeModel()
      .respondWithTools([call('c1', 'broken')])
      .respond(done)
    const twice = async (toolCall: ToolCall, options: Config) => {
      await runTool(toolCall, options)
      return runTool(toolCall, options)
    }
    await agent(model, twice).invoke('go', config)
    expect(passed()).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
    expect(idsOf(tracker.state.completedToolCalls)).toEqual(['c1'])
    expect(warn).not.toHaveBeenCalled()
  })

  test.each(['true', 'false'])('is awaited, LANGCHAIN_CALLBACKS_BACKGROUND=%s or not', (value) => {
    vi.stubEnv('LANGCHAIN_CALLBACKS_BACKGROUND', value)
    expect(tracked().tracker.awaitHandlers).toBe(true)
  })

  test('gives snapshots that never change', async () => {
    const { tracker, changes, config } = tracked()
    await fakeModel()
      .respondWithTools([call('c1', 'read')])
      .invoke('go', config)
    const { state } = tracker
    expect(state).toBe(changes.at(-1))
    expect(() => Object.assign(state, { iteration: 7 })).toThrow(TypeError)
    expect(() => state.pendingToolCalls.push(call('c2', 'read'))).toThrow(TypeError)
    expect(() => Object.assign(state.pendingToolCalls[0]!.args, { path: 'b' })).toThrow(TypeError)
    tracker.terminate('cancelled')
    expect(state.status).toBe('running')
  })

  test('keeps the state right when whoever is told throws, or terminates', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const throwing = tracked({
      onChange: () => {
        throw new Error('no screen')
      },
    })
    await agent(
      fakeModel()
        .respondWithTools([call('c1', 'read')])
        .respond(done),
    ).invoke('go', throwing.config)
    expect(throwing.tracker.state).toMatchObject({ status: 'completed', iteration: 2 })

    const seen: string[] = []
    const stopping = new MultiTurnStateTracker({
      agentId: 'player',
      totalIterations: 5,
      onChange: ({ streamingState }) => {
        seen.push(streamingState)
        if (streamingState === 'paused') stopping.terminate('cancelled')
      },
    })
    await agent(
      fakeModel()
        .respondWithTools([call('c1', 'read')])
        .respond(done),
    ).invoke('go', { callbacks: [stopping] })
    expect(seen).toEqual(['idle', 'streaming', 'paused', 'idle'])
    expect(stopping.state.terminationReason).toBe('cancelled')
  })

  test('logs nothing', async () => {
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
      vi.spyOn(console, level),
    )
    const { config } = tracked()
    await agent(failingOnce())
      .invoke('go', config)
      .catch(() => {})
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  })

  test('knows a parent in either of the two places where LangChain has put it', () => {
    const chain: Serialized = { lc: 1, type: 'not_implemented', id: [] }
    for (const place of [[undefined, undefined, undefined, undefined, 'root'], ['root']]) {
      const { tracker } = tracked()
      tracker.handleChainStart(chain, {}, 'root')
      tracker.handleChainStart(chain, {}, 'child', ...(place as [string]))
      tracker.handleChatModelStart(chain, [[]], 'model', 'child')
      expect(tracker.state.iteration).toBe(1)
      tracker.handleChainEnd({}, 'root')
      expect(tracker.state.status).toBe('completed')
    }
  })

  test.each([0, -1, Number.NaN])('wants at least one iteration, not %s', (totalIterations) => {
    expect(() => tracked({ totalIterations })).toThrow(TurngraphError)
  })
})

describe('whatever LangChain tells, in whatever order', () => {
  const RUNS = ['r1', 'r2', 'r3', 'r4', 'r5']
  const IDS = ['c1', 'c2', 'c3']
  const serialized: Serialized = { lc: 1, type: 'not_implemented', id: [] }
  const run = fc.constantFrom(...RUNS)
  const ids = fc.subarray(IDS)
  const answerOf = (asks: string[]) => ({
    generations: [
      [{ text: '', message: new AIMessage({ content: '', tool_calls: asks.map((id) => call(id, 'read')) }) }],
    ],
  })
  const parent = fc.option(run, { nil: undefined })
  const shown = ids.map((some) => [some.map((id) => new ToolMessage('', id))])
  const id = fc.option(fc.constantFrom(...IDS), { nil: undefined })
  type Event = (tracker: MultiTurnStateTracker) => void
  const event: fc.Arbitrary<Event> = fc.oneof(
    fc.tuple(run, parent).map(
      ([r, p]): Event =>
        (t) =>
          t.handleChainStart(serialized, {}, r, p),
    ),
    fc.tuple(run, ids).map(
      ([r, some]): Event =>
        (t) =>
          t.handleChainEnd(answerOf(some).generations[0]![0]!.message, r),
    ),
    run.map(
      (r): Event =>
        (t) =>
          t.handleChainError(new Error('failed'), r),
    ),
    fc.tuple(run, parent, shown).map(
      ([r, p, m]): Event =>
        (t) =>
          t.handleChatModelStart(serialized, m, r, p),
    ),
    run.map(
      (r): Event =>
        (t) =>
          t.handleLLMNewToken('', {}, r),
    ),
    fc.tuple(run, ids).map(
      ([r, some]): Event =>
        (t) =>
          t.handleLLMEnd(answerOf(some), r),
    ),
    run.map(
      (r): Event =>
        (t) =>
          t.handleLLMError(new Error('failed'), r),
    ),
    fc.tuple(run, parent, id).map(
      ([r, p, c]): Event =>
        (t) =>
          t.handleToolStart(serialized, '', r, p, [], {}, 'read', c),
    ),
    run.map(
      (r): Event =>
        (t) =>
          t.handleToolEnd('', r),
    ),
    run.map(
      (r): Event =>
        (t) =>
          t.handleToolError(new Error('failed'), r),
    ),
    fc.constant<Event>((t) => t.terminate('cancelled')),
  )

  test('every move is legal, no call is lost, and an end is one', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 80 }), (events) => {
        const { tracker, changes } = tracked({ totalIterations: 4 })
        let before = tracker.state
        for (const each of events) {
          const told = changes.length
          try {
            each(tracker)
          } catch (error) {
            expect(error).toBeInstanceOf(TurngraphError)
            expect(changes).toHaveLength(told)
          }
          for (const state of changes.slice(told)) {
            expect(isLegal(before, state)).toBe(true)
            expect(isSound(state)).toBe(true)
            before = state
          }
          expect(tracker.state).toBe(before)
        }
      }),
      { numRuns: 500 },
    )
  })

  const isLegal = ({ streamingState: from }: MultiTurnState, { streamingState: to }: MultiTurnState) =>
    from === to ||
    STREAMING_EVENTS.some((move) => {
      try {
        return nextStreamingState(from, move) === to
      } catch {
        return false
      }
    })

  const isSound = ({ status, streamingState, terminationReason, iteration, ...calls }: MultiTurnState) =>
    iteration <= 4 &&
    (status === 'running') === (terminationReason === undefined) &&
    (status === 'running' || streamingState === 'idle') &&
    calls.pendingToolCalls.every((pending) => !calls.completedToolCalls.includes(pending)) &&
    Object.isFrozen(calls.pendingToolCalls)
})

const failingOnce = () =>
  fakeModel()
    .respondWithTools([call('c1', 'broken')])
    .respond(new Error('sk-secret'))
