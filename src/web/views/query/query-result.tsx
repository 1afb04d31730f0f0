// Draws the result of a query as a table, and its nodes and relationships as a graph.
import { useEffect, useState } from 'preact/hooks'
import type { Answered } from '../../service/operations.ts'
import { Downloads } from '../analyses/downloads.tsx'
import { RowsTable } from '../analyses/rows-table.tsx'
import { graphIn } from './graph-in-rows.ts'
import type { GraphPicture } from './graph-picture.tsx'

export type Rows = Answered<'queryGraph'>

export function QueryResult({
  rows: { columns, rows, truncated, elapsed_ms: ms, warnings },
}: {
  rows: Rows
}) {
  const graph = graphIn(rows)
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
      <div class={graph.nodes.length > 0 ? 'columns' : undefined}>
        <div>
          <RowsTable label="Result" columns={columns} rows={rows} project={null} />
          <Downloads name="query" columns={columns} rows={rows} />
        </div>
        {graph.nodes.length > 0 && <Picture key={JSON.stringify([columns, ms])} graph={graph} />}
      </div>
    </>
  )
}

/** Loads the code that draws, if the result has something to draw. */
function Picture({ graph }: { graph: ReturnType<typeof graphIn> }) {
  const [Drawn, setDrawn] = useState<typeof GraphPicture | null>(null)
  useEffect(() => {
    import('./graph-picture.tsx').then((loaded) => setDrawn(() => loaded.GraphPicture))
  }, [])
  return Drawn === null ? <p class="loading">Loading …</p> : <Drawn graph={graph} />
}
