/** Declares the state of a conversation of many model calls, and the events that change it. */
import type { ToolCall } from '@langchain/core/messages/tool'
import type { StreamingState } from './streaming-state.ts'

/**
 * The state of a conversation that calls a model repeatedly, with tool runs in between (seed 003).
 *
 * An iteration is a call of the model. An iteration that asks for tools passes through the state machine once (`StreamingState`):
 * the answer pauses, the tools run, and the next iteration resumes. An iteration without tool calls ends the conversation.
 *
 * | event | `iteration` | `streamingState` | pending | completed |
 * |---|---|---|---|---|
 * | none yet | 0 | `idle` | | |
 * | the model is called | 1 | `streaming` | | |
 * | it asks for `read` and `grep` | 1 | `paused` | read, grep | |
 * | `read` starts, and ends | 1 | `tool_execution` | grep | read |
 * | `grep` starts, and ends | 1 | `resuming` | | read, grep |
 * | the model is called with both results | 2 | `streaming` | | read, grep |
 * | it answers | 2 | `idle`, as `natural_completion` | | read, grep |
 *
 * The arguments of tool calls may be sensitive: code that shows or stores a state decides what to omit.
 *
 * @example
 * const paused: MultiTurnState = {
 *   agentId: 'player',
 *   runId: 'run-1',
 *   status: 'running',
 *   iteration: 1,
 *   totalIterations: 10,
 *   startTime: 1_760_000_000_000,
 *   lastIterationTime: 1_760_000_000_000,
 *   streamingState: 'paused',
 *   pendingToolCalls: [{ id: 'call-1', name: 'read', args: { path: 'README.md' } }],
 *   completedToolCalls: [],
 * }
 *
 * @example
 * const over: MultiTurnState = {
 *   ...paused,
 *   status: 'completed',
 *   iteration: 2,
 *   lastIterationTime: 1_760_000_004_000,
 *   streamingState: 'idle',
 *   pendingToolCalls: [],
 *   completedToolCalls: paused.pendingToolCalls,
 *   terminationReason: 'natural_completion',
 * }
 */
export interface MultiTurnState extends AgentExecutionState {
  /** Number of the current model call, from 1; 0 before the first. Retries of a model count. */
  iteration: number
  /** Maximum number of model calls of the conversation; one more ends it as `max_iterations`. */
  totalIterations: number
  /** When the conversation started, in epoch milliseconds; 0 before. */
  startTime: number
  /** When the current iteration started, in epoch milliseconds; `startTime` before the first, 0 before that. */
  lastIterationTime: number
  /** The current state between model and tools. */
  streamingState: StreamingState
  /** Calls that a model asked for and that are not done, in the order of the requests. Calls left at the end never ran. */
  pendingToolCalls: ToolCall[]
  /** Calls of all iterations that are done, in the order of their ends; includes calls whose tool failed. */
  completedToolCalls: ToolCall[]
  /** The reason why the conversation ended. Absent while it continues. */
  terminationReason?: TerminationReason
}

/**
 * The common properties of every execution of an agent, with one turn or many. `MultiTurnState` adds the
 * properties of a conversation with several model calls.
 *
 * @example
 * const state: AgentExecutionState = { agentId: 'player', runId: 'run-1', status: 'running' }
 */
export interface AgentExecutionState {
  /** The name that the orchestrator gave the agent. */
  agentId: string
  /** The id of the execution: the root run's id in LangChain and LangSmith. Empty until the first run starts. */
  runId: string
  /**
   * The status of the execution. `idle`: never started; `running`: active, perhaps between two model calls;
   * `completed`, `failed` and `cancelled`: over.
   */
  status: 'idle' | 'running' | 'completed' | 'failed' | 'cancelled'
  /** The error message. Absent unless `status` is `failed`. It is the thrown text: scrub it before you store it. */
  error?: string
}

/**
 * The reason why a conversation ended.
 *
 * - `natural_completion`: the model answered without asking for tools, or the chain around it returned.
 * - `max_iterations`: it needed more model calls than allowed.
 * - `timeout`: it took longer than allowed.
 * - `cancelled`: a caller stopped it.
 * - `error`: the model or the chain failed. The failure of a tool is not an end: agents pass it to the model.
 */
export type TerminationReason = 'natural_completion' | 'max_iterations' | 'timeout' | 'cancelled' | 'error'
