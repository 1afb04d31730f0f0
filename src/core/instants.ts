/**
 * Instants are ISO 8601 texts in UTC with microseconds. Real artifacts have microseconds, a JavaScript Date would cut them off, and
 * the embedded engine stores no more digits. Without a zone the time is UTC (contract: turns.md).
 */
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s?(Z|z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/

/**
 * Converts a text to the form in which Turngraph stores and shows instants. Returns null if the text is not an instant.
 *
 * @example canonicalInstant('2026-03-08T14:07:00.397166+01:00') // '2026-03-08T13:07:00.397166Z'
 */
export function canonicalInstant(text: string): string | null {
  const found = ISO.exec(text.trim())
  if (found === null) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = found
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const date = new Date(`${local}Z`)
  // Date turns 2026-02-31 into a day in March. Such a text is not an instant.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 19) !== local) return null
  const utc = new Date(date.getTime() - offsetMinutes(zone) * 60_000).toISOString()
  if (!/^\d/.test(utc)) return null // The year in UTC is not within 0000 to 9999, so it has a sign and six digits.
  const digits = fraction.slice(0, 6).replace(/0+$/, '')
  const padded = digits.padEnd(Math.ceil(digits.length / 3) * 3, '0')
  return `${utc.slice(0, 19)}${padded === '' ? '' : `.${padded}`}Z`
}

/** Later than every stored instant. */
export const LATEST_INSTANT = '9999-12-31T23:59:59.999Z'

/** Orders canonical instants. As a text, an instant without a fraction would come last in its second. */
export function compareInstants(a: string, b: string): number {
  const [withoutZone, other] = [a.slice(0, -1), b.slice(0, -1)]
  return withoutZone < other ? -1 : withoutZone > other ? 1 : 0
}

/** Converts a time of this service's own clock to the stored form. */
export const toInstant = (date: Date): string => canonicalInstant(date.toISOString()) as string

function offsetMinutes(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0
  const [, sign, hours = '00', minutes = '00'] = zone.match(/^([+-])(\d{2}):?(\d{2})?$/) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/** Whole seconds between two canonical instants; null if one is unknown or both are the same. */
export function secondsBetween(start: string | null, end: string | null): number | null {
  if (start === null || end === null || start === end) return null
  return Math.max(0, Math.round((Date.parse(end) - Date.parse(start)) / 1000))
}
