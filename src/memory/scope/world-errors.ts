/** Creates the errors of worlds: deleted, unknown, busy, or of another task. */
import { TurngraphError } from '../../core/errors.ts'

export const worldDeleted = (worldSlug: string, details: unknown = null): TurngraphError =>
  new TurngraphError('world_deleted', `World ${worldSlug} was deleted.`, {
    hint: 'Its slug stays taken; create another world.',
    details,
  })

export const worldDamaged = (worldSlug: string): TurngraphError =>
  new TurngraphError('internal', `The stored data of world ${worldSlug} is damaged.`, {
    hint: 'Run `turngraph doctor --repair`: it recomputes the state of the world from its turns, and names the remedy for other damage.',
  })

export const unknownWorld = (project: string, worldSlug: string): TurngraphError =>
  new TurngraphError('unknown_world', `There is no world ${worldSlug} in project ${project}.`, {
    hint: '`turngraph worlds` (GET /v1/worlds) lists them.',
  })

/** Creates the error of a busy world. `attempt_id` is the active attempt or, without one, the run (contract: turns.md, "Errors"). */
export const worldAtWork = (
  worldSlug: string,
  { activeRunId, activeAttemptId }: { activeRunId: string | null; activeAttemptId: string | null },
): TurngraphError =>
  new TurngraphError(
    'busy',
    activeAttemptId === null
      ? `World ${worldSlug} is held by turn run ${activeRunId}.`
      : `World ${worldSlug} has an attempt at work: ${activeAttemptId}.`,
    {
      hint:
        activeRunId === null
          ? `Wait for attempt ${activeAttemptId}, or let its worker commit it or fail it. No turn run holds the world.`
          : `Wait for turn run ${activeRunId}, or cancel it.`,
      details: { attempt_id: activeAttemptId ?? activeRunId, turn_run_id: activeRunId },
    },
  )

/** Creates the error of a task that is being restored. Other writes would make the restore fail. */
export const restoreUnfinished = ({
  featureId,
  taskId,
}: {
  featureId: string
  taskId: string
}): TurngraphError =>
  new TurngraphError(
    'restore_unfinished',
    `Task ${taskId} of feature ${featureId} is only restored in part, so nothing is written into it.`,
    {
      hint: 'Wait for the restore, or run the same `turngraph restore` again to finish one that was killed. `turngraph doctor` says how to remove the part.',
    },
  )

export const worldOfAnotherTask = (worldSlug: string): TurngraphError =>
  new TurngraphError('world_conflict', `World ${worldSlug} belongs to another task.`, {
    hint: 'Name another world_slug, or leave it out for the default of this task.',
    details: { fields: ['task_id'] },
  })
