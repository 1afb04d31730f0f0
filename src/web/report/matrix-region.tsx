// Draws the matrix of criteria over turns in a report, as a table whose cells link to their evidence.
import { ViewLink } from '../components/view-link.tsx'
import { VerdictLegend } from '../marks/legend.tsx'
import { markClass } from '../marks/mark.tsx'
import { matrixClass, TextAndState } from '../views/session/matrix.tsx'
import { markCell, nameCell, type Row } from '../views/session/matrix-rows.ts'
import { cellAnchor, criterionAnchor } from './anchors.ts'

type Props = {
  world: { project: string; world_slug: string }
  rows: readonly Row[]
  turns: readonly number[]
  /** Position of the session in the report. */
  place: number
  /** True if the cell links to evidence. */
  hasEvidence: (key: string, turn: number) => boolean
}

export function MatrixRegion({ world, rows, turns, place, hasEvidence }: Props) {
  return (
    <section class="matrix-region" aria-label="Criteria">
      <div class="region-head">
        <h2>Criteria by turn</h2>
        <VerdictLegend />
      </div>
      {rows.length === 0 ? (
        <p class="quiet-text">No turn has named a criterion yet.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrollable region
        <div class="matrix-scroll" tabIndex={0}>
          <table class={classFor(turns.length)} aria-label="Criteria by turn">
            <Head world={world} turns={turns} />
            <tbody>
              {rows.map((row, i) => (
                <MatrixRow
                  key={row.key}
                  row={row}
                  turns={turns}
                  hasEvidence={(turn) => hasEvidence(row.key, turn)}
                  anchor={(turn) => cellAnchor(place, i, turn)}
                  ownAnchor={criterionAnchor(place, i)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

/** Maximum number of turns whose column numbers fit on paper. */
const MANY_TURNS = 40

const classFor = (turns: number): string =>
  turns > MANY_TURNS ? `${matrixClass(turns)} many-turns` : matrixClass(turns)

function Head({ world: { project, world_slug: world }, turns }: Pick<Props, 'world' | 'turns'>) {
  return (
    <thead>
      <tr>
        <th scope="col" class="label">
          Criterion
        </th>
        <th scope="col" class="text">
          Text
        </th>
        <th scope="col" class="state">
          State
        </th>
        {turns.map((turn) => (
          <th key={turn} scope="col" class="turn">
            <ViewLink to={{ view: 'turn', project, world, turn }}>
              <span class="visually-hidden">Turn </span>
              {turn}
            </ViewLink>
          </th>
        ))}
      </tr>
    </thead>
  )
}

type RowProps = {
  row: Row
  turns: readonly number[]
  hasEvidence: (turn: number) => boolean
  anchor: (turn: number) => string
  ownAnchor: string
}

function MatrixRow({ row, turns, hasEvidence, anchor, ownAnchor }: RowProps) {
  const label = <bdi>{row.label}</bdi>
  return (
    <tr class={row.counts ? undefined : 'not-counted'}>
      <th scope="row" class="label" title={row.label}>
        {turns.some(hasEvidence) ? <a href={`#${ownAnchor}`}>{label}</a> : label}
      </th>
      <TextAndState row={row} isChanged={false} />
      {turns.map((turn) => {
        const cell = row.findCell(turn)
        const look = `cell ${markClass(markCell(cell))}`
        const name = nameCell(row.name, turn, cell)
        if (!hasEvidence(turn)) return <td key={turn} class={look} aria-label={name} />
        // Tab skips the link, because the link of the row has the same target: otherwise Tab needs thousands of steps.
        return (
          <td key={turn} class={look}>
            {/* biome-ignore lint/a11y/useAnchorContent: what it says is its label */}
            <a href={`#${anchor(turn)}`} tabIndex={-1} aria-label={name} />
          </td>
        )
      })}
    </tr>
  )
}
