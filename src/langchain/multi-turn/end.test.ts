import { AIMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import { RunnableLambda } from '@langchain/core/runnables'
import { fakeModel } from '@langchain/core/testing'
import { tool } from '@langchain/core/tools'
import { FakeListChatModel, FakeStreamingChatModel } from '@langchain/core/utils/testing'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  agent,
  asked,
  type Config,
  call,
  done,
  idsOf,
  type Model,
  never,
  ROUND,
  runTool,
  schema,
  tracked,
} from '../../../test/support/small-agent.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
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

  test('the end by a failed model is undone if a fallback continues', async () => {
    const { tracker, changes, config } = tracked()
    const model = failing(new Error('overloaded')).withFallbacks([fakeModel().respond(done)])
    await RunnableLambda.from((_: string, options) => model.invoke('go', options)).invoke('go', config)
    expect(changes.map(({ status }) => status)).toContain('failed')
    expect(tracker.state).toMatchObject({ status: 'completed', iteration: 2 })
    expect(tracker.state).not.toHaveProperty('error')
  })

  test('the end by a failed model is undone if the chain answers without it', async () => {
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
    'by an AbortSignal is a cancellation, and further events after %s are ignored',
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

  test('an abort while a model is running is a cancellation for any reason', async () => {
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

  test.each([
    ['an abort', 'cancelled', undefined],
    ['an abort with a reason', 'cancelled', 'enough'],
    ['a time-out', 'timeout', new DOMException('late', 'TimeoutError')],
  ])('by %s during a tool of LangGraph, which then throws another error, is %s', async (_, reason, cause) => {
    const { tracker, config } = tracked()
    const controller = new AbortController()
    const abort = () => {
      setImmediate(() => controller.abort(cause))
      return never()
    }
    const slow = tool(abort, { name: 'slow', description: 'never ends', schema })
    const llm = fakeModel().respondWithTools([call('c1', 'slow')])
    const run = createReactAgent({ llm, tools: [slow] }).invoke(
      { messages: 'go' },
      { ...config, signal: controller.signal },
    )
    await expect(run).rejects.toBeDefined()
    expect(tracker.state).toMatchObject({ terminationReason: reason, streamingState: 'idle' })
  })

  test('by an abort whose reason is a text, during a tool that a plain chain called, is a cancellation', async () => {
    const { tracker, config } = tracked()
    const controller = new AbortController()
    const abort = () => {
      setImmediate(() => controller.abort('enough'))
      return never()
    }
    const slow = tool(abort, { name: 'slow', description: 'never ends', schema })
    const model = fakeModel().respondWithTools([call('c1', 'slow')])
    const chain = RunnableLambda.from(async (input: string, config) => {
      const { tool_calls: [asked] = [] } = await model.invoke(input, config)
      return slow.invoke({ ...asked, type: 'tool_call' } as never, config)
    })
    await expect(chain.invoke('go', { ...config, signal: controller.signal })).rejects.toThrow('enough')
    expect(tracker.state).toMatchObject({ status: 'cancelled', terminationReason: 'cancelled' })
  })

  test('an abort is reported, not thrown, when its listener throws', async () => {
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

  test('a signal that outlives the conversation keeps no listener of it', async () => {
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

  test('an abort after timeoutMs is a time-out', async () => {
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

  test('the first model call above the limit ends the conversation', async () => {
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

  test('the last allowed model call does not end the conversation', async () => {
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

  test('terminate ends a conversation that no event ends, and that end is final', async () => {
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

  test('terminate during a run ignores the rest of the run', async () => {
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

  test('terminate while a tool runs leaves its call pending', async () => {
    const { tracker, config } = tracked()
    const careless = tool(() => tracker.terminate('cancelled'), { name: 'careless', description: '', schema })
    const model = fakeModel()
      .respondWithTools([call('c1', 'careless')])
      .respond(done)
    await agent(model, (each, options) => careless.invoke(asked(each), options)).invoke('go', config)
    expect(tracker.state).toMatchObject({ status: 'cancelled', completedToolCalls: [] })
    expect(idsOf(tracker.state.pendingToolCalls)).toEqual(['c1'])
  })

  test('terminate before a conversation does nothing', () => {
    const { tracker, changes } = tracked()
    tracker.terminate('cancelled')
    expect(tracker.state).toMatchObject({ status: 'idle' })
    expect(changes).toEqual([])
  })
})
