/** Runs a Player/Coach round as an attempt of a turn run. */
import type { RunnableConfig } from '@langchain/core/runnables'
import { toWire } from '../core/wire-form.ts'
import type { ContinuationContext } from '../memory/context/continuation.ts'
import type { Role } from '../memory/criteria/views.ts'
import { attemptTurn } from '../runs/attempt-turn.ts'
import type { Executor } from '../runs/executor.ts'
import type { RoundEvent } from './events.ts'
import { type Agents, playRound } from './round.ts'

export type AutobuildExecutorOptions<Task, Report = unknown> = Omit<Agents<Task, Report>, 'task'> & {
  /** The task of a world. Use a function of its slug if worlds have different tasks. */
  task: Task | ((worldSlug: string) => Task | Promise<Task>)
  onEvent?: (event: RoundEvent & { worldSlug: string }) => void
  /** LangChain config for the run of each agent. */
  config?: Partial<RunnableConfig>
}

/**
 * The `autobuild` executor: one Player/Coach round per attempt of a turn run, for programs that use Turngraph
 * as a library (contract: runs.md, "Executors").
 *
 * @example
 * const executors = { autobuild: autobuildExecutor({ player, coach, task }) }
 * const client = createTurngraphClient({ store: 'embedded:.turngraph', executors })
 */
export function autobuildExecutor<Task, Report = unknown>(
  options: AutobuildExecutorOptions<Task, Report>,
): Executor {
  const { player, coach, task, config, onEvent } = options
  return async ({ worldSlug, attemptedTurn, continuation, isRetry, signal }) => {
    let known: Record<Role, ContinuationContext> | null = null
    const round = playRound({
      player,
      coach,
      task: task instanceof Function ? await task(worldSlug) : task,
      turn: attemptedTurn,
      contextFor: async (role) => {
        known ??= await continuation()
        const { status, context } = known[role]
        return { status, context, continuation: known[role] }
      },
      prior: () => known?.player.prior ?? null,
      interrupted: await isRetry(),
      config,
      signal,
    })
    for (;;) {
      const { done, value } = await round.next()
      if (done) return { turn: toWire(attemptTurn, value) }
      onEvent?.({ ...value, worldSlug })
    }
  }
}
