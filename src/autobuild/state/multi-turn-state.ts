/** Declares the state of a conversation of many model calls, and what changes it. */
import type { ToolCall } from '@langchain/core/messages/tool'
import type { StreamingState } from './streaming-state.ts'

/**
 * The state of a conversation in which a model is called again and again, with tools run in between (seed 003).
 *
 * One iteration is one call of the model. An iteration that asks for tools goes once round the state machine
 * (`StreamingState`): the answer pauses, the tools run, and the next iteration resumes. One that asks for none ends
 * the conversation.
 *
 * | what happens | `iteration` | `streamingState` | pending | completed |
 * |---|---|---|---|---|
 * | nothing yet | 0 | `idle` | | |
 * | the model is called | 1 | `streaming` | | |
 * | it asks for `read` and `grep` | 1 | `paused` | read, grep | |
 * | `read` starts, and ends | 1 | `tool_execution` | grep | read |
 * | `grep` starts, and ends | 1 | `resuming` | | read, grep |
 * | the model is called with both results | 2 | `streaming` | | read, grep |
 * | it answers | 2 | `idle`, as `natural_completion` | | read, grep |
 *
 * The arguments of tool calls may be sensitive: what shows or stores a state decides what to leave out.
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
  /** How many model calls the conversation may have; one more ends it as `max_iterations`. */
  totalIterations: number
  /** When the conversation started, in epoch milliseconds; 0 before. */
  startTime: number
  /** When the current iteration started, in epoch milliseconds; `startTime` before the first, 0 before that. */
  lastIterationTime: number
  /** Where the conversation stands between model and tools. */
  streamingState: StreamingState
  /** Calls that a model asked for and that are not done, in the order asked. What is left at the end never ran. */
  pendingToolCalls: ToolCall[]
  /** Calls that are done, of all iterations, in the order they ended; those whose tool failed too. */
  completedToolCalls: ToolCall[]
  /** Why the conversation ended. Absent while it goes on. */
  terminationReason?: TerminationReason
}

/**
 * What every execution of an agent has, whether it takes one turn or many. `MultiTurnState` adds what a
 * conversation of several model calls needs.
 *
 * @example
 * const state: AgentExecutionState = { agentId: 'player', runId: 'run-1', status: 'running' }
 */
export interface AgentExecutionState {
  /** Which agent this is: the name that its orchestrator gave it. */
  agentId: string
  /** Which execution of it: the root run's id in LangChain and LangSmith. Empty until the first run starts. */
  runId: string
  /**
   * How the execution stands. `idle`: never started; `running`: it goes on, perhaps between two model calls;
   * `completed`, `failed` and `cancelled`: over.
   */
  status: 'idle' | 'running' | 'completed' | 'failed' | 'cancelled'
  /** Why it failed, in words. Absent unless `status` is `failed`. As it was thrown: scrub before you store it. */
  error?: string
}

/**
 * Why a conversation ended.
 *
 * - `natural_completion`: the model answered without asking for tools, or the chain around it returned.
 * - `max_iterations`: it wanted more model calls than it may have.
 * - `timeout`: it took longer than it may.
 * - `cancelled`: somebody stopped it.
 * - `error`: the model or the chain failed. A tool's failure ends nothing: agents hand it to the model.
 */
export type TerminationReason = 'natural_completion' | 'max_iterations' | 'timeout' | 'cancelled' | 'error'
