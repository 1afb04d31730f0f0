// Draws the records of the turns of a session, folded: work done, verdict, tests and gates, files, issues.
import type { SessionContent } from '../../cli/report/report-content.ts'
import { decisionMark, Mark } from '../marks/mark.tsx'
import { TurnRecord } from '../views/turn/turn-record.tsx'
import { describeTurn } from '../views/turn/turn-sentence.ts'
import { turnAnchor } from './anchors.ts'

type Props = { session: SessionContent; place: number }

export function RecordsRegion({ session: { turns, recordsFrom }, place }: Props) {
  const shown = turns.filter(({ turn_number }) => turn_number >= recordsFrom)
  if (shown.length === 0) return null
  return (
    <section aria-label="Records">
      <h2>The records of the turns</h2>
      {shown.map((turn) => (
        <details key={turn.turn_number} class="folded">
          <summary>
            <Mark of={decisionMark(turn.coach_decision)} /> Turn {turn.turn_number} ·{' '}
            {describeTurn(turn, null)}
          </summary>
          <div id={turnAnchor(place, turn.turn_number)} class="unfolded">
            <TurnRecord turn={turn} />
          </div>
        </details>
      ))}
    </section>
  )
}
