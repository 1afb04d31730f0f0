// Draws the detail of a cell of the matrix: the promise, the verdicts with their evidence, and the history of the criterion.
import { useEffect, useRef } from 'preact/hooks'
import { noteBasis } from '../../../rules/basis.ts'
import { Answered } from '../../components/answer.tsx'
import { Said } from '../../components/said.tsx'
import { TurnLink } from '../../components/view-link.tsx'
import { Mark } from '../../marks/mark.tsx'
import type { Answered as AnswerOf, Turn } from '../../service/operations.ts'
import { useOperation } from '../../service/use-service.ts'
import { AddWord } from './add-word.tsx'
import { markFor, Promises, Source, Verdicts } from './judgements.tsx'
import { type CellPlace, nameCell, type Row } from './matrix-rows.ts'

type Props = {
  project: string
  turn: Turn
  newest: number
  cell: CellPlace
  row: Row
  /** Number of reported changes of the session. */
  changes: number
  close: () => void
}

/** Maximum number of history entries: only a criterion with many judges in hundreds of turns has more. */
const MAX_ENTRIES = 500

export function CellDetail({ project, turn, newest, cell, row, changes, close }: Props) {
  const { world_slug: world, turn_number: number } = turn
  const history = useOperation('getCriterionHistory', {
    project,
    key: cell.key,
    world_slug: world,
    limit: MAX_ENTRIES,
  })
  const promises = useOperation('recoverPromises', {
    project,
    feature_id: turn.feature_id,
    task_id: turn.task_id,
    world_slug: world,
    turn: number,
  })
  const loadedAt = useRef(changes)
  useEffect(() => {
    if (changes === loadedAt.current) return
    loadedAt.current = changes
    history.again()
    promises.again()
  }, [changes])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    heading.current?.closest('aside')?.scrollIntoView({ block: 'nearest' })
  }, [])
  const shown = row.findCell(number)
  const name = nameCell(row.name, number, shown)
  const known = noteBasis(shown.basis)
  return (
    <aside class="detail" aria-label={name} onKeyDown={({ key }) => key === 'Escape' && close()}>
      <div class="detail-head">
        <h2 tabIndex={-1} ref={heading}>
          <bdi>{name}</bdi>
        </h2>
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </div>
      <Said text={row.text ?? ''} />
      <div class="detail-parts">
        <div>
          <h3>Promise</h3>
          <Answered of={promises}>
            {(found) => <Promises promises={findPromises(cell.key, found)} empty="None in this turn." />}
          </Answered>
        </div>
        <Answered of={history}>
          {({ items, next_cursor: next }) => (
            <>
              <div>
                <h3>Verdicts of turn {number}</h3>
                {known !== null && <p class="quiet-text">The newest verification is {known}.</p>}
                <Verdicts
                  verdicts={items.filter((entry) => entry.turn === number)}
                  empty="This turn did not judge it."
                  verifications={turn.verifications}
                />
                <AddWord turn={turn} newest={newest} criterion={row} added={history.again} />
              </div>
              <div>
                <h3>History</h3>
                <ol class="history">
                  {items.map((entry, i) => (
                    <li key={i}>
                      <TurnLink project={project} world={world} turn={entry.turn}>
                        Turn {entry.turn}
                      </TurnLink>{' '}
                      <Mark of={markFor(entry.status)} /> {entry.status} <Source of={entry.source} />
                      {entry.evidence !== null && <p class="said clamped">{entry.evidence}</p>}
                    </li>
                  ))}
                </ol>
                {next !== null && (
                  <p class="cut">Later entries are left out: the list is cut at {MAX_ENTRIES}.</p>
                )}
              </div>
            </>
          )}
        </Answered>
      </div>
    </aside>
  )
}

/** Returns the promises of the turn itself. */
const findPromises = (criterion: string, { source, items }: AnswerOf<'recoverPromises'>) =>
  source === 'current' ? items.filter(({ key }) => key === criterion) : []
