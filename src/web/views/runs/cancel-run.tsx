// Cancels a turn run. The person chooses whether the running attempt finishes or stops.
import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { FailureLine } from '../../components/failure-line.tsx'
import { Field } from '../../components/field.tsx'
import { useSession } from '../../service/use-service.ts'
import { useSubmission } from '../../service/use-submission.ts'

type Props = { project: string; run: string; done: () => void }

export function CancelRun({ project, run, done }: Props) {
  const { service } = useSession()
  const [reason, setReason] = useState('')
  const [abort, setAbort] = useState(false)
  const { failure, isAsking, submit } = useSubmission()

  const cancel = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const request = { project, turn_run_id: run, abort }
    const cancelled = await submit(() =>
      service.call('cancelTurnRun', reason.trim() === '' ? request : { ...request, reason: reason.trim() }),
    )
    if (cancelled !== null) done()
  }

  return (
    <details>
      <summary>Cancel this run</summary>
      <form class="filters" onSubmit={cancel}>
        <Field label="Reason" value={reason} placeholder="cancelled by caller" change={setReason} />
        <label>
          <input
            type="checkbox"
            checked={abort}
            onChange={({ currentTarget }) => setAbort(currentTarget.checked)}
          />{' '}
          Stop the attempt under way, too
        </label>
        <button type="submit" disabled={isAsking}>
          Cancel the run
        </button>
      </form>
      {failure !== null && <FailureLine failure={failure} />}
    </details>
  )
}
