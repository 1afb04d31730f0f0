/** Declares the states between a model and its tools, and the legal moves between them. */
import { TurngraphError } from '../../core/errors.ts'

/**
 * The state of a conversation between its model and its tools.
 *
 * - `idle`: no model has started yet, or the conversation is over.
 * - `streaming`: a model is answering, or has answered without asking for tools.
 * - `paused`: the answer asked for tools and none of them runs yet.
 * - `tool_execution`: tools run, or some of the calls of this answer still have to run.
 * - `resuming`: every call is done; the model has not been called again yet.
 *
 * `nextStreamingState` holds the legal moves:
 *
 * ```
 * idle ─start→ streaming ─pause→ paused ─execute_tools→ tool_execution
 *                  ↑                                          │ resume
 *                  └──────────── continue ── resuming ←───────┘
 *
 * any state ─terminate→ idle
 * ```
 *
 * There is no state for an error: an error ends the conversation, so the state is `idle` and
 * `terminationReason` is `error`.
 */
export type StreamingState = 'idle' | 'streaming' | 'paused' | 'tool_execution' | 'resuming'

/** Events that move a conversation from one `StreamingState` to the next, in the order of one round. */
export const STREAMING_EVENTS = [
  'start',
  'pause',
  'execute_tools',
  'resume',
  'continue',
  'terminate',
] as const

export type StreamingEvent = (typeof STREAMING_EVENTS)[number]

/** The next move from each state. A map, not an object: a state from outside may be called `constructor`. */
export const ONWARD: ReadonlyMap<StreamingState, readonly [StreamingEvent, StreamingState]> = new Map([
  ['idle', ['start', 'streaming']],
  ['streaming', ['pause', 'paused']],
  ['paused', ['execute_tools', 'tool_execution']],
  ['tool_execution', ['resume', 'resuming']],
  ['resuming', ['continue', 'streaming']],
])

/**
 * Returns the state after `event`. Each state has one further move; `terminate` is allowed in every state,
 * even in `idle`, so that a caller that ends a conversation need not know whether it has started.
 *
 * @throws TurngraphError `invalid_request` when the move is illegal; `details.allowed` lists the legal events
 * @example
 * nextStreamingState('streaming', 'pause') // 'paused'
 * nextStreamingState('idle', 'execute_tools')
 * // throws: "execute_tools" is not allowed in the state "idle"; allowed: start, terminate.
 */
export function nextStreamingState(state: StreamingState, event: StreamingEvent): StreamingState {
  const onward = ONWARD.get(state)
  if (onward !== undefined && event === 'terminate') return 'idle'
  if (onward?.[0] === event) return onward[1]
  const allowed = onward === undefined ? [] : [onward[0], 'terminate']
  throw new TurngraphError(
    'invalid_request',
    onward === undefined
      ? `"${state}" is no streaming state; states: ${[...ONWARD.keys()].join(', ')}.`
      : `"${event}" is not allowed in the state "${state}"; allowed: ${allowed.join(', ')}.`,
    { details: { state, event, allowed } },
  )
}
