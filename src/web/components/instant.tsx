// Draws an instant in the time zone of the reader, with the exact time as a tooltip.
import { createContext } from 'preact'
import { useContext, useEffect, useReducer } from 'preact/hooks'

const near = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** Clock of the instants below it. A report uses UTC without relative times: its readers and reading times are unknown. */
export const ClockContext = createContext<'local' | 'utc'>('local')

export function Instant({ at, exact = false }: { at: string | null; exact?: boolean }) {
  const isUtc = useContext(ClockContext) === 'utc'
  if (at === null) return <span class="quiet-text">time unknown</span>
  const local = () => (exact ? date.format(new Date(at)) : <RelativeTime at={at} />)
  const shown = isUtc ? describeInUtc(at) : local()
  return (
    <time dateTime={at} title={isUtc ? at : whole.format(new Date(at))}>
      {shown}
    </time>
  )
}

/** Time after which a relative time is drawn again. */
const REDRAW_MS = 10_000

function RelativeTime({ at }: { at: string }) {
  const [, render] = useReducer((times: number) => times + 1, 0)
  useEffect(() => {
    const timer = setInterval(() => render(undefined), REDRAW_MS)
    return () => clearInterval(timer)
  }, [])
  return <>{describeInstant(at, Date.now())}</>
}

/** `2026-05-04 08:05 UTC`. */
const describeInUtc = (at: string): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

function describeInstant(at: string, now: number): string {
  const seconds = (new Date(at).getTime() - now) / 1_000
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
