// Chooses the two sessions of a comparison from lists. The address holds the choice.
import { groupBy } from '../../../core/group-by.ts'
import { plural } from '../../../core/plural.ts'
import { Select } from '../../components/choice.tsx'
import { filterBy } from '../../navigation.ts'
import type { ItemOf } from '../../service/operations.ts'
import { useWholeList } from '../../service/use-service.ts'
import { nameSession } from '../../session-name.ts'

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
  const tasks = groupBy(sessions, ({ feature_id, task_id }) => `${feature_id} / ${task_id}`)
  return (
    <>
      <form class="filters compare-choice" onSubmit={(event) => event.preventDefault()}>
        {projects.length > 1 && (
          <Select
            label="Project"
            value={project}
            change={(value) => filterBy({ project: value, a: null, b: null })}
            options={projects.map((each) => ({ value: each, text: each }))}
          />
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
  const isListed = [...tasks.values()].flat().some(({ world_slug }) => world_slug === chosen)
  return (
    <label>
      {name.toUpperCase()}{' '}
      <select
        value={chosen ?? ''}
        onChange={({ currentTarget }) => filterBy({ [name]: currentTarget.value })}
      >
        <option value="">Choose a session</option>
        {chosen !== null && !isListed && <option value={chosen}>{nameSession(chosen)}</option>}
        {[...tasks].map(([task, sessions]) => (
          <optgroup key={task} label={task}>
            {sessions.map(({ world_slug: world, outcome, current_turn: turn }) => (
              <option key={world} value={world} disabled={world === other}>
                {`${nameSession(world)} – ${outcome}, turn ${turn}`}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  )
}
