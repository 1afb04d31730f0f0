import { readFileSync } from 'node:fs'
import type { AIMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { AgentExecutionState, MultiTurnState, TerminationReason } from './multi-turn-state.ts'
import type { StreamingState } from './streaming-state.ts'

// `tsc` checks the types and covers the tests: `expectTypeOf` and `@ts-expect-error` fail there.

// The examples of the documentation, unchanged.
const state: AgentExecutionState = { agentId: 'player', runId: 'run-1', status: 'running' }

const paused: MultiTurnState = {
  agentId: 'player',
  runId: 'run-1',
  status: 'running',
  iteration: 1,
  totalIterations: 10,
  startTime: 1_760_000_000_000,
  lastIterationTime: 1_760_000_000_000,
  streamingState: 'paused',
  pendingToolCalls: [{ id: 'call-1', name: 'read', args: { path: 'README.md' } }],
  completedToolCalls: [],
}

const over: MultiTurnState = {
  ...paused,
  status: 'completed',
  iteration: 2,
  lastIterationTime: 1_760_000_004_000,
  streamingState: 'idle',
  pendingToolCalls: [],
  completedToolCalls: paused.pendingToolCalls,
  terminationReason: 'natural_completion',
}

/** Every literal once: the compiler rejects a missing or an additional one. */
const STREAMING_STATES: Record<StreamingState, true> = {
  idle: true,
  streaming: true,
  paused: true,
  tool_execution: true,
  resuming: true,
}
const TERMINATION_REASONS: Record<TerminationReason, true> = {
  natural_completion: true,
  max_iterations: true,
  timeout: true,
  cancelled: true,
  error: true,
}

const sourceOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

const examplesOf = (file: string): string[] =>
  sourceOf(file)
    .replaceAll(/^ \* ?/gm, '')
    .split('@example\n')
    .slice(1)
    .map((rest) => rest.slice(0, rest.search(/\n(\n@|\/)|\n\//)).trim())

describe('MultiTurnState', () => {
  test('extends AgentExecutionState', () => {
    expectTypeOf<MultiTurnState>().toExtend<AgentExecutionState>()
    expectTypeOf<AgentExecutionState>().not.toExtend<MultiTurnState>()
    const general: AgentExecutionState = paused
    expect(general).toMatchObject(state)
  })

  test('adds eight properties to those of AgentExecutionState', () => {
    expectTypeOf<Exclude<keyof MultiTurnState, keyof AgentExecutionState>>().toEqualTypeOf<
      | 'iteration'
      | 'totalIterations'
      | 'startTime'
      | 'lastIterationTime'
      | 'streamingState'
      | 'pendingToolCalls'
      | 'completedToolCalls'
      | 'terminationReason'
    >()
    expectTypeOf<keyof AgentExecutionState>().toEqualTypeOf<'agentId' | 'runId' | 'status' | 'error'>()
  })

  test('MultiTurnState has numbers for iterations and times', () => {
    expectTypeOf<
      Pick<MultiTurnState, 'iteration' | 'totalIterations' | 'startTime' | 'lastIterationTime'>
    >().toEqualTypeOf<{
      iteration: number
      totalIterations: number
      startTime: number
      lastIterationTime: number
    }>()
    // @ts-expect-error: instants are epoch milliseconds, not dates
    const dated: MultiTurnState = { ...paused, startTime: new Date(0) }
    expect(dated.startTime).not.toBeTypeOf('number')
  })

  test('requires the properties that it adds', () => {
    // @ts-expect-error: a state of one turn lacks the properties for many turns
    const lacking: MultiTurnState = state
    expect(lacking.iteration).toBeUndefined()
    const { streamingState: _, ...rest } = paused
    // @ts-expect-error: streamingState is required
    const without: MultiTurnState = rest
    expect(without.streamingState).toBeUndefined()
  })

  test('MultiTurnState knows exactly five statuses of an execution', () => {
    expectTypeOf<AgentExecutionState['status']>().toEqualTypeOf<
      'idle' | 'running' | 'completed' | 'failed' | 'cancelled'
    >()
    // @ts-expect-error: no such status
    const odd: AgentExecutionState['status'] = 'paused'
    expect(odd).toBe('paused')
  })

  test('may have the error of its failure', () => {
    expectTypeOf<AgentExecutionState>().toHaveProperty('error')
    const failed: MultiTurnState = {
      ...over,
      status: 'failed',
      terminationReason: 'error',
      error: 'no answer',
    }
    expect(failed.error).toBe('no answer')
    // @ts-expect-error: absent, not undefined, because the wire form has no undefined
    const vague: MultiTurnState = { ...over, error: undefined }
    expect('error' in vague).toBe(true)
  })
})

describe('StreamingState', () => {
  test('is exactly the five states of seed 003', () => {
    expectTypeOf<StreamingState>().toEqualTypeOf<
      'idle' | 'streaming' | 'paused' | 'tool_execution' | 'resuming'
    >()
    expectTypeOf<MultiTurnState['streamingState']>().toEqualTypeOf<StreamingState>()
    expect(Object.keys(STREAMING_STATES)).toHaveLength(5)
  })

  test('rejects every other string', () => {
    // @ts-expect-error: no such state
    const stopped: StreamingState = 'stopped'
    // @ts-expect-error: an error ends the conversation, so there is no state for it
    const failed: StreamingState = 'error'
    // @ts-expect-error: any string is too wide
    const wide: StreamingState = String('idle')
    expect([stopped, failed, wide]).toHaveLength(3)
  })

  test.each(Object.keys(STREAMING_STATES))('documents %s', (name) => {
    expect(sourceOf('streaming-state.ts')).toContain(` * - \`${name}\`: `)
  })
})

describe('TerminationReason', () => {
  test('is exactly the five reasons of seed 003', () => {
    expectTypeOf<TerminationReason>().toEqualTypeOf<
      'natural_completion' | 'max_iterations' | 'timeout' | 'cancelled' | 'error'
    >()
    expect(Object.keys(TERMINATION_REASONS)).toHaveLength(5)
  })

  test('is absent while the conversation continues', () => {
    expectTypeOf<MultiTurnState['terminationReason']>().toEqualTypeOf<TerminationReason | undefined>()
    expect('terminationReason' in paused).toBe(false)
    expect(over.terminationReason).toBe('natural_completion')
  })

  test('rejects every other string', () => {
    // @ts-expect-error: no such reason
    const completed: TerminationReason = 'completed'
    // @ts-expect-error: a status is not a reason
    const failed: TerminationReason = 'failed'
    expect([completed, failed]).toHaveLength(2)
  })

  test.each(Object.keys(TERMINATION_REASONS))('documents %s', (name) => {
    expect(sourceOf('multi-turn-state.ts')).toContain(` * - \`${name}\`: `)
  })
})

describe('tool calls', () => {
  test("are LangChain's own type", () => {
    expectTypeOf<MultiTurnState['pendingToolCalls']>().toEqualTypeOf<ToolCall[]>()
    expectTypeOf<MultiTurnState['completedToolCalls']>().toEqualTypeOf<ToolCall[]>()
  })

  test('tool calls of a message fit without a cast', () => {
    const message: Pick<AIMessage, 'tool_calls'> = {
      tool_calls: [{ id: 'call-1', name: 'read', args: { path: 'a' } }],
    }
    const asked: MultiTurnState = { ...paused, pendingToolCalls: message.tool_calls ?? [] }
    expect(asked.pendingToolCalls).toEqual([{ id: 'call-1', name: 'read', args: { path: 'a' } }])
  })

  test('need a name and arguments, but no id', () => {
    const anonymous: ToolCall = { name: 'read', args: {} }
    // @ts-expect-error: a call without arguments
    const bare: ToolCall = { name: 'read' }
    // @ts-expect-error: a call without a name
    const nameless: ToolCall = { args: {} }
    const edge: MultiTurnState = { ...paused, pendingToolCalls: [anonymous, bare, nameless] }
    expect(edge.pendingToolCalls).toHaveLength(3)
  })
})

describe('documentation', () => {
  test.each(['multi-turn-state.ts'])('the examples of %s compile', (file) => {
    const examples = examplesOf(file)
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) expect(sourceOf('multi-turn-state.test.ts')).toContain(example)
  })

  test.each(['multi-turn-state.ts'])('documents every property in %s', (file) => {
    const lines = sourceOf(file).split('\n')
    const properties = lines.filter((line) => /^ {2}\w+\??: /.test(line))
    expect(properties.length).toBeGreaterThan(3)
    for (const property of properties) expect(lines[lines.indexOf(property) - 1]).toMatch(/\*\/$/)
  })

  test('a state survives JSON', () => {
    expect(JSON.parse(JSON.stringify(over))).toEqual(over)
  })
})
