import { describe, expect, expectTypeOf, test } from 'vitest'
import { TurngraphError } from '../../core/errors.ts'
import {
  nextStreamingState,
  STREAMING_EVENTS,
  type StreamingEvent,
  type StreamingState,
} from './streaming-state.ts'

const STATES = ['idle', 'streaming', 'paused', 'tool_execution', 'resuming'] as const

/**
 * The whole machine, written again independently: a row per state, a column per event, `null` if it is
 * illegal.
 */
const TABLE: Record<StreamingState, Record<StreamingEvent, StreamingState | null>> = {
  idle: row('streaming', null, null, null, null),
  streaming: row(null, 'paused', null, null, null),
  paused: row(null, null, 'tool_execution', null, null),
  tool_execution: row(null, null, null, 'resuming', null),
  resuming: row(null, null, null, null, 'streaming'),
}

type Cell = StreamingState | null
function row(start: Cell, pause: Cell, execute_tools: Cell, resume: Cell, cont: Cell) {
  return { start, pause, execute_tools, resume, continue: cont, terminate: 'idle' as const }
}

const refusalOf = (state: string, event: string): TurngraphError => {
  try {
    nextStreamingState(state as StreamingState, event as StreamingEvent)
  } catch (error) {
    if (error instanceof TurngraphError) return error
  }
  throw new Error(`${event} was not refused in ${state}`)
}

describe('nextStreamingState', () => {
  test('the events are those of the contract, in the order of a round', () => {
    expect(STREAMING_EVENTS).toEqual(['start', 'pause', 'execute_tools', 'resume', 'continue', 'terminate'])
    expectTypeOf<StreamingEvent>().toEqualTypeOf<
      'start' | 'pause' | 'execute_tools' | 'resume' | 'continue' | 'terminate'
    >()
    expectTypeOf(nextStreamingState).toEqualTypeOf<
      (state: StreamingState, event: StreamingEvent) => StreamingState
    >()
  })

  test.each(STATES.flatMap((state) => STREAMING_EVENTS.map((event) => [state, event] as const)))(
    'in %s, %s leads to the state of the table or is rejected',
    (state, event) => {
      const next = TABLE[state][event]
      if (next === null) expect(refusalOf(state, event).code).toBe('invalid_request')
      else expect(nextStreamingState(state, event)).toBe(next)
    },
  )

  test('a rejection names the state, the event and the legal events', () => {
    const refusal = refusalOf('idle', 'execute_tools')
    expect(refusal.message).toBe(
      '"execute_tools" is not allowed in the state "idle"; allowed: start, terminate.',
    )
    expect(refusal.details).toEqual({
      state: 'idle',
      event: 'execute_tools',
      allowed: ['start', 'terminate'],
    })
  })

  test('an unknown state or event is rejected, even with the name of an object property', () => {
    expect(refusalOf('constructor', 'start').message).toContain('"constructor" is no streaming state')
    expect(refusalOf('idle', 'toString').details).toMatchObject({ allowed: ['start', 'terminate'] })
    expect(refusalOf('', '').code).toBe('invalid_request')
  })
})
