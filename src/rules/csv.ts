/** Writes rows as CSV (RFC 4180) in which no spreadsheet runs a formula. Pure. */
import { removeHidden, toOneLine } from './foreign-text.ts'

export type CsvOptions = {
  /** True for a terminal: line breaks within a text are spaces, so that no text from outside begins a line. */
  oneLine?: boolean
}

/**
 * Writes null as `null`, and quotes a text of these letters. Puts an apostrophe before a text that a spreadsheet would read as a
 * formula. Numbers do not change. Lists and maps are JSON. Removes hidden characters.
 *
 * @example toCsv(['a', 'b'], [['=1+1', -2]]) // "a,b\r\n'=1+1,-2\r\n"
 */
export function toCsv(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  { oneLine = false }: CsvOptions = {},
): string {
  const clean = oneLine ? toOneLine : removeHidden
  return [columns, ...rows]
    .map((row) => `${row.map((value) => toField(value, clean)).join(',')}\r\n`)
    .join('')
}

const FORMULA = /^\s*[=+\-@]|^[\t\r]/

function toField(value: unknown, clean: (text: string) => string): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value !== 'string')
    return quote(clean(typeof value === 'object' ? JSON.stringify(value) : String(value)))
  const text = clean(value)
  if (text === 'null') return '"null"'
  return quote(FORMULA.test(text) ? `'${text}` : text)
}

const quote = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
