import type { Serialized } from '@langchain/core/load/serializable'
import { AIMessage, ToolMessage } from '@langchain/core/messages'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call, tracked } from '../../../test/support/small-agent.ts'
import type { MultiTurnState } from '../../autobuild/state/multi-turn-state.ts'
import { nextStreamingState, STREAMING_EVENTS } from '../../autobuild/state/streaming-state.ts'
import { TurngraphError } from '../../core/errors.ts'
import type { MultiTurnStateTracker } from '../multi-turn-state-tracker.ts'

describe('with events of LangChain in any order', () => {
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

  test('every move is legal, no call is lost, and an end is final', () => {
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
