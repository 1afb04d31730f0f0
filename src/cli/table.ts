/** Prints the tables of all commands: fitted to a terminal's width, and as tab-separated values to a pipe. */
import Table from 'cli-table3'
import stringWidth from 'string-width'
import { toOneLine } from '../rules/foreign-text.ts'
import { colors } from './terminal.ts'

export type Cell = string | number | null | Painted

type Painted = { text: string; paint: (text: string) => string }

/**
 * Prints a table with the headings of seed 002 (`AVG_LENGTH`). `as: 'names'` prints the column names of a query unchanged.
 * @example printTable(['since turn'], [[3]]) // SINCE_TURN
 */
export function printTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { as = 'headings' }: { as?: 'headings' | 'names' } = {},
): void {
  const headings = as === 'names' ? head : head.map((name) => name.toUpperCase().replaceAll(' ', '_'))
  const isTerminal = process.stdout.isTTY === true
  const text = isTerminal ? drawTable(headings, rows, terminalWidth()) : tabSeparated(headings, rows)
  process.stdout.write(`${text}\n`)
}

/** Columns by heading: the field of an item with the cell, or a function that computes the cell. */
export type Columns<T> = Readonly<
  Record<string, CellField<T> | ((item: T, index: number) => Cell | undefined)>
>
type CellField<T> = { [K in Extract<keyof T, string>]: T[K] extends Cell | undefined ? K : never }[Extract<
  keyof T,
  string
>]

export function printColumns<T>(items: readonly T[], columns: Columns<T>): void {
  const cells = Object.values(columns).map((column) =>
    typeof column === 'function' ? column : (item: T) => item[column] as Cell | undefined,
  )
  printTable(
    Object.keys(columns),
    items.map((item, i) => cells.map((toCell) => toCell(item, i) ?? null)),
  )
}

const terminalWidth = (): number => process.stdout.columns || Number(process.env.COLUMNS) || 80

const BETWEEN = '  '
const NO_BORDERS = Object.fromEntries(
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid'
    .split(' ')
    .map((name) => [name, '']),
)

/**
 * Draws a table that fits `width` columns if possible: wraps texts between words. Never breaks an id or another single word,
 * because the user needs it for the next command.
 */
export function drawTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: number,
): string {
  const { bold } = colors(process.stdout)
  const [fitted, colWidths] = fitColumns(head, rows, width)
  const cells = fitted.map(([first = '', ...others]) => [wrapFirstCell(first, colWidths[0] ?? 1), ...others])
  const table = new Table({
    head: head.map((name) => bold(toOneLine(name))),
    chars: { ...NO_BORDERS, middle: BETWEEN },
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    colWidths,
    wordWrap: true,
  })
  table.push(
    ...cells.map((row, r) =>
      row.map((text, i) => {
        const cell = rows[r]?.[i]
        return typeof cell === 'object' && cell !== null ? cell.paint(text) : text
      }),
    ),
  )
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

const INDENTATION = '    '

/** Wraps the first cell of a row. Further lines are indented, so that they never look like a line of Turngraph. */
function wrapFirstCell(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line.trim() === '' ? line + word : `${line} ${word}`
    if (line.trim() === '' || stringWidth(longer) <= width) line = longer
    else {
      lines.push(line)
      line = INDENTATION + word
    }
  }
  return [...lines, line].map((each) => cutToWidth(each, width)).join('\n')
}

function cutToWidth(line: string, width: number): string {
  if (stringWidth(line) <= width) return line
  let shown = ''
  for (const character of line) {
    if (stringWidth(shown + character) >= width) break
    shown += character
  }
  return `${shown}…`
}

/** Computes the texts of the cells and the widths of the columns. Drops the seconds of times if the table is too wide. */
function fitColumns(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: number,
): [cells: string[][], widths: number[]] {
  const room = width - BETWEEN.length * (head.length - 1)
  const shortened = (time: RegExp) =>
    rows.map((row) => row.map((cell) => toOneLine(toText(cell)).replace(time, '$1$2')))
  const cells = shortened(FRACTION)
  const widths = columnWidths([head, ...cells], room)
  if (sum(widths) <= room) return [cells, widths]
  const withoutSeconds = shortened(SECONDS)
  return [withoutSeconds, columnWidths([head, ...withoutSeconds], room)]
}

const FRACTION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+(Z|[+-]\d\d:\d\d)$/
const SECONDS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d):\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** Minimum width of a column of texts. Ids and single words may require more. */
const READABLE = 16
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi

/** Computes the widths of columns: makes columns of texts narrower, the widest first, until the table fits. */
function columnWidths(lines: readonly (readonly string[])[], room: number): number[] {
  const columns = (lines[0] ?? []).map((_, i) => lines.map((line) => line[i] ?? ''))
  const widths = columns.map(findWidest)
  const least = columns.map((cells, i) => {
    const [, ...texts] = cells
    const words = texts.filter((cell) => !/\s/.test(cell.trim()))
    if (words.length === texts.length) return widths[i] ?? 1
    const ids = texts.flatMap((cell) => cell.match(UUID) ?? [])
    const indented = i === 0 ? ids.map((id) => INDENTATION + id) : ids
    return Math.max(READABLE, findWidest([...words, ...indented]))
  })
  for (let over = sum(widths) - room; over > 0; over--) {
    const mayGive = widths.map((width, i) => (width > (least[i] ?? 1) ? width : 0))
    const widest = Math.max(0, ...mayGive)
    if (widest === 0) break
    widths[mayGive.lastIndexOf(widest)] = widest - 1
  }
  return widths
}

const findWidest = (cells: readonly string[]): number =>
  Math.max(1, ...cells.flatMap((cell) => cell.split('\n')).map(stringWidth))

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

const toText = (cell: Cell): string =>
  typeof cell === 'object' && cell !== null ? cell.text : String(cell ?? '')

/** Writes one line per row with tabs between cells, for `cut` and `awk`. */
const tabSeparated = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, ...rows].map((row) => row.map((cell) => toOneLine(toText(cell))).join('\t')).join('\n')

export function beginning(text: string, characters: number): string {
  const line = toOneLine(text)
  return [...line].length <= characters ? line : `${[...line].slice(0, characters - 1).join('')}…`
}
