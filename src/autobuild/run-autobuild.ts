/** Runs the Player/Coach loop of a session. */
import { asTurngraphError } from '../core/errors.ts'
import type { AutobuildEvent, Outcome } from './events.ts'
import { Session } from './session.ts'
import { type AutobuildOptions, completeSettings } from './settings.ts'

/**
 * Runs the Player/Coach loop with a memory. Each turn runs the Player with its context, then the Coach with its own and the
 * promises that it may have to recover, and captures the record. The loop ends when the Coach approves, the session stalls, or
 * the world has `maxTurns`. A restarted loop continues at the current turn of the world: after a kill -9, at the unfinished turn.
 * Each turn is a single attempt, held under a lease, so that only one process at a time works in a world. The generator does not
 * throw: the last event, `finished`, has the outcome.
 * Source: seed 000, "Integration with AutoBuild Orchestrator".
 * @throws `invalid_request` immediately if the options do not fit
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
