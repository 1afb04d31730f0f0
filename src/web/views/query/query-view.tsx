// `/query`: free Cypher for analysts. A query in the address fills the editor and never runs automatically.
import { useState } from 'preact/hooks'
import analyst from '../../../../docs/how-to/analyst.md'
import { FailureLine } from '../../components/failure-line.tsx'
import { lazily } from '../../components/lazily.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import { Failure } from '../../service/failure.ts'
import type { Answered } from '../../service/operations.ts'
import { useOperation, useSession } from '../../service/use-service.ts'
import { useSubmission } from '../../service/use-submission.ts'
import { RowsTable } from '../analyses/rows-table.tsx'
import { CypherEditor } from './cypher-editor.tsx'
import { graphIn } from './graph-in-rows.ts'

/** The code that draws is loaded if a result has something to draw. */
const GraphPicture = lazily(async () => (await import('./graph-picture.tsx')).GraphPicture)

type Rows = Answered<'queryGraph'>

const NOTHING = '{}'

export function QueryView() {
  const { caller } = useSession()
  if (!caller.scopes.includes('analyst') || caller.only_project !== null) {
    return (
      <Sentence title="Query">
        Free Cypher reads the whole graph: it is for tokens of the scope <code>analyst</code> that are not
        bound to a project. <a href="/">All projects</a>
      </Sentence>
    )
  }
  return <QueryForm />
}

function QueryForm() {
  const { service, caller } = useSession()
  const search = useSearch()
  const [filled, setFilled] = useState({ query: search.get('query') ?? '' })
  const [query, setQuery] = useState(filled.query)
  const [params, setParams] = useState(search.get('params') ?? NOTHING)
  const { answer: rows, failure, isAsking: isRunning, submit } = useSubmission<Rows>()
  const schema = useOperation('describeGraph', {})

  const fill = (text: string, values: string) => {
    setFilled({ query: text })
    setQuery(text)
    setParams(values)
  }
  const run = async () => {
    if (isRunning || query.trim() === '') return
    // Writes the query to the address, so that it can be shared. The page fills it in for the recipient and does not run it.
    filterBy({ query, params: params === NOTHING ? null : params })
    const found = await submit(async () => service.call('queryGraph', { query, params: parseParams(params) }))
    if (found !== null) addToHistory({ query, params })
  }

  return (
    <>
      <Sentence title="Query">
        One statement that reads the whole graph. Ctrl-Enter runs it; nothing runs by itself.
      </Sentence>
      <div class="query">
        <div>
          <CypherEditor text={query} filled={filled} change={setQuery} run={run} schema={schema.answer} />
          <div class="filters">
            <button type="submit" onClick={run} disabled={isRunning}>
              Run
            </button>
            <label>
              Parameters{' '}
              <input
                class="params"
                value={params}
                spellcheck={false}
                onInput={({ currentTarget }) => setParams(currentTarget.value)}
              />
            </label>
          </div>
        </div>
        <Shelf fill={fill} project={search.get('project') ?? caller.project} />
      </div>
      {failure !== null && <FailureLine failure={failure} />}
      {rows !== null && <QueryResult {...rows} />}
    </>
  )
}

/** @throws {@link Failure} */
function parseParams(text: string): Record<string, never> {
  try {
    const given: unknown = JSON.parse(text.trim() === '' ? NOTHING : text)
    if (typeof given === 'object' && given !== null && !Array.isArray(given))
      return given as Record<string, never>
  } catch {
    // Text that is not JSON throws the failure below.
  }
  throw new Failure(
    'invalid_request',
    'The parameters are no JSON object.',
    'Write them so: {"project": "shop", "limit": 10}',
  )
}

type ShelfProps = { fill: (query: string, params: string) => void; project: string }

/** Lists the queries that fill the editor: earlier queries of this browser, and the examples of the documentation. */
function Shelf({ fill, project }: ShelfProps) {
  const history = readHistory()
  return (
    <div class="shelf">
      <details>
        <summary>Examples</summary>
        <ul>
          {listExamples(project).map(({ question, query, params }) => (
            <li key={question}>
              <button type="button" class="quiet" onClick={() => fill(query, params)}>
                {question}
              </button>
            </li>
          ))}
        </ul>
      </details>
      {history.length > 0 && (
        <details>
          <summary>Asked in this browser</summary>
          <ul>
            {history.map(({ query, params }) => (
              <li key={`${query} ${params}`}>
                <button type="button" class="quiet asked" onClick={() => fill(query, params)}>
                  <code>{query}</code>
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

/** Lists the example queries of the documentation, with parameters for the records of a project. */
const listExamples = (project: string): (AskedQuery & { question: string })[] =>
  analyst.map(({ question, query }) => {
    const names = [...query.matchAll(/\$(\w+)/g)].flatMap(([, name]) => name ?? [])
    const params = Object.fromEntries(names.map((name) => [name, name === 'project' ? project : '']))
    return { question, query, params: JSON.stringify(params) }
  })

type AskedQuery = { query: string; params: string }

const STORED_AS = 'turngraph.queries'
const MAX_QUERIES = 30

/** The earlier queries of this browser, newest first. Only this page writes them. */
const readHistory = (): AskedQuery[] => JSON.parse(localStorage.getItem(STORED_AS) ?? '[]')

function addToHistory({ query, params }: AskedQuery): void {
  const others = readHistory().filter((other) => other.query !== query || other.params !== params)
  localStorage.setItem(STORED_AS, JSON.stringify([{ query, params }, ...others].slice(0, MAX_QUERIES)))
}

/** Draws the result of a query as a table, and its nodes and relationships as a graph. */
function QueryResult({ columns, rows, truncated, elapsed_ms: ms, warnings }: Rows) {
  const graph = graphIn(rows)
  const hasGraph = graph.nodes.length > 0
  return (
    <>
      <p class="quiet-text" role="status">
        {rows.length === 1 ? 'One row' : `${rows.length} rows`} in {Math.round(ms)} ms
        {truncated && '; further rows left out: there are more than the limit, or more than 4 MiB of them'}.
      </p>
      {warnings.map(({ unknown, near }) => (
        <p key={unknown} class="quiet-text" role="status">
          The graph has no label, relationship type or property {unknown}.
          {near.length > 0 && ` Near names: ${near.join(', ')}.`}
        </p>
      ))}
      <div class={hasGraph ? 'columns' : undefined}>
        <div>
          <RowsTable label="Result" columns={columns} rows={rows} project={null} />
        </div>
        {hasGraph && <GraphPicture key={JSON.stringify([columns, ms])} graph={graph} />}
      </div>
    </>
  )
}
