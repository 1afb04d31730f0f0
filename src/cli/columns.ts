import { printNote, withoutControls } from './output.ts'

const BETWEEN = '  '
/** A longer cell pushes its own row to the right, not all others. */
const WIDEST = 64

/**
 * A table as seed 002 prints it: columns as wide as their widest cell, two blanks between them, nothing else. The same
 * to a pipe: tools and patterns hold single blanks only.
 *
 * @param none what is said where there is no row
 * @example printColumns(['SESSION', 'TURN'], [['abc123', 3]], 'No such turn.')
 */
export function printColumns(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  none: string,
): void {
  if (rows.length === 0) {
    printNote(none)
    return
  }
  const lines = [head, ...rows].map((row) => row.map((cell) => withoutControls(String(cell))))
  const widths = head.map((_, i) =>
    Math.min(
      WIDEST,
      lines.reduce((widest, line) => Math.max(widest, widthOf(line[i] ?? '')), 0),
    ),
  )
  const text = lines.map((line) =>
    line
      .map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - widthOf(cell))))
      .join(BETWEEN)
      .trimEnd(),
  )
  process.stdout.write(`${text.join('\n')}\n`)
}

const widthOf = (text: string): number => [...text].length
