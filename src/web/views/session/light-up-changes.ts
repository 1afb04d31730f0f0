// Lights up, once, the cells of a grid that say something else than when they were last looked at.
import { nameCell, type Row } from './matrix-rows.ts'

const LIT_MS = 300

/** By the rows, not by the elements: to read the names of 12,000 of them takes longer than to draw a frame. */
export function lightUpChanges(
  grid: HTMLTableElement,
  before: readonly Row[],
  rows: readonly Row[],
  turns: readonly number[],
): void {
  const earlier = new Map(before.map((row) => [row.key, row]))
  for (const [i, row] of rows.entries()) {
    const cells = grid.tBodies[0]?.rows[i]?.querySelectorAll('.cell')
    const seen = earlier.get(row.key)
    for (const [column, turn] of turns.entries()) {
      const cell = cells?.[column]
      if (cell === undefined) continue
      if (seen === undefined || nameAt(seen, turn) !== nameAt(row, turn)) lightUp(cell)
    }
  }
}

const nameAt = (row: Row, turn: number): string => nameCell(row.name, turn, row.cellOf(turn))

function lightUp(cell: Element): void {
  cell.classList.add('lit')
  setTimeout(() => cell.classList.remove('lit'), LIT_MS)
}
