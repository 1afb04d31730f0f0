// Opens the cells of a grid on click, and moves between them with the keyboard (WAI-ARIA, "Grid pattern").
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { CellPlace } from './matrix-rows.ts'

const PAGE_ROWS = 10

/**
 * Makes one cell reachable by Tab. The arrow keys move between cells, and Enter opens a cell like a click. A click elsewhere in a
 * row calls `openRow`.
 */
export function useGridCells(
  grid: RefObject<HTMLTableElement | null>,
  open: (cell: CellPlace) => void,
  openRow: (key: string) => void,
): void {
  const latest = useRef({ open, openRow })
  latest.current = { open, openRow }
  // Runs after each rendering, because the cell that Tab reaches may be gone.
  useEffect(() => {
    const table = grid.current
    if (table === null || table.querySelector('td[tabindex="0"]') !== null) return
    const first = cellsIn(table.tBodies[0]?.rows[0])[0]
    if (first !== undefined) first.tabIndex = 0
  })
  useEffect(() => {
    const table = grid.current
    if (table === null) return
    const leaving = new AbortController()
    const { signal } = leaving
    const openCell = (cell: HTMLTableCellElement) => {
      const key = cell.closest('tr')?.dataset.key
      if (key !== undefined) latest.current.open({ key, turn: Number(cell.dataset.turn) })
    }
    const focus = ({ target }: FocusEvent) => {
      const focused = cellAt(target)
      if (focused === null) return
      for (const cell of table.querySelectorAll<HTMLElement>('td[tabindex="0"]')) cell.tabIndex = -1
      focused.tabIndex = 0
    }
    const press = (event: KeyboardEvent) => {
      const cell = cellAt(event.target)
      if (cell === null || event.altKey || event.metaKey) return
      if (event.key === 'Enter' || event.key === ' ') openCell(cell)
      else if (!move(table, cell, event)) return
      event.preventDefault()
    }
    const click = ({ target }: MouseEvent) => {
      const cell = cellAt(target)
      if (cell !== null) return openCell(cell)
      const key = target instanceof Element ? target.closest<HTMLElement>('tr[data-key]')?.dataset.key : null
      // A click that selects a text opens nothing.
      if (key != null && getSelection()?.isCollapsed !== false) latest.current.openRow(key)
    }
    table.addEventListener('focusin', focus, { signal })
    table.addEventListener('keydown', press, { signal })
    table.addEventListener('click', click, { signal })
    return () => leaving.abort()
  }, [grid])
}

/** Moves the focus by a key; returns false if the key does not move in a grid. */
function move(table: HTMLTableElement, from: HTMLTableCellElement, { key, ctrlKey }: KeyboardEvent): boolean {
  const rows = [...(table.tBodies[0]?.rows ?? [])]
  const row = rows.findIndex((candidate) => candidate.contains(from))
  const cells = cellsIn(rows[row])
  const column = cells.indexOf(from)
  const [lastRow, lastColumn] = [rows.length - 1, cells.length - 1]
  const targets: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    PageUp: [Math.max(0, row - PAGE_ROWS), column],
    PageDown: [Math.min(lastRow, row + PAGE_ROWS), column],
    Home: [ctrlKey ? 0 : row, 0],
    End: [ctrlKey ? lastRow : row, lastColumn],
  }
  const target = targets[key]
  if (target === undefined) return false
  cellsIn(rows[target[0]])[target[1]]?.focus()
  return true
}

const cellAt = (target: EventTarget | null): HTMLTableCellElement | null =>
  target instanceof Element ? target.closest<HTMLTableCellElement>('td[data-turn]') : null

const cellsIn = (row: HTMLTableRowElement | undefined): HTMLTableCellElement[] =>
  row === undefined ? [] : [...row.querySelectorAll<HTMLTableCellElement>('td[data-turn]')]
