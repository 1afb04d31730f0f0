/**
 * Converts the answers of queries to one JSON form for both engines (docs/how-to/analyst.md, "Values"): a node is `{id, labels,
 * properties}`, a relationship `{id, type, start, end, properties}`, a path `{nodes, relationships}`; ids are the engine's own ids,
 * as text. Instants, dates and durations are ISO 8601 text without redundant zeros. A whole number beyond ±2^53 is text. NaN and
 * the infinities are null because JSON lacks them.
 */

export const numberForm = (value: number): number | null => (Number.isFinite(value) ? value : null)

export const integerForm = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()

/** `2026-01-01T00:00:00.120000000Z` and `….12Z` are the same instant. */
export const temporalForm = (text: string): string =>
  text.replace(/(\d{2}:\d{2}:\d{2})\.(\d*?)0*(?=[Z+\-[]|$)/, (_all, seconds: string, digits: string) =>
    digits === '' ? seconds : `${seconds}.${digits}`,
  )

export type DurationParts = { months: number; days: number; seconds: number; nanoseconds: number }

/** Returns a duration in the form of Cypher's own `toString`: `P1Y2M3DT4H5M6.5S`. */
export function durationForm({ months, days, seconds, nanoseconds }: DurationParts): string {
  const date = parts([Math.trunc(months / 12), 'Y'], [months % 12, 'M'], [days, 'D'])
  const negative = seconds < 0 && nanoseconds > 0
  const whole = negative ? seconds + 1 : seconds
  const fraction = negative ? 1_000_000_000 - nanoseconds : nanoseconds
  const rest = whole % 60
  const digits = fraction === 0 ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`
  const sign = negative && rest === 0 ? '-' : ''
  const time = [
    parts([Math.trunc(whole / 3600), 'H'], [Math.trunc((whole % 3600) / 60), 'M']),
    rest === 0 && digits === '' ? '' : `${sign}${rest}${digits}S`,
  ].join('')
  if (date === '' && time === '') return 'PT0S'
  return time === '' ? `P${date}` : `P${date}T${time}`
}

const parts = (...given: readonly [number, string][]): string =>
  given.map(([count, unit]) => (count === 0 ? '' : `${count}${unit}`)).join('')

/** Sorts an object by its keys: properties have no order in either engine. */
export const sortedForm = (
  object: Readonly<Record<string, unknown>>,
  form: (value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((key) => [key, form(object[key])]),
  )
