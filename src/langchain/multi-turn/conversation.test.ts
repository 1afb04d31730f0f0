import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { RunnableLambda, RunnableParallel } from '@langchain/core/runnables'
import { fakeModel } from '@langchain/core/testing'
import { FakeListChatModel, FakeLLM, FakeStreamingChatModel } from '@langchain/core/utils/testing'
import { describe, expect, test } from 'vitest'
import { agent, call, done, idsOf, ROUND, tracked } from '../../../test/support/small-agent.ts'

describe('a conversation', () => {
  test('passes through the whole round of its documentation, and ends naturally', async () => {
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

  test('counts model calls from 1 and records the time of each', async () => {
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

  test("has the root run's id, or a given one", async () => {
    const runId = '00000000-0000-7000-8000-000000000001'
    const own = tracked()
    await agent(fakeModel().respond(done)).invoke('go', { ...own.config, runId })
    expect(own.tracker.state.runId).toBe(runId)
    const given = tracked({ runId: 'mine' })
    expect(given.tracker.state.runId).toBe('mine')
    await agent(fakeModel().respond(done)).invoke('go', { ...given.config, runId })
    expect(given.tracker.state.runId).toBe('mine')
  })

  test('a conversation is visible while a model streams', async () => {
    const { tracker, config } = tracked()
    const chain = RunnableLambda.from((input: string) => input).pipe(
      new FakeStreamingChatModel({ sleep: 0, responses: [new AIMessage('abc')] }),
    )
    const seen: string[] = []
    for await (const _ of await chain.stream('go', config)) seen.push(tracker.state.streamingState)
    expect(seen).toEqual(['streaming', 'streaming', 'streaming'])
    expect(tracker.state).toMatchObject({ status: 'completed', streamingState: 'idle' })
  })

  test('records the tool calls of a streamed answer', async () => {
    const { tracker, config } = tracked()
    const chunk = new AIMessageChunk({ content: '', tool_calls: [call('c1', 'read')] })
    for await (const _ of await new FakeStreamingChatModel({ chunks: [chunk] }).stream('go', config)) {
      // the events arrive with the last chunk
    }
    expect(tracker.state.streamingState).toBe('paused')
    expect(idsOf(tracker.state.pendingToolCalls)).toEqual(['c1'])
  })

  test('a conversation of nested chains ends only with the root', async () => {
    const { changes, config, passed } = tracked()
    const inner = agent(fakeModel().respond(done)).pipe((answer: AIMessage) => String(answer.content))
    const outer = inner.pipe(agent(fakeModel().respond(done))).pipe((answer: AIMessage) => answer)
    await outer.invoke('go', config)
    expect(passed()).toEqual(['idle', 'streaming', 'idle'])
    expect(changes.filter(({ terminationReason }) => terminationReason !== undefined)).toHaveLength(1)
    expect(changes.at(-1)).toMatchObject({ iteration: 2, terminationReason: 'natural_completion' })
  })

  test('a conversation of parallel models streams until the last of them ends', async () => {
    const { tracker, config, passed } = tracked()
    const slow = new FakeListChatModel({ responses: ['slow'], sleep: 20 })
    const both = RunnableParallel.from({ fast: agent(fakeModel().respond(done)), slow })
    await both.invoke('go', config)
    expect(passed()).toEqual(['idle', 'streaming', 'idle'])
    expect(tracker.state.iteration).toBe(2)
  })

  test('a model that only handles strings has a conversation too', async () => {
    const { tracker, config, passed } = tracked()
    await new FakeLLM({ response: 'done' }).invoke('go', config)
    expect(passed()).toEqual(['idle', 'streaming', 'idle'])
    expect(tracker.state).toMatchObject({ iteration: 1, terminationReason: 'natural_completion' })
  })

  test('starts from the beginning after another one on the same tracker', async () => {
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

  test('other roots do not disturb a conversation whose own root is running', async () => {
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
