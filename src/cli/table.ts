import Table from 'cli-table3'
import { colours } from './colours.ts'
import { withoutControls } from './output.ts'

export type Cell = string | number | null | Painted

/** A text with its colour at a terminal. */
export type Painted = { text: string; paint: (text: string) => string }

const textOf = (cell: Cell): string =>
  typeof cell === 'object' && cell !== null ? cell.text : String(cell ?? '')

const painted = (cell: Cell): string => {
  const text = withoutControls(textOf(cell))
  return typeof cell === 'object' && cell !== null ? cell.paint(text) : text
}

/** A table at a terminal; to a pipe one line a row, cells apart by tabs, so that `cut` and `awk` can read it. */
export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  process.stdout.write(`${process.stdout.isTTY === true ? drawn(head, rows) : plain(head, rows)}\n`)
}

function drawn(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const { bold } = colours(process.stdout)
  const texts = rows.map((row) => row.map((cell) => withoutControls(textOf(cell))))
  const table = new Table({
    head: head.map(bold),
    style: { head: [], border: [], compact: true },
    ...fitting([head, ...texts]),
  })
  table.push(...rows.map((row) => row.map(painted)))
  return table.toString()
}

const NARROWEST = 24

/** Where the rows are wider than the terminal, the last column is wrapped. */
function fitting(rows: readonly (readonly string[])[]): {
  colWidths?: (number | null)[]
  wordWrap?: boolean
} {
  const columns = rows[0]?.length ?? 0
  // Each column has a border and two spaces, and the table one border more.
  const widths = Array.from(
    { length: columns },
    (_, i) => 3 + Math.max(...rows.map((row) => row[i]?.length ?? 0)),
  )
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width, 0)
  const left = (process.stdout.columns || 80) - before - 2
  if ((widths.at(-1) ?? 0) <= left + 1) return {}
  return { colWidths: [...widths.slice(0, -1).map(() => null), Math.max(left, NARROWEST)], wordWrap: true }
}

const plain = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, ...rows].map((row) => row.map((cell) => oneLine(textOf(cell))).join('\t')).join('\n')

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

/** The beginning of a text, for a cell. */
export function beginning(text: string, characters: number): string {
  const line = oneLine(text).trim()
  return [...line].length <= characters ? line : `${[...line].slice(0, characters - 1).join('')}…`
}
