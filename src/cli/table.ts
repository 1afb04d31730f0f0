/** Prints the tables of all commands: fitted to a terminal's width, and as tab-separated values to a pipe. */
import Table from 'cli-table3'
import stringWidth from 'string-width'
import { colours } from './colours.ts'
import { withoutControls } from './output.ts'

export type Cell = string | number | null | Painted

/** A text with its colour at a terminal. */
export type Painted = { text: string; paint: (text: string) => string }

/**
 * Prints a table with the headings of seed 002 (`AVG_LENGTH`).
 *
 * @param head `as: 'names'` prints the headings as they are: the columns of a query are its author's
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

/** A terminal that does not say how wide it is has 80 columns. */
const terminalWidth = (): number => process.stdout.columns || Number(process.env.COLUMNS) || 80

const BETWEEN = '  '
const NO_BORDERS = Object.fromEntries(
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid'
    .split(' ')
    .map((name) => [name, '']),
)

/**
 * Draws a table of at most `width` columns. Texts are wrapped between words; a word that is wider than its column is
 * cut, and ends with an ellipsis.
 */
export function drawTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: number,
): string {
  const { bold } = colours(process.stdout)
  const texts = rows.map((row) => row.map((cell) => withoutControls(textOf(cell))))
  const table = new Table({
    head: head.map((name) => bold(withoutControls(name))),
    chars: { ...NO_BORDERS, middle: BETWEEN },
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    colWidths: columnWidths([head, ...texts], width),
    wordWrap: true,
  })
  table.push(...rows.map((row) => row.map(painted)))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** A column of texts is not made narrower than this as long as others have room to give. */
const READABLE = 16

/** Takes what is too wide from columns of texts first, and from names and numbers only then. */
function columnWidths(lines: readonly (readonly string[])[], width: number): number[] {
  const columns = (lines[0] ?? []).map((_, i) => lines.map((line) => line[i] ?? ''))
  const natural = columns.map((cells) =>
    Math.max(1, ...cells.flatMap((cell) => cell.split('\n')).map(stringWidth)),
  )
  const room = Math.max(natural.length, width - BETWEEN.length * (natural.length - 1))
  const isText = columns.map((cells) => cells.slice(1).some((cell) => /\s/.test(cell.trim())))
  const texts = narrowed(natural, room, (i) => isText[i] === true, READABLE)
  return narrowed(texts, room, () => true, 1)
}

/** Lowers the widest of the columns that may give, one by one, until all fit or none is wider than `least`. */
function narrowed(
  widths: readonly number[],
  room: number,
  mayGive: (column: number) => boolean,
  least: number,
): number[] {
  const result = [...widths]
  let over = result.reduce((sum, each) => sum + each, 0) - room
  for (; over > 0; over--) {
    const widest = Math.max(0, ...result.filter((_, i) => mayGive(i)))
    if (widest <= least) break
    result[result.findLastIndex((each, i) => mayGive(i) && each === widest)] = widest - 1
  }
  return result
}

const textOf = (cell: Cell): string =>
  typeof cell === 'object' && cell !== null ? cell.text : String(cell ?? '')

const painted = (cell: Cell): string => {
  const text = withoutControls(textOf(cell))
  return typeof cell === 'object' && cell !== null ? cell.paint(text) : text
}

/** One line a row and a tab between cells, so that `cut` and `awk` can read it. */
const tabSeparated = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, ...rows].map((row) => row.map((cell) => oneLine(textOf(cell))).join('\t')).join('\n')

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

/** The beginning of a text, for a cell. */
export function beginning(text: string, characters: number): string {
  const line = oneLine(text).trim()
  return [...line].length <= characters ? line : `${[...line].slice(0, characters - 1).join('')}…`
}
