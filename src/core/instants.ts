/**
 * Instants travel as ISO 8601 text, in UTC, to the microsecond: real artifacts have those, a JavaScript Date
 * would cut them, and the embedded engine keeps no more. Without a zone the time is UTC (contract: turns.md).
 */
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s?(Z|z|[+-]\d{2}(?::?\d{2})?)?$/

/**
 * The one form in which Turngraph stores and shows an instant, or `null` where the text is not an instant.
 *
 * @example canonicalInstant('2026-03-08T14:07:00.397166+01:00') // '2026-03-08T13:07:00.397166Z'
 */
export function canonicalInstant(text: string): string | null {
  const found = ISO.exec(text.trim())
  if (found === null) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = found
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const date = new Date(`${local}Z`)
  // Date rolls 2026-02-31 over to March: such a text is no instant.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 19) !== local) return null
  const utc = new Date(date.getTime() - offsetMinutes(zone) * 60_000)
  const digits = fraction.slice(0, 6).replace(/0+$/, '')
  const padded = digits.padEnd(Math.ceil(digits.length / 3) * 3, '0')
  return `${utc.toISOString().slice(0, 19)}${padded === '' ? '' : `.${padded}`}Z`
}

/** Later than every instant that is stored. */
export const LATEST_INSTANT = '9999-12-31T23:59:59.999Z'

/** An instant of this service's own clock, in the one form. */
export const toInstant = (date: Date): string => canonicalInstant(date.toISOString()) as string

function offsetMinutes(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0
  const [, sign, hours = '00', minutes = '00'] = zone.match(/^([+-])(\d{2}):?(\d{2})?$/) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/** Whole seconds between two canonical instants, or null where one is not known or both are the same. */
export function secondsBetween(start: string | null, end: string | null): number | null {
  if (start === null || end === null || start === end) return null
  return Math.max(0, Math.round((Date.parse(end) - Date.parse(start)) / 1000))
}
