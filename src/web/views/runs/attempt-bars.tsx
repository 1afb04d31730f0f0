// Draws the attempts of a run as bars on a timeline, each in the row of its attempt.
import { describeDuration } from '../../components/instant.tsx'
import type { Answered } from '../../service/operations.ts'
import type { Timeline } from './attempt-timeline.ts'

export type Attempt = Answered<'listAttempts'>['items'][number]

const WIDTH = 400
const HEIGHT = 16

type Props = {
  attempt: Attempt
  place: { from: number; to: number }
  cuts: Timeline['cuts']
  seconds: number
  /** Real length of the pause before the attempt, if the timeline shortens it. */
  pauseMs: number | null
}

/** Draws an attempt. The shape shows how it ended: full, crossed out, broken off, or open to the right. */
export function AttemptBar({ attempt: { status }, place: { from, to }, cuts, seconds, pauseMs }: Props) {
  const [left, right] = [from * WIDTH, Math.min(to, 1) * WIDTH]
  const pause =
    pauseMs === null ? '' : `, after a pause of ${describeDuration(pauseMs / 1_000)}, which is cut short`
  const said = `${status}, ${describeDuration(seconds)}${pause}`
  return (
    <svg
      class="attempt-bar"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={said}
    >
      <title>{said}</title>
      {/* One path for all: a path for each would be as many as attempts, in each of their rows. */}
      {cuts.length > 0 && (
        <path class="pause" d={cuts.map(({ at }) => `M${at * WIDTH} 0v${HEIGHT}`).join('')} />
      )}
      <path class={`attempt-${status}`} d={barPath(status, left, Math.max(left + 2, right))} />
    </svg>
  )
}

const TOP = 3
const BOTTOM = HEIGHT - 3

function barPath(status: Attempt['status'], left: number, right: number): string {
  const box = `M${left} ${TOP}H${right}V${BOTTOM}H${left}Z`
  if (status === 'committed') return box
  if (status === 'failed') return `${box}M${left} ${TOP}L${right} ${BOTTOM}M${left} ${BOTTOM}L${right} ${TOP}`
  // An interrupted or running attempt has no right edge.
  return `M${right} ${TOP}H${left}V${BOTTOM}H${right}`
}
