/**
 * Where a conversation stands between its model and its tools.
 *
 * - `idle`: no model has begun yet, or the conversation is over.
 * - `streaming`: a model is answering, or has answered without asking for tools.
 * - `paused`: the answer asked for tools and none of them runs yet.
 * - `tool_execution`: tools run, or some of the calls of this answer are still to be run.
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
 * There is no state for an error: one ends the conversation, so the state is `idle` and `terminationReason` says
 * `error`.
 */
export type StreamingState = 'idle' | 'streaming' | 'paused' | 'tool_execution' | 'resuming'
