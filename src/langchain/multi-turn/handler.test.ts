import type { Serialized } from '@langchain/core/load/serializable'
import type { ToolCall } from '@langchain/core/messages/tool'
import { fakeModel } from '@langchain/core/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  agent,
  asked,
  type Config,
  call,
  done,
  idsOf,
  ROUND,
  read,
  runTool,
  tracked,
} from '../../../test/support/small-agent.ts'
import { TurngraphError } from '../../core/errors.ts'
import { MultiTurnStateTracker } from '../multi-turn-state-tracker.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe('the handler', () => {
  test('rejects a tool run that no model asked for without a change, and the run continues', async () => {
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

  test('ignores a second run of a completed call', async () => {
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

  test.each(['true', 'false'])('is awaited if LANGCHAIN_CALLBACKS_BACKGROUND is %s', (value) => {
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

  test('keeps the state correct if the observer throws or terminates', async () => {
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

  test('finds a parent in either of the two arguments in which LangChain has passed it', () => {
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

  test.each([0, -1, Number.NaN])('requires at least one iteration, not %s', (totalIterations) => {
    expect(() => tracked({ totalIterations })).toThrow(TurngraphError)
  })
})

const failingOnce = () =>
  fakeModel()
    .respondWithTools([call('c1', 'broken')])
    .respond(new Error('sk-secret'))
