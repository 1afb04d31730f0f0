// Draws the measures of turns as bars, one line per measure.
import { describeDuration } from '../../components/instant.tsx'
import type { Turn } from '../../service/operations.ts'
import type { TurnAxis } from './turn-axis.ts'

/** Measure with one bar per turn; failures are stacked on top of the bar. Null if the turn does not record the value. */
type Measure = {
  name: string
  values: readonly { turn: number; value: number | null; failed: number | null }[]
  describe: (value: number) => string
  kind: 'bars' | 'gate'
}

type Read = (turn: Turn) => number | null

/** Returns the measures that at least one turn records; gates come last. */
export function readMeasures(
  turns: readonly Turn[],
  gateNames: readonly string[],
  tokens: ReadonlyMap<number, number>,
): Measure[] {
  const over = (name: string, read: Read, more: Partial<Measure> = {}, readFailed?: Read): Measure => ({
    name,
    kind: 'bars',
    describe: String,
    values: turns.map((turn) => ({
      turn: turn.turn_number,
      value: read(turn),
      failed: readFailed?.(turn) ?? null,
    })),
    ...more,
  })
  return [
    over('Duration', ({ duration_seconds }) => duration_seconds, { describe: describeDuration }),
    over('Tokens', ({ turn_number }) => tokens.get(turn_number) ?? null, { describe: describeCount }),
    over(
      'Tests passed, failed',
      (turn) => turn.tests_passed,
      {},
      (turn) => turn.tests_failed,
    ),
    over('Coverage, %', ({ coverage }) => coverage),
    over('Blocking issues', countBlocking),
    ...gateNames.map((gate) => over(`Gate ${gate}`, ({ gates }) => valueOfGate(gates[gate]), GATE)),
  ].filter(({ values }) => values.some(({ value, failed }) => value !== null || failed !== null))
}

const GATE = { kind: 'gate', describe: (value: number) => (value === 1 ? 'passed' : 'failed') } as const

export const countBlocking = ({ issues }: Turn): number =>
  issues.filter(({ severity }) => severity === 'blocking').length

const counts = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Writes a count, for example `1.2M` or `640`. */
export const describeCount = (value: number): string => counts.format(value)

/** Returns the value of a gate; null for an unknown gate. */
const valueOfGate = (status: string | undefined): number | null =>
  status === 'passed' ? 1 : status === 'failed' ? 0 : null

const HEIGHT = 32

export function MeasureChart({ measure, axis }: { measure: Measure; axis: TurnAxis }) {
  const { name, values, describe, kind } = measure
  const most = Math.max(0, ...values.map(({ value, failed }) => (value ?? 0) + (failed ?? 0)))
  const height = kind === 'gate' ? 16 : HEIGHT
  const bar = Math.max(3, axis.step - 10)
  return (
    <div class="measure">
      <svg
        width={axis.width}
        height={height}
        viewBox={`0 0 ${axis.width} ${height}`}
        role="img"
        aria-label={`${name}: ${kind === 'gate' ? 'passed or failed' : `at most ${describe(most)}`}`}
      >
        <line class="baseline" x1="0" x2={axis.width} y1={height - 0.5} y2={height - 0.5} />
        {values.map((one, i) => {
          const x = axis.toX(i)
          const said = `turn ${one.turn}: ${one.value === null ? 'not known' : describe(one.value)}`
          if (kind === 'gate') return <GateMark key={one.turn} x={x} value={one.value} said={said} />
          const high = most === 0 ? 0 : (height - 2) / most
          const passed = (one.value ?? 0) * high
          const failed = (one.failed ?? 0) * high
          return (
            <g key={one.turn}>
              <title>{one.failed === null ? said : `${said} passed, ${one.failed} failed`}</title>
              <rect class="amount" x={x - bar / 2} y={height - 1 - passed} width={bar} height={passed} />
              <rect
                class="amount-failed"
                x={x - bar / 2}
                y={height - 1 - passed - failed}
                width={bar}
                height={failed}
              />
            </g>
          )
        })}
      </svg>
      {kind === 'bars' && <span class="measure-most">{describe(most)}</span>}
    </div>
  )
}

/** Draws a gate: a filled square for passed, a cross for failed. */
function GateMark({ x, value, said }: { x: number; value: number | null; said: string }) {
  if (value === null) return null
  return (
    <g>
      <title>{said}</title>
      {value === 1 ? (
        <rect class="passed" x={x - 4} y="3" width="8" height="8" />
      ) : (
        <path class="failed" d={`m${x - 4} 3 8 8m0-8-8 8`} />
      )}
    </g>
  )
}
