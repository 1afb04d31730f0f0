// Draws the matrix of criteria over turns as a grid with fixed headers and keyboard navigation.
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { InlineText } from '../../components/inline-text.tsx'
import { TurnLink } from '../../components/view-link.tsx'
import { Mark, markClass } from '../../marks/mark.tsx'
import { lightUpChanges, type Shown } from './light-up-changes.ts'
import {
  type CellPlace,
  findNewestCell,
  markCell,
  markState,
  nameCell,
  type Row,
  type Sort,
} from './matrix-rows.ts'
import { useGridCells } from './use-grid-cells.ts'

/** Maximum number of turns that leaves room for the texts of the criteria. */
const FEW_TURNS = 16

export const matrixClass = (turns: number): string => (turns > FEW_TURNS ? 'matrix' : 'matrix few-turns')

type Props = {
  project: string
  world: string
  turns: readonly number[]
  rows: readonly Row[]
  /** Keys of criteria with another state under the policy sticky. */
  changed: ReadonlySet<string>
  sort: Sort
  sortBy: (sort: Sort) => void
  open: (cell: CellPlace) => void
  opened: CellPlace | null
}

export function Matrix({ project, world, turns, rows, changed, sort, sortBy, open, opened }: Props) {
  const grid = useRef<HTMLTableElement>(null)
  useGridCells(grid, open, (key) => {
    const row = rows.find((each) => each.key === key)
    const turn = row === undefined ? undefined : findNewestCell(row, turns)
    if (turn !== undefined) open({ key, turn })
  })
  const shown = useRef<Shown | null>(null)
  useEffect(() => {
    const now = { rows, turns }
    if (grid.current !== null && shown.current !== null) lightUpChanges(grid.current, shown.current, now)
    shown.current = now
  }, [rows, turns])
  useEffect(() => markOpened(grid.current, opened), [opened, rows])

  // Memoized: Preact compares the cells, which may be 12,000, only if their facts may have changed.
  const body = useMemo(
    () => (
      <tbody>
        {rows.map((row) => (
          <MatrixRow
            key={row.key}
            row={row}
            turns={turns}
            isChanged={changed.has(row.key)}
            label={<bdi>{row.label}</bdi>}
            drawCell={(turn, attributes) => <td key={turn} {...attributes} tabIndex={-1} />}
          />
        ))}
      </tbody>
    ),
    [rows, turns, changed],
  )
  const isByState = sort === 'state'
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the cells can be reached and opened by keyboard
    <table class={matrixClass(turns.length)} role="grid" aria-label="Criteria by turn" ref={grid}>
      <MatrixHead project={project} world={world} turns={turns} sort={isByState ? 'ascending' : 'none'}>
        <button type="button" class="quiet" onClick={() => sortBy(isByState ? 'label' : 'state')}>
          State {isByState ? '▴' : '▵'}
        </button>
      </MatrixHead>
      {body}
    </table>
  )
}

type HeadProps = {
  project: string
  world: string
  turns: readonly number[]
  sort?: 'ascending' | 'none'
  /** Head of the states. */
  children: ComponentChildren
}

export function MatrixHead({ project, world, turns, sort, children }: HeadProps) {
  return (
    <thead>
      <tr>
        <th scope="col" class="label">
          Criterion
        </th>
        <th scope="col" class="text">
          Text
        </th>
        <th scope="col" class="state" aria-sort={sort}>
          {children}
        </th>
        {turns.map((turn) => (
          <th key={turn} scope="col" class="turn">
            <TurnLink project={project} world={world} turn={turn}>
              <span class="visually-hidden">Turn </span>
              {turn}
            </TurnLink>
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** Attributes of a cell. On a narrow screen, a cell shows its `data-turn`. */
type CellAttributes = { class: string; 'aria-label': string; 'data-turn': number }

type RowProps = {
  row: Row
  turns: readonly number[]
  /** True if the state differs under the policy sticky. */
  isChanged?: boolean
  label: ComponentChildren
  /** Draws the cell of a turn with its look and its accessible name. */
  drawCell: (turn: number, attributes: CellAttributes) => VNode
}

export function MatrixRow({ row, turns, isChanged = false, label, drawCell }: RowProps) {
  return (
    <tr data-key={row.key} class={row.counts ? undefined : 'not-counted'}>
      <th scope="row" class="label" title={row.label}>
        {label}
      </th>
      <TextAndState row={row} isChanged={isChanged} />
      {turns.map((turn) => {
        const cell = row.findCell(turn)
        return drawCell(turn, {
          class: `cell ${markClass(markCell(cell))}`,
          'aria-label': nameCell(row.name, turn, cell),
          'data-turn': turn,
        })
      })}
    </tr>
  )
}

/** Draws the full text and the state of a criterion. */
function TextAndState({ row, isChanged }: { row: Row; isChanged: boolean }) {
  const { state, stateTurn, basis, known, text } = row
  const since = `${stateTurn === null ? '' : ` in turn ${stateTurn}`}${known === null ? '' : `, ${known}`}`
  return (
    <>
      <td class="text">
        <bdi>
          <InlineText text={text ?? ''} />
        </bdi>
      </td>
      <td class={isChanged ? 'state changed' : 'state'} title={`${state}${since}`}>
        <Mark of={markState(state, basis)} /> {state}
        {isChanged && <span class="visually-hidden">, other than under the policy sticky</span>}
      </td>
    </>
  )
}

/** Marks the open cell in the document, without redrawing the cells. Returns the focus to a cell that was closed. */
function markOpened(grid: HTMLTableElement | null, opened: CellPlace | null): void {
  for (const cell of grid?.querySelectorAll<HTMLElement>('[aria-selected]') ?? []) {
    cell.removeAttribute('aria-selected')
    if (opened === null) cell.focus({ preventScroll: true })
  }
  if (opened === null) return
  const row = [...(grid?.tBodies[0]?.rows ?? [])].find(({ dataset }) => dataset.key === opened.key)
  row?.querySelector(`[data-turn="${opened.turn}"]`)?.setAttribute('aria-selected', 'true')
}
