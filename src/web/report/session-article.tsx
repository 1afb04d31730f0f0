// Draws one session in a report: its state, the proof of each criterion, its turns, its issues, and the next context.
import type { SessionContent } from '../../cli/report/report-content.ts'
import { groupBy } from '../../core/group-by.ts'
import { Sentence } from '../components/sentence.tsx'
import { decisionMark, Mark } from '../marks/mark.tsx'
import { nameSession } from '../session-name.ts'
import { IssuesRegion } from '../views/session/issues-region.tsx'
import { readRows } from '../views/session/matrix-rows.ts'
import { describeSession } from '../views/session/session-sentence.ts'
import { TurnsRegion } from '../views/session/turns-region.tsx'
import { VerdictRegion } from '../views/session/verdict-region.tsx'
import { Summary } from '../views/sessions/outcome.tsx'
import { TurnRecord } from '../views/turn/turn-record.tsx'
import { describeTurn } from '../views/turn/turn-sentence.ts'
import { CONTEXT_NAMES, LeftOut, WrittenContext } from '../views/turn/written-context.tsx'
import { sessionAnchor, turnAnchor } from './anchors.ts'
import { Cuts } from './cuts.tsx'
import { EvidenceRegion } from './evidence-region.tsx'
import { MatrixRegion } from './matrix-region.tsx'

type Props = {
  session: SessionContent
  place: number
  /** Outcome from the list of a project report, for a session without a summary; null in the report of one session. */
  outcome: string | null
}

export function SessionArticle({ session, place, outcome }: Props) {
  const { world, summary, criteria, byTurn, stall, turns, issues, why, evidence } = session
  const standing = describeSession(criteria, why, world, true, summary?.summary)
  const rows = readRows(criteria, byTurn)
  const evidenceByKey = groupBy(evidence, ({ key }) => key)
  const cells = new Set(evidence.map(({ key, turn }) => `${turn} ${key}`))
  const hasEvidence = (key: string, turn: number) => cells.has(`${turn} ${key}`)
  const numbers = turns.map(({ turn_number }) => turn_number)
  return (
    <article id={sessionAnchor(place)} aria-label={nameSession(world.world_slug)}>
      <Sentence title={nameSession(world.world_slug)}>
        {summary === null ? standing : <Summary of={summary} />}
      </Sentence>
      {summary !== null && <p class="standing">{standing}</p>}
      <p class="scope">
        Feature <bdi>{world.feature_id}</bdi> · task <bdi>{world.task_id}</bdi>
      </p>
      <Cuts of={session.cuts} />
      {stall !== null && (
        <VerdictRegion stall={stall} criteria={criteria} outcome={summary?.outcome ?? outcome} />
      )}
      <MatrixRegion world={world} rows={rows} turns={numbers} place={place} hasEvidence={hasEvidence} />
      <EvidenceRegion rows={rows} turns={turns} place={place} evidence={evidenceByKey} />
      {turns.length > 0 && <TurnsRegion turns={turns} axis="number" />}
      <RecordsRegion session={session} place={place} />
      <IssuesRegion issues={issues} turns={numbers} />
      <NextContexts session={session} />
    </article>
  )
}

function NextContexts({ session: { contexts, world } }: Pick<Props, 'session'>) {
  return (
    <section aria-label="The next turn">
      <h2>What turn {world.current_turn + 1} would be told today</h2>
      <div class="columns">
        {contexts.map((context) => (
          <section key={context.role} aria-label={CONTEXT_NAMES[context.role]}>
            <h3>{CONTEXT_NAMES[context.role]}</h3>
            <WrittenContext context={context}>
              <pre class="context said">{context.context}</pre>
            </WrittenContext>
          </section>
        ))}
      </div>
      <LeftOut contexts={contexts} />
    </section>
  )
}

/** Draws the records of the turns, folded. */
function RecordsRegion({ session: { turns, recordsFrom }, place }: Omit<Props, 'outcome'>) {
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
