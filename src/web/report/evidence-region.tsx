// Draws the evidence of the matrix cells, criterion by criterion: promises, and verdicts with their evidence and files.
// Links point into the folded details: browsers unfold the details around the target of a link, but not the target itself.
import type { CellEvidence, SessionContent } from '../../cli/report/report-content.ts'
import { Said } from '../components/said.tsx'
import { Mark } from '../marks/mark.tsx'
import { Promises, Verdicts } from '../views/session/judgements.tsx'
import { markState, type Row } from '../views/session/matrix-rows.ts'
import { cellAnchor, criterionAnchor } from './anchors.ts'

type Props = {
  rows: readonly Row[]
  turns: SessionContent['turns']
  place: number
  /** Evidence by the key of the criterion, newest turn first. */
  evidence: ReadonlyMap<string, readonly CellEvidence[]>
}

export function EvidenceRegion({ rows, turns, place, evidence }: Props) {
  if (evidence.size === 0) return null
  return (
    <section aria-label="Evidence">
      <h2>Evidence</h2>
      {rows.map((row, i) => {
        const cells = evidence.get(row.key)
        if (cells === undefined) return null
        return (
          <details key={row.key} class="folded">
            <summary>
              <Mark of={markState(row.state, row.basis)} /> <bdi>{row.label}</bdi> · {row.state}
              {row.known !== null && `, ${row.known}`}
            </summary>
            <div id={criterionAnchor(place, i)} class="unfolded">
              <Said text={row.text ?? ''} />
              {cells.map(({ turn, promises, verdicts }) => (
                <div key={turn} id={cellAnchor(place, i, turn)} class="cell-record">
                  <h3>Turn {turn}</h3>
                  {promises.length > 0 && <Promises promises={promises} empty="" />}
                  {verdicts.length > 0 && (
                    <Verdicts
                      verdicts={verdicts}
                      verifications={turns.find(({ turn_number }) => turn_number === turn)?.verifications}
                      empty=""
                    />
                  )}
                </div>
              ))}
            </div>
          </details>
        )
      })}
    </section>
  )
}
