// Highlights, once, the cells of a grid whose meaning changed since the last rendering.
import { nameCell, type Row } from './matrix-rows.ts'

const LIT_MS = 300

export type Shown = { rows: readonly Row[]; turns: readonly number[] }

/** Compares rows instead of elements: reading the names of 12,000 elements takes longer than drawing a frame. */
export function lightUpChanges(grid: HTMLTableElement, before: Shown, now: Shown): void {
  const rowsBefore = new Map(before.rows.map((row) => [row.key, row]))
  const turnsBefore = new Set(before.turns)
  for (const [i, row] of now.rows.entries()) {
    const cells = grid.tBodies[0]?.rows[i]?.querySelectorAll('.cell')
    for (const [column, turn] of now.turns.entries()) {
      const cell = cells?.[column]
      const rowBefore = turnsBefore.has(turn) ? rowsBefore.get(row.key) : undefined
      const isNews =
        rowBefore === undefined
          ? row.findCell(turn).said !== 'not judged'
          : nameAt(rowBefore, turn) !== nameAt(row, turn)
      if (cell !== undefined && isNews) lightUp(cell)
    }
  }
}

const nameAt = (row: Row, turn: number): string => nameCell(row.name, turn, row.findCell(turn))

function lightUp(cell: Element): void {
  cell.classList.add('lit')
  setTimeout(() => cell.classList.remove('lit'), LIT_MS)
}
