// Draws the matrix of criteria over turns in a report, as a table whose cells link to their evidence.
import { VerdictLegend } from '../marks/legend.tsx'
import { MatrixHead, MatrixRow, matrixClass } from '../views/session/matrix.tsx'
import type { Row } from '../views/session/matrix-rows.ts'
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
            <MatrixHead project={world.project} world={world.world_slug} turns={turns}>
              State
            </MatrixHead>
            <tbody>
              {rows.map((row, i) => (
                <MatrixRow
                  key={row.key}
                  row={row}
                  turns={turns}
                  label={
                    turns.some((turn) => hasEvidence(row.key, turn)) ? (
                      <a href={`#${criterionAnchor(place, i)}`}>
                        <bdi>{row.label}</bdi>
                      </a>
                    ) : (
                      <bdi>{row.label}</bdi>
                    )
                  }
                  drawCell={(turn, { 'aria-label': name, ...look }) =>
                    hasEvidence(row.key, turn) ? (
                      // Tab skips these links, because there may be thousands. The link of the row leads to the same criterion.
                      <td key={turn} {...look}>
                        {/* biome-ignore lint/a11y/useAnchorContent: the link has an aria-label */}
                        <a href={`#${cellAnchor(place, i, turn)}`} tabIndex={-1} aria-label={name} />
                      </td>
                    ) : (
                      <td key={turn} {...look} aria-label={name} />
                    )
                  }
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
