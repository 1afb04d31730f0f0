// Writes values of answers as text: in a table, and as CSV. Pure.

export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (Array.isArray(value)) return value.map(describeValue).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe before it, because records hold what
 * anybody wrote.
 */
export const toCsv = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [columns, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('')

function csvField(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
