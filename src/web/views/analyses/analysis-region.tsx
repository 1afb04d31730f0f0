// Draws one analysis: its question, its filters, its answer, and the downloads.
import { writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Field } from '../../components/field.tsx'
import { InlineText } from '../../components/inline-text.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import type { ItemOf } from '../../service/operations.ts'
import { useEvents, useOperation, useSession } from '../../service/use-service.ts'
import { RowsTable } from './rows-table.tsx'

type Info = ItemOf<'listAnalyses'>

/** Filter names in the address, with the parameter of the statement that each one sets. */
const PARAMETERS = { feature_id: 'feature', task_id: 'task', world_slug: 'world' } as const
const NAMES = { feature_id: 'Feature', task_id: 'Task', world_slug: 'Session' } as const
const USUAL_LIMIT = 100
const MAX_ROWS = 10_000

export function AnalysisRegion({ project, info }: { project: string; info: Info }) {
  const search = useSearch()
  const limit = Number(search.get('limit') ?? USUAL_LIMIT)
  const filters = info.filters.flatMap((filter) => {
    const value = search.get(PARAMETERS[filter])
    return value === null ? [] : [[filter, value] as const]
  })
  const narrowed = Object.fromEntries(filters)
  const analysis = useOperation('runAnalysis', { project, name: info.name, limit, ...narrowed })
  useEvents({ project }, analysis.again)
  const mayQuery = useSession().caller.only_project === null
  const parameters = filters.map(([filter, value]) => [PARAMETERS[filter], value])
  const params = { project, projectKey: keyFor(project), ...Object.fromEntries(parameters), limit }
  return (
    <>
      <Sentence title={info.question}>
        <InlineText text={info.about} />
      </Sentence>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        {info.filters.map((filter) => (
          <Field
            key={filter}
            label={NAMES[filter]}
            value={search.get(PARAMETERS[filter])}
            placeholder="all"
            change={(value) => filterBy({ [PARAMETERS[filter]]: value })}
          />
        ))}
        <Field
          label="Rows at most"
          type="number"
          min={1}
          max={MAX_ROWS}
          value={limit}
          change={(value) => filterBy({ limit: value })}
        />
        {mayQuery && (
          <a
            href={writeAddress(
              { view: 'query' },
              { project, query: info.cypher, params: paramsIn(info, params) },
            )}
          >
            Open as query
          </a>
        )}
        <a href={writeAddress({ view: 'analyses', project, analysis: null })}>All analyses</a>
      </form>
      <Answered of={analysis}>
        {({ columns, rows, truncated }) =>
          rows.length === 0 ? (
            <p>Nothing: no record answers this question.</p>
          ) : (
            <RowsTable
              label={info.name}
              columns={columns}
              rows={rows}
              project={project}
              cut={truncated && `The first ${rows.length} rows are shown; there is more.`}
            />
          )
        }
      </Answered>
    </>
  )
}

/** Writes the key of a project like src/core/keys.ts. */
const keyFor = (project: string): string => project.replaceAll('%', '%25').replaceAll('/', '%2F')

/** Writes the parameters of the statement as JSON. A filter without a value is an empty string. */
function paramsIn({ params }: Info, given: Readonly<Record<string, string | number>>): string {
  return JSON.stringify(Object.fromEntries(params.map((name) => [name, given[name] ?? ''])))
}
