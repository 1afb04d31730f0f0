// Draws the attempts of a run, newest first, each with its bar on a common timeline.
import { describeDuration, Instant } from '../../components/instant.tsx'
import { Table } from '../../components/table.tsx'
import { TurnLink } from '../../components/view-link.tsx'
import { type DecisionMark, Mark } from '../../marks/mark.tsx'
import type { ItemOf } from '../../service/operations.ts'
import { placeSpans, type Timeline } from './attempt-timeline.ts'

export type Attempt = ItemOf<'listAttempts'>

type Props = {
  project: string
  world: string
  attempts: readonly Attempt[]
  /** Current time in milliseconds, as the end of the running attempt. */
  now: number
}

const MARKS: Readonly<Record<Attempt['status'], DecisionMark>> = {
  committed: 'approved',
  failed: 'rejected turn',
  interrupted: 'deferred',
  running: 'running',
}

export function AttemptsTable({ project, world, attempts, now }: Props) {
  const spans = attempts.map(({ started_at: start, ended_at: end }) => ({
    start: Date.parse(start),
    end: end === null ? Math.max(now, Date.parse(start)) : Date.parse(end),
  }))
  const { places, cuts } = placeSpans(spans)
  const rows = attempts.map((attempt, i) => ({
    attempt,
    place: places[i] ?? { from: 0, to: 0 },
    seconds: ((spans[i]?.end ?? 0) - (spans[i]?.start ?? 0)) / 1_000,
    pauseMs: pauseBefore(places[i]?.from ?? 0, places[i + 1]?.to ?? 0, cuts),
  }))
  return (
    <Table
      label="Attempts"
      records={rows}
      toKey={({ attempt }) => attempt.attempt_id}
      columns={[
        { head: 'Attempt', isName: true, cell: ({ attempt }) => attempt.turn_run_seq ?? '–' },
        { head: 'Turn', isNumber: true, cell: ({ attempt }) => <TurnOf {...{ project, world, attempt }} /> },
        {
          head: 'Ended',
          cell: ({ attempt: { status } }) => (
            <>
              <Mark of={MARKS[status]} /> {status}
            </>
          ),
        },
        {
          head: 'Line of time',
          cell: (row) => <AttemptBar {...row} cuts={cuts} />,
        },
        { head: 'Took', isNumber: true, cell: ({ seconds }) => describeLength(seconds) },
        { head: 'Started', cell: ({ attempt }) => <Instant at={attempt.started_at} exact /> },
        {
          head: 'Why it failed',
          cell: ({ attempt }) => <span class="said">{attempt.failure_reason ?? ''}</span>,
        },
      ]}
    />
  )
}

/** Returns the real length of the pause before an attempt if the timeline shortens it; otherwise null. */
function pauseBefore(from: number, endBefore: number, cuts: Timeline['cuts']): number | null {
  return cuts.find(({ at }) => at > endBefore && at < from)?.ms ?? null
}

/** Describes a duration, below 10 s in tenths of a second. */
const describeLength = (seconds: number): string =>
  seconds < 10 ? `${seconds.toFixed(1)} s` : describeDuration(seconds)

/** Links to the turn that the attempt produced. A turn without a record has no view. */
function TurnOf({ project, world, attempt }: { project: string; world: string; attempt: Attempt }) {
  const { produced_turn: turn, attempted_turn: tried } = attempt
  if (turn === null) return <>{tried}</>
  return <TurnLink {...{ project, world, turn }} />
}

const WIDTH = 400
const HEIGHT = 16

type BarProps = {
  attempt: Attempt
  place: { from: number; to: number }
  cuts: Timeline['cuts']
  seconds: number
  /** Length of the pause before the attempt if the timeline shortens it; otherwise null. */
  pauseMs: number | null
}

/** Draws an attempt. The shape shows how it ended: full, crossed out, broken off, or open to the right. */
function AttemptBar({ attempt: { status }, place: { from, to }, cuts, seconds, pauseMs }: BarProps) {
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
      {/* Draws all cuts as one path: each row has all of them, so a path for each cut would be too many. */}
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
