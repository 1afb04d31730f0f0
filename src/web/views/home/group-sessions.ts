// Groups the sessions of the home page: those that run now, and the finished tasks with their re-runs. Pure.
import { groupBy } from '../../../core/group-by.ts'
import type { ItemOf } from '../../service/operations.ts'

type Session = Pick<
  ItemOf<'listWorlds'>,
  'project' | 'feature_id' | 'task_id' | 'world_slug' | 'outcome' | 'last_activity'
>

/** A finished task: its newest session, and the earlier ones, newest first. */
export type FinishedTask<S> = { newest: S; earlier: S[] }

/** @param sessions of each project the last active first */
export function groupSessions<S extends Session>(
  sessions: readonly S[],
): { running: S[]; finished: FinishedTask<S>[] } {
  const latestFirst = sessions.toSorted((a, b) =>
    a.last_activity === b.last_activity ? 0 : a.last_activity < b.last_activity ? 1 : -1,
  )
  const isRunning = ({ outcome }: S) => outcome === 'running'
  const tasks = groupBy(
    latestFirst.filter((session) => !isRunning(session)),
    ({ project, feature_id, task_id }) => JSON.stringify([project, feature_id, task_id]),
  )
  return {
    running: latestFirst.filter(isRunning),
    finished: [...tasks.values()].flatMap(([newest, ...earlier]) =>
      newest === undefined ? [] : [{ newest, earlier }],
    ),
  }
}
