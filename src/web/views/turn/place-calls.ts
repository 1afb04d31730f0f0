// Places the calls of a turn on a line in their order; stacks the calls of one response. Pure.
import type { ItemOf } from '../../service/operations.ts'

type Step = ItemOf<'listTranscriptSteps'>

export type PlacedCalls<S> = {
  calls: { step: S; x: number; row: number; width: number }[]
  width: number
  rows: number
}

const MIN_WIDTH = 12
const MAX_WIDTH = 160
const GAP = 2

/** Width by the square root of the duration: otherwise a call of ten minutes hides calls of a second. */
const toLength = (ms: number | null): number =>
  Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.sqrt(ms ?? 0) / 2)))

export function placeCalls<S extends Pick<Step, 'sequence' | 'parallel_group' | 'duration_ms'>>(
  steps: readonly S[],
): PlacedCalls<S> {
  const calls: PlacedCalls<S>['calls'] = []
  let [x, end, row, rows] = [0, 0, 0, 1]
  let group: number | null = null
  for (const step of steps) {
    const isBeside = step.parallel_group !== null && step.parallel_group === group
    row = isBeside ? row + 1 : 0
    x = isBeside ? x : end
    const width = toLength(step.duration_ms)
    calls.push({ step, x, row, width })
    end = Math.max(end, x + width + GAP)
    rows = Math.max(rows, row + 1)
    group = step.parallel_group
  }
  return { calls, width: Math.max(1, end), rows }
}
