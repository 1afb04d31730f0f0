// Starts a turn run of a session, or a single attempt; a refusal is shown in the words of the service.
import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { writeAddress } from '../../address.ts'
import { FailureLine } from '../../components/failure-line.tsx'
import { navigate } from '../../navigation.ts'
import { Failure } from '../../service/failure.ts'
import { useSession } from '../../service/use-service.ts'

const MOST_TURNS = 10_000

type Outcome = { message: string } | { failure: Failure } | null

export function StartRun({ project, world: given }: { project: string; world: string }) {
  const { service } = useSession()
  const [world, setWorld] = useState(given)
  const [turns, setTurns] = useState(1)
  const [attempts, setAttempts] = useState<number | null>(null)
  const [outcome, setOutcome] = useState<Outcome>(null)
  const [isAsking, setAsking] = useState(false)

  const start = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsking(true)
    try {
      const asked = { project, world_slug: world.trim(), turn_count: turns }
      const started = await service.call('runTurn', {
        ...asked,
        ...(attempts !== null && { max_attempts: attempts }),
      })
      const { turn_run_id: run, message } = started
      setOutcome({ message })
      if (run !== undefined) navigate(writeAddress({ view: 'run', project, run }))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      setOutcome({ failure: error })
    } finally {
      setAsking(false)
    }
  }

  return (
    <details>
      <summary>Start a run</summary>
      <form class="filters" onSubmit={start}>
        <label>
          Session{' '}
          <input required value={world} onInput={({ currentTarget }) => setWorld(currentTarget.value)} />
        </label>
        <label>
          Turns to commit{' '}
          <input
            type="number"
            min={1}
            max={MOST_TURNS}
            required
            value={turns}
            onInput={({ currentTarget }) => setTurns(currentTarget.valueAsNumber)}
          />
        </label>
        <label>
          Attempts at most{' '}
          <input
            type="number"
            min={1}
            max={MOST_TURNS}
            placeholder="as many"
            value={attempts ?? ''}
            onInput={({ currentTarget: { value } }) => setAttempts(value === '' ? null : Number(value))}
          />
        </label>
        <button type="submit" disabled={isAsking}>
          Start
        </button>
      </form>
      {outcome !== null && 'failure' in outcome && <FailureLine failure={outcome.failure} />}
      {outcome !== null && 'message' in outcome && <output>{outcome.message}</output>}
    </details>
  )
}
