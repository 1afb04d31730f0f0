import Table from 'cli-table3'
import { colours } from './colours.ts'
import { withoutControls } from './output.ts'

export type Cell = string | number | null

/** A table at a terminal; to a pipe one line a row, cells apart by tabs, so that `cut` and `awk` can read it. */
export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  process.stdout.write(`${process.stdout.isTTY === true ? drawn(head, rows) : plain(head, rows)}\n`)
}

function drawn(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const { bold } = colours(process.stdout)
  const table = new Table({ head: head.map(bold), style: { head: [], border: [], compact: true } })
  for (const row of rows) table.push(row.map((cell) => withoutControls(String(cell ?? ''))))
  return table.toString()
}

const plain = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, ...rows].map((row) => row.map((cell) => oneLine(String(cell ?? ''))).join('\t')).join('\n')

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

/** The beginning of a text, for a cell. */
export function beginning(text: string, characters: number): string {
  const line = oneLine(text).trim()
  return [...line].length <= characters ? line : `${[...line].slice(0, characters - 1).join('')}…`
}
