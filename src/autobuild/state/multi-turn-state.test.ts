import { readFileSync } from 'node:fs'
import type { ToolCall } from '@langchain/core/messages/tool'
import { expect, expectTypeOf, test } from 'vitest'
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

const sourceOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

const examplesOf = (source: string): string[] =>
  source
    .replaceAll(/^ \* ?/gm, '')
    .split('@example\n')
    .slice(1)
    .map((rest) => rest.slice(0, rest.search(/\n(\n@|\/)|\n\//)).trim())

// The exact unions also reject every other literal, and tests of literals would repeat the declaration.
test('the types of seed 003 have exactly these properties and literals', () => {
  expectTypeOf<MultiTurnState>().toExtend<AgentExecutionState>()
  expectTypeOf<keyof AgentExecutionState>().toEqualTypeOf<'agentId' | 'runId' | 'status' | 'error'>()
  expectTypeOf<Omit<MultiTurnState, keyof AgentExecutionState>>().toEqualTypeOf<{
    iteration: number
    totalIterations: number
    startTime: number
    lastIterationTime: number
    streamingState: StreamingState
    pendingToolCalls: ToolCall[]
    completedToolCalls: ToolCall[]
    terminationReason?: TerminationReason
  }>()
  expectTypeOf<AgentExecutionState['status']>().toEqualTypeOf<
    'idle' | 'running' | 'completed' | 'failed' | 'cancelled'
  >()
  expectTypeOf<StreamingState>().toEqualTypeOf<
    'idle' | 'streaming' | 'paused' | 'tool_execution' | 'resuming'
  >()
  expectTypeOf<TerminationReason>().toEqualTypeOf<
    'natural_completion' | 'max_iterations' | 'timeout' | 'cancelled' | 'error'
  >()
  // @ts-expect-error: absent, not undefined, because the wire form has no undefined
  const vague: MultiTurnState = { ...over, error: undefined }
  expect([state.status, 'error' in vague]).toEqual(['running', true])
})

test('the examples compile, and every property is documented', () => {
  const source = sourceOf('multi-turn-state.ts')
  const examples = examplesOf(source)
  expect(examples.length).toBeGreaterThan(0)
  for (const example of examples) expect(sourceOf('multi-turn-state.test.ts')).toContain(example)
  const lines = source.split('\n')
  const properties = lines.filter((line) => /^ {2}\w+\??: /.test(line))
  expect(properties.length).toBeGreaterThan(3)
  for (const property of properties) expect(lines[lines.indexOf(property) - 1]).toMatch(/\*\/$/)
})
