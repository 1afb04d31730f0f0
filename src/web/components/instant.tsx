// Draws an instant in the time zone of the reader, with the exact time as a tooltip.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

const near = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'narrow' })
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const WEEK_S = 7 * 86_400

/** Clock of the instants below it. A report uses UTC without relative times: its readers and reading times are unknown. */
export const ClockContext = createContext<'local' | 'utc'>('local')

export function Instant({ at, exact = false }: { at: string; exact?: boolean }) {
  const isUtc = useContext(ClockContext) === 'utc'
  const local = () => (exact ? date.format(new Date(at)) : describeInstant(at, Date.now()))
  const shown = isUtc ? describeInUtc(at) : local()
  return (
    <time dateTime={at} title={at}>
      {shown}
    </time>
  )
}

/** `2026-05-04 08:05 UTC`. */
const describeInUtc = (at: string): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Describes an instant of the last or next seven days as a relative time, any other as a local date. */
function describeInstant(at: string, now: number): string {
  const seconds = (new Date(at).getTime() - now) / 1_000
  if (Math.abs(seconds) >= WEEK_S) return date.format(new Date(at))
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const)
  return near.format(Math.trunc(seconds / length), unit)
}

/** `1:02:03`, `2:05`, `12 s`. */
export function describeDuration(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}
