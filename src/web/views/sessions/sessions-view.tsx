// `/p/{project}`: the sessions of a project, latest first, updated live.
import { quoteForShell } from '../../../rules/command-line.ts'
import type { Address } from '../../address.ts'
import { writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Cut } from '../../components/cut.tsx'
import { Empty } from '../../components/empty.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { TranscriptsLine } from '../../components/transcripts-line.tsx'
import { DecisionLegend } from '../../marks/legend.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import { useEvents, usePages } from '../../service/use-service.ts'
import { describeSessions } from './sessions-sentence.ts'
import { SessionsTable } from './sessions-table.tsx'

type Props = { address: Extract<Address, { view: 'sessions' }> }

export function SessionsView({ address: { project } }: Props) {
  const filter = readFilter(useSearch())
  const sessions = usePages('listWorlds', {
    project,
    order: 'last_activity',
    without_tokens: true,
    ...filter,
  })
  useEvents({ project }, sessions.again)
  return (
    <>
      <Sentence title={project}>
        {sessions.answer === null ? ' ' : describeSessions(sessions.answer, isFiltered(filter))}
      </Sentence>
      <TranscriptsLine projects={[project]} />
      <SessionsFilter filter={filter} />
      <Answered of={sessions}>
        {({ items }) => (
          <>
            {items.length > 1 && (
              <p>
                <a href={writeAddress({ view: 'compare' }, { project })}>Compare two sessions</a>
              </p>
            )}
            {items.length > 0 && <SessionsTable project={project} sessions={items} />}
            {items.length === 0 && isFiltered(filter) && <p>No session is like that.</p>}
            {items.length === 0 && !isFiltered(filter) && (
              <Empty command={`turngraph import autobuild PATH --project ${quoteForShell(project)}`}>
                This project has no session yet. This imports the artifacts of autobuild sessions:
              </Empty>
            )}
            <Cut more={sessions.more}>The list is cut after {items.length} sessions.</Cut>
            {items.length > 0 && <DecisionLegend />}
          </>
        )}
      </Answered>
    </>
  )
}

type Filter = {
  search?: string
  feature_id?: string
  running?: true
  not_approved?: true
  stalled_or_oscillating?: true
}

const FLAGS = [
  ['running', 'Running'],
  ['not_approved', 'Not approved'],
  ['stalled_or_oscillating', 'Stalled or oscillating'],
] as const

function readFilter(query: URLSearchParams): Filter {
  const filter: Filter = {}
  const search = query.get('search')
  const feature = query.get('feature_id')
  if (search) filter.search = search
  if (feature) filter.feature_id = feature
  for (const [flag] of FLAGS) if (query.get(flag) === 'true') filter[flag] = true
  return filter
}

const isFiltered = (filter: Filter): boolean => Object.keys(filter).length > 0

function SessionsFilter({ filter }: { filter: Filter }) {
  return (
    <search class="filters">
      <input
        type="text"
        aria-label="Search sessions"
        placeholder="Search feature, task, session"
        value={filter.search ?? ''}
        onInput={({ currentTarget }) => filterBy({ search: currentTarget.value })}
      />
      {FLAGS.map(([flag, name]) => (
        <label key={flag}>
          <input
            type="checkbox"
            checked={filter[flag] === true}
            onChange={({ currentTarget }) => filterBy({ [flag]: currentTarget.checked ? 'true' : null })}
          />{' '}
          {name}
        </label>
      ))}
      {filter.feature_id !== undefined && (
        <button type="button" onClick={() => filterBy({ feature_id: null })}>
          Feature <bdi>{filter.feature_id}</bdi> ×
        </button>
      )}
    </search>
  )
}
