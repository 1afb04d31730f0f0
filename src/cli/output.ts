/** Prints the answer of a command to standard output, and all notes to standard error. */
import { escapeHidden, toBlock, toOneLine } from '../rules/foreign-text.ts'
import type { Columns } from './table.ts'

/** Prints a line. Further lines of a text from outside are indented, and hidden characters are removed. */
export const printText = (text: string): void => printLines(toBlock(text))

/** Prints lines of Turngraph with colors. Foreign texts in them are single lines or blocks. */
export function printLines(lines: string): void {
  process.stdout.write(`${lines}\n`)
}

/** Prints only the wire form. At a terminal, hidden characters are escapes. */
export const printJson = (wire: unknown): void => printLines(toJson(wire, 2))

export const printJsonLine = (wire: unknown): void => printLines(toJson(wire))

function toJson(wire: unknown, indentation?: number): string {
  const json = JSON.stringify(wire, null, indentation)
  return process.stdout.isTTY === true ? escapeHidden(json) : json
}

/** Prints a line to standard error, like `printText` to standard output. */
export function printNote(text: string): void {
  process.stderr.write(`${toBlock(text)}\n`)
}

export const printAway = ({ message }: Error): void => printNote(`${message} This goes on once it is back.`)

/** Prints a table with one line per item and a note below it. For an empty table, prints only the text `none`, unless it is null. */
export async function printList<T>(
  items: readonly T[],
  none: string | null,
  columns: Columns<T>,
  note?: string,
): Promise<void> {
  if (items.length === 0 && none !== null) return printNote(none)
  const { printColumns } = await import('./table.ts')
  printColumns(items, columns)
  if (note !== undefined) printNote(note)
}

export const printItems =
  <T>(none: string | null, columns: Columns<T>, note?: string) =>
  ({ items }: { items: readonly T[] }): Promise<void> =>
    printList(items, none, columns, note)

/** Prints a progress line at a terminal, which the next one replaces. It has no bar, because the total is unknown. */
export function showProgress(line: string): void {
  if (process.stderr.isTTY === true) process.stderr.write(`\r\u001b[K${toOneLine(line)}`)
}

const SHOWN = 5

export function printSome(what: string, lines: readonly string[], most = SHOWN): void {
  for (const line of lines.slice(0, most)) printNote(`${what}: ${toOneLine(line)}`)
  if (lines.length > most) printNote(`${what}: ${lines.length - most} more; --json lists all`)
}
