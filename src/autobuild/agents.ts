/** Declares the inputs of a Player and a Coach, and calls them. */
import type { RunnableConfig } from '@langchain/core/runnables'
import { rejectOnAbort } from '../core/join-signals.ts'
import type { SeenCommand } from './see-commands.ts'

export type PlayerInput<Task = unknown> = {
  /** The continuation context as text for the prompt; null if nothing is known yet. */
  context: string | null
  task: Task
  /** The number of this turn in its world, from 1. */
  turn: number
}

/** The input of a Coach: its own view of the memory, the output of the Player, and the results of declared commands. */
export type CoachInput<Task = unknown, Report = unknown> = PlayerInput<Task> & {
  player: Report
  /** Results of the commands that `verify` ran on this turn's files; `context` has them as text. */
  seen?: readonly SeenCommand[]
}

/**
 * A Player or a Coach: any LangChain Runnable, or a function. Its output is its half of the turn record (`fields-by-role.ts`).
 * The config has a signal that is aborted when the result is no longer needed.
 */
export type Agent<Input> =
  | { invoke(input: Input, config?: Partial<RunnableConfig>): Promise<unknown> }
  | ((input: Input, config: Partial<RunnableConfig>) => unknown)

/** Calls an agent. Rejects as soon as the signal is aborted, even if the agent ignores the signal. */
export async function askAgent<Input>(
  agent: Agent<Input>,
  input: Input,
  config: Partial<RunnableConfig> & { signal: AbortSignal },
): Promise<unknown> {
  const { signal } = config
  signal.throwIfAborted()
  return rejectOnAbort(
    typeof agent === 'function' ? agent(input, config) : agent.invoke(input, config),
    signal,
  )
}
