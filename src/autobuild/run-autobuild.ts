/** Runs the Player/Coach loop of a session until the Coach approves, it stalls, or its turns are used up. */
import { asTurngraphError } from '../core/errors.ts'
import type { AutobuildEvent, Outcome } from './events.ts'
import { Session } from './session.ts'
import { type AutobuildOptions, completeSettings } from './settings.ts'

/**
 * The Player/Coach loop with a memory. Each turn: the Player with its context, the Coach with its own and the promises
 * that it may have to recover, capture; until the Coach approves, the session stalls, or `maxTurns` are there. Started
 * again, it goes on where the world stands: after a kill -9 at the turn that was under way.
 *
 * Each turn is a single attempt of the lifecycle, held under a lease, so that one process at a time works in a world.
 * Nothing is thrown while it runs: the last event, `finished`, says how it ended.
 *
 * Source: seed 000, "Integration with AutoBuild Orchestrator".
 *
 * @throws `invalid_request` at once, where the options do not fit
 * @example
 * for await (const event of runAutobuild({ client, world: { featureId, taskId }, task, player, coach, maxTurns: 5 })) {
 *   if (event.type === 'finished') console.log(event.outcome) // 'approved'
 * }
 */
export function runAutobuild<Task, Report = unknown>(
  options: AutobuildOptions<Task, Report>,
): AsyncGenerator<AutobuildEvent, void> {
  const settings = completeSettings(options)
  return run(new Session(settings), settings.signal)
}

async function* run<Task, Report>(
  session: Session<Task, Report>,
  signal: AbortSignal,
): AsyncGenerator<AutobuildEvent, void> {
  const finished = async (outcome: Outcome, error: unknown = null): Promise<AutobuildEvent> => ({
    type: 'finished',
    outcome,
    worldSlug: session.worldSlug,
    turn: session.turn,
    error: error === null ? null : asTurngraphError(error),
    unsaved: session.unsaved,
    waiting: await session.waiting(),
  })
  try {
    signal.throwIfAborted()
    yield* session.open()
    for (;;) {
      const outcome = await session.over()
      if (outcome !== null) return yield await finished(outcome)
      yield* session.nextTurn()
    }
  } catch (error) {
    yield await (signal.aborted ? finished('aborted') : finished('error', error))
  } finally {
    session.leave()
  }
}
