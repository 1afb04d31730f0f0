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
