// Writes values of answers as text for a table. Pure.

export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return value.map(describeValue).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
