// Chooses the two sessions of a comparison from lists. The address holds the choice.
import { groupBy } from '../../../core/group-by.ts'
import { plural } from '../../../core/plural.ts'
import { filterBy } from '../../navigation.ts'
import type { ItemOf } from '../../service/operations.ts'
import { useWholeList } from '../../service/use-service.ts'

type Session = ItemOf<'listWorlds'>
type Props = {
  project: string
  sessions: readonly Session[]
  a: string | null
  b: string | null
  /** Notice about the sessions that the lists leave out; null if they have all. */
  cut: string | null
}

export function SessionChoice({ project, sessions, a, b, cut }: Props) {
  const projects = (useWholeList('listProjects', {}).answer ?? []).map((each) => each.project)
  const tasks = groupByTask(sessions)
  return (
    <>
      <form class="filters compare-choice" onSubmit={(event) => event.preventDefault()}>
        {projects.length > 1 && (
          <label>
            Project{' '}
            <select
              value={project}
              onChange={({ currentTarget }) => filterBy({ project: currentTarget.value, a: null, b: null })}
            >
              {projects.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          </label>
        )}
        <SessionList name="a" chosen={a} other={b} tasks={tasks} />
        <SessionList name="b" chosen={b} other={a} tasks={tasks} />
        <button type="button" disabled={a === null && b === null} onClick={() => filterBy({ a: b, b: a })}>
          Swap
        </button>
      </form>
      {cut !== null && <p class="cut">{cut}</p>}
      {sessions.length < 2 && (
        <p>
          This project has {plural(sessions.length, 'session')}; a comparison needs two. A re-run of a task is
          a session of its own.
        </p>
      )}
    </>
  )
}

type ListProps = {
  name: 'a' | 'b'
  chosen: string | null
  /** Session that is chosen in the other list, and cannot be chosen in this one. */
  other: string | null
  tasks: ReadonlyMap<string, readonly Session[]>
}

function SessionList({ name, chosen, other, tasks }: ListProps) {
  const isListed = [...tasks.values()].some((sessions) =>
    sessions.some(({ world_slug }) => world_slug === chosen),
  )
  return (
    <label>
      {name.toUpperCase()}{' '}
      <select
        value={chosen ?? ''}
        onChange={({ currentTarget }) => filterBy({ [name]: currentTarget.value })}
      >
        <option value="">Choose a session</option>
        {chosen !== null && !isListed && <option value={chosen}>{chosen}</option>}
        {[...tasks].map(([task, sessions]) => (
          <optgroup key={task} label={task}>
            {sessions.map(({ world_slug: world, outcome, current_turn: turns }) => (
              <option key={world} value={world} disabled={world === other}>
                {`${world} – ${outcome}, ${plural(turns, 'turn')}`}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  )
}

/** Groups sessions by feature and task, in the order of the list. */
const groupByTask = (sessions: readonly Session[]): Map<string, Session[]> =>
  groupBy(sessions, ({ feature_id, task_id }) => `${feature_id} / ${task_id}`)
