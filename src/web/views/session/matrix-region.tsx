// Draws the matrix, the controls for its rows, turn and policy, and the detail of the opened cell.

import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { plural } from '../../../core/plural.ts'
import { VerdictLegend } from '../../marks/legend.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import type { Turn } from '../../service/operations.ts'
import { AsOf, POLICY_MEANINGS, type Policy, PolicyChoice } from './as-of.tsx'
import { CellDetail } from './cell-detail.tsx'
import { Matrix } from './matrix.tsx'
import {
  type CellPlace,
  changedStates,
  findCellPlace,
  readRows,
  sortRows,
  writeCellPlace,
} from './matrix-rows.ts'
import type { SessionRecord } from './use-session-record.ts'

type Props = {
  record: SessionRecord
  byTurn: NonNullable<SessionRecord['byTurn']>
  turns: readonly Turn[] | null
  numbers: readonly number[]
  /** The turn after which the session is shown. */
  at: number
  policy: Policy
}

export function MatrixRegion({ record, byTurn, turns, numbers, at, policy }: Props) {
  const { world, criteria, sticky } = record
  const search = useSearch()
  const sort = search.get('sort') === 'state' ? 'state' : 'label'
  const isOnlyLeft = search.get('left') === '1'
  const written = search.get('cell')
  const open = (cell: CellPlace | null) => filterBy({ cell: cell === null ? null : writeCellPlace(cell) })
  const all = useMemo(() => readRows(criteria, byTurn), [criteria, byTurn])
  const opened = useMemo(() => findCellPlace(written, all, numbers), [written, all, numbers])
  const changed = useMemo(() => changedStates(all, sticky?.criteria ?? []), [all, sticky])
  const rows = useMemo(
    () => sortRows(isOnlyLeft ? all.filter(({ isLeft }) => isLeft) : all, sort),
    [all, isOnlyLeft, sort],
  )
  const scroller = useRef<HTMLDivElement>(null)
  // Scrolls to the newest turn at the right. Runs before the first frame; otherwise thousands of cells are painted twice.
  useLayoutEffect(() => scroller.current?.scrollTo({ left: scroller.current.scrollWidth }), [])
  const openedRow = all.find(({ key }) => key === opened?.key)
  const openedTurn = turns?.find(({ turn_number }) => turn_number === opened?.turn)
  return (
    <section class="matrix-region" aria-label="Criteria">
      <div class="region-head">
        <h2>Criteria by turn</h2>
        <label>
          <input
            type="checkbox"
            checked={isOnlyLeft}
            onChange={({ currentTarget }) => filterBy({ left: currentTarget.checked ? 1 : null })}
          />{' '}
          Only what is left
        </label>
        <PolicyChoice policy={policy} />
      </div>
      <VerdictLegend />
      {policy !== 'sticky' && (
        <p class="quiet-text">
          {changed.size === 0
            ? `The policy ${policy} changes nothing here.`
            : `The policy ${policy} changes ${changed.size} of ${plural(all.length, 'state')}; ${changed.size === 1 ? 'it is' : 'they are'} marked.`}{' '}
          {POLICY_MEANINGS[policy]}
        </p>
      )}
      <div class="matrix-scroll" ref={scroller}>
        <Matrix
          project={world.project}
          world={world.world_slug}
          turns={numbers}
          rows={rows}
          changed={changed}
          sort={sort}
          sortBy={(by) => filterBy({ sort: by === 'label' ? null : by })}
          open={open}
          opened={opened}
        />
        {rows.length === 0 && (
          <p class="quiet-text">
            {all.length === 0
              ? 'No turn has named a criterion yet.'
              : 'Nothing is left: all criteria are proven.'}
          </p>
        )}
      </div>
      {world.current_turn > 0 && <AsOf turn={at} newest={world.current_turn} />}
      {opened !== null && openedRow !== undefined && openedTurn !== undefined && (
        <CellDetail
          key={written}
          project={world.project}
          turn={openedTurn}
          newest={world.current_turn}
          cell={opened}
          row={openedRow}
          changes={record.changes}
          close={() => open(null)}
        />
      )}
    </section>
  )
}
