// Starts a turn run of a session, or a single attempt. Shows a rejection in the words of the service.
import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { writeAddress } from '../../address.ts'
import { FailureLine } from '../../components/failure-line.tsx'
import { Field } from '../../components/field.tsx'
import { navigate } from '../../navigation.ts'
import type { Answered } from '../../service/operations.ts'
import { useSession } from '../../service/use-service.ts'
import { useSubmission } from '../../service/use-submission.ts'

const MAX_TURNS = 100_000
const MAX_ATTEMPTS = 1_000_000

export function StartRun({ project, world: given }: { project: string; world: string }) {
  const { service } = useSession()
  const [world, setWorld] = useState(given)
  const [turns, setTurns] = useState('1')
  const [attempts, setAttempts] = useState('')
  const { answer, failure, isAsking, submit } = useSubmission<Answered<'runTurn'>>()

  const start = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const input = { project, world_slug: world.trim(), turn_count: Number(turns) }
    const started = await submit(() =>
      service.call('runTurn', { ...input, ...(attempts !== '' && { max_attempts: Number(attempts) }) }),
    )
    const run = started?.turn_run_id
    if (run !== undefined) navigate(writeAddress({ view: 'run', project, run }))
  }

  const count = { type: 'number', min: 1 } as const
  return (
    <details>
      <summary>Start a run</summary>
      <form class="filters" onSubmit={start}>
        <Field label="Session" required value={world} change={setWorld} />
        <Field label="Turns to commit" {...count} max={MAX_TURNS} required value={turns} change={setTurns} />
        <Field
          label="Attempts at most"
          {...count}
          max={MAX_ATTEMPTS}
          placeholder="as many"
          value={attempts}
          change={setAttempts}
        />
        <button type="submit" disabled={isAsking}>
          Start
        </button>
      </form>
      {failure !== null && <FailureLine failure={failure} />}
      {answer !== null && <output>{answer.message}</output>}
    </details>
  )
}
