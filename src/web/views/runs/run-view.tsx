// `/p/{project}/runs/{id}`: the progress of one turn run and each of its attempts, updated live.
import { useEffect, useState } from 'preact/hooks'
import { type Address, readCount, writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Facts } from '../../components/facts.tsx'
import { Field } from '../../components/field.tsx'
import { Instant } from '../../components/instant.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { SessionLink } from '../../components/view-link.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import type { Answered as Answer } from '../../service/operations.ts'
import { useEvents, useOperation, useScope } from '../../service/use-service.ts'
import { type Attempt, AttemptsTable } from './attempts-table.tsx'
import { CancelRun } from './cancel-run.tsx'
import { RunStatus } from './run-status.tsx'

type Props = { address: Extract<Address, { view: 'run' }> }
type Run = Answer<'getTurnRunStatus'>

const PAGE = 100

export function RunView({ address }: Props) {
  const { project, run: id } = address
  const run = useOperation('getTurnRunStatus', { project, turn_run_id: id })
  const upTo = readCount(useSearch().get('up_to'))
  const world = run.answer?.world_slug ?? null
  const attempts = useOperation(
    'listAttempts',
    world === null ? null : { project, world_slug: world, turn_run_id: id, limit: PAGE, up_to: upTo },
  )
  useEvents({ project, world_slug: world }, () => {
    run.again()
    attempts.again()
  })
  const mayWrite = useScope('write')
  const isActive = run.answer !== null && run.answer.ended_at === null
  const now = useNow(isActive)
  return (
    <Answered of={run}>
      {(found) => (
        <>
          <Sentence title={`Run ${id.slice(0, 8)}`}>{found.message}</Sentence>
          <RunFacts project={project} run={found} now={now} />
          {mayWrite && isActive && <CancelRun project={project} run={id} done={run.again} />}
          <h2>Attempts</h2>
          <Answered of={attempts}>
            {({ items: made }) => (
              <>
                {found.attempt_count > Math.min(PAGE, upTo ?? PAGE) && (
                  <AttemptsShown address={address} attempts={made} total={found.attempt_count} upTo={upTo} />
                )}
                <AttemptsTable project={project} world={found.world_slug} attempts={made} now={now} />
              </>
            )}
          </Answered>
        </>
      )}
    </Answered>
  )
}

type ShownProps = Props & { attempts: readonly Attempt[]; total: number; upTo: number | null }

/** Names the attempts that are shown, and links to earlier and later ones. */
function AttemptsShown({ address, attempts, total, upTo }: ShownProps) {
  const [first, last] = [attempts.at(-1)?.turn_run_seq ?? 0, attempts[0]?.turn_run_seq ?? 0]
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <p class="cut">
        Attempts {first} to {last} of {total} are shown.
      </p>
      {first > 1 && <a href={writeAddress(address, { up_to: first - 1 })}>Earlier ones</a>}
      {last < total && <a href={writeAddress(address, { up_to: last + PAGE })}>Later ones</a>}
      {last < total && <a href={writeAddress(address)}>The newest</a>}
      <Field
        label="Up to attempt"
        type="number"
        min={1}
        max={total}
        value={upTo}
        change={(value) => filterBy({ up_to: value })}
      />
    </form>
  )
}

function RunFacts({ project, run, now }: { project: string; run: Run; now: number }) {
  const { world_slug: world, lease, resumes } = run
  return (
    <Facts
      of={[
        ['Status', <RunStatus key="status" run={run} />],
        ['Session', <SessionLink key="world" project={project} world={world} />],
        ['Turns requested', run.requested_turn_count],
        ['committed', run.committed_turn_count],
        ['Attempts', `${run.attempt_count} of ${run.max_attempts}`],
        ['failed', run.failed_attempt_count],
        ['interrupted', run.interrupted_attempt_count],
        ['Started', <Instant key="started" at={run.started_at} exact />],
        ['Ended', run.ended_at === null ? null : <Instant key="ended" at={run.ended_at} exact />],
        ['Why it stopped', run.cancel_reason ?? run.failure_reason],
        ['Held by', lease?.owner ?? null],
        ['Fence', lease?.fence ?? null],
        ['Ends by itself', lease === null ? null : describeLease(lease.until, now)],
        [
          'Pauses until',
          run.next_attempt_at === null ? null : <Instant key="next" at={run.next_attempt_at} exact />,
        ],
        ['Tokens used', run.used_tokens === 0 ? null : run.used_tokens.toLocaleString('en-US')],
        [
          'Resumes',
          resumes === null ? null : (
            <a key="resumes" href={writeAddress({ view: 'run', project, run: resumes.turn_run_id })}>
              run {resumes.turn_run_id.slice(0, 8)}
            </a>
          ),
        ],
      ]}
    />
  )
}

function describeLease(until: string, now: number): string {
  const seconds = Math.round((Date.parse(until) - now) / 1_000)
  return seconds > 0 ? `in ${seconds} s, unless its holder renews the lease` : 'the lease is over'
}

const TICK_MS = 1_000

/** Returns the current time, updated every second while something runs. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}
