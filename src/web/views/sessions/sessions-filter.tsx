// Draws the filters of the sessions. The address holds their values.
import { filterBy } from '../../navigation.ts'

export type Filter = {
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

export function readFilter(query: URLSearchParams): Filter {
  const filter: Filter = {}
  const search = query.get('search')
  const feature = query.get('feature_id')
  if (search) filter.search = search
  if (feature) filter.feature_id = feature
  for (const [flag] of FLAGS) if (query.get(flag) === 'true') filter[flag] = true
  return filter
}

export const isFiltered = (filter: Filter): boolean => Object.keys(filter).length > 0

export function SessionsFilter({ filter }: { filter: Filter }) {
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
