/** Prints what a command says: standard output is for what it answers, standard error for all that is said beside it. */
import { escapeHidden, toBlock, toOneLine } from '../rules/foreign-text.ts'
import type { Columns } from './table.ts'

/** Prints a line. Further lines of a text from outside are indented, and hidden characters are removed. */
export const printText = (text: string): void => printLines(toBlock(text))

/** Prints lines of our own, with colors; texts from outside in them are one line or a block each. */
export function printLines(lines: string): void {
  process.stdout.write(`${lines}\n`)
}

/** Prints only the wire form. At a terminal, hidden characters are escapes. */
export const printJson = (wire: unknown): void => printLines(toJson(wire, 2))

/** Prints the wire form as one line of several. */
export const printJsonLine = (wire: unknown): void => printLines(toJson(wire))

function toJson(wire: unknown, indentation?: number): string {
  const json = JSON.stringify(wire, null, indentation)
  return process.stdout.isTTY === true ? escapeHidden(json) : json
}

/** Prints a line to standard error, as `printText` does to standard output. */
export function printNote(text: string): void {
  process.stderr.write(`${toBlock(text)}\n`)
}

/** For a command that goes on while the service is away, maybe for long. */
export const printAway = ({ message }: Error): void => printNote(`${message} This goes on once it is back.`)

/** Prints a table with a line for each item and a note below it, or, where `none` is a text, that alone instead of an empty table. */
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

/** Prints the items of an answer, as `printList` does. */
export const printItems =
  <T>(none: string | null, columns: Columns<T>, note?: string) =>
  ({ items }: { items: readonly T[] }): Promise<void> =>
    printList(items, none, columns, note)

/** One line at a terminal that the next one replaces; how long the work is nobody knows. */
export function showProgress(line: string): void {
  if (process.stderr.isTTY === true) process.stderr.write(`\r\u001b[K${toOneLine(line)}`)
}

const SHOWN = 5

/** The first of a list that may be long, one line each. */
export function printSome(what: string, lines: readonly string[], most = SHOWN): void {
  for (const line of lines.slice(0, most)) printNote(`${what}: ${toOneLine(line)}`)
  if (lines.length > most) printNote(`${what}: ${lines.length - most} more; --json lists all`)
}

/** A number with its noun, in the right number: `1 turn`, `2 turns`. */
export const plural = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** Quotes an argument for the shell that a command is pasted into, where it has to be. */
export const quoteForShell = (argument: string): string =>
  /^[\w.,:@%+=/-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
