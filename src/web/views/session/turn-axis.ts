// Places turns on a line: one after another, or by the clock. Pure.
import type { Turn } from '../../service/operations.ts'

export type Axis = 'number' | 'clock'

/** Position of a turn in pixels from the left, space for a turn, and width of the axis. */
export type TurnAxis = { toX: (index: number) => number; step: number; width: number }

const STEP = 24
const CLOCK_WIDTH = 960
const MARGIN = STEP / 2

type Timed = Pick<Turn, 'started_at' | 'completed_at' | 'created_at'>

export function placeTurns(turns: readonly Timed[], axis: Axis): TurnAxis {
  if (axis === 'number') {
    return { toX: (index) => MARGIN + index * STEP, step: STEP, width: Math.max(1, turns.length) * STEP }
  }
  const times = turns.map(toTime)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const scale = last > first ? (CLOCK_WIDTH - 2 * MARGIN) / (last - first) : 0
  return {
    toX: (index) => MARGIN + ((times[index] ?? first) - first) * scale,
    step: 8,
    width: CLOCK_WIDTH,
  }
}

const toTime = ({ completed_at, started_at, created_at }: Timed): number =>
  new Date(completed_at ?? started_at ?? created_at).getTime()
