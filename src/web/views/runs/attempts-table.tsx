// Draws the attempts of a run, newest first, each with its bar on a common timeline.
import { writeAddress } from '../../address.ts'
import { describeDuration, Instant } from '../../components/instant.tsx'
import { Table } from '../../components/table.tsx'
import { type DecisionMark, Mark } from '../../marks/mark.tsx'
import { type Attempt, AttemptBar } from './attempt-bars.tsx'
import { placeSpans, type Timeline } from './attempt-timeline.ts'

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
  return <a href={writeAddress({ view: 'turn', project, world, turn })}>{turn}</a>
}
