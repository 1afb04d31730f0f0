// Cancels a turn run: the attempt under way finishes, or is stopped too.
import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { FailureLine } from '../../components/failure-line.tsx'
import { Failure } from '../../service/failure.ts'
import { useSession } from '../../service/use-service.ts'

type Props = { project: string; run: string; done: () => void }

export function CancelRun({ project, run, done }: Props) {
  const { service } = useSession()
  const [reason, setReason] = useState('')
  const [abort, setAbort] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)

  const cancel = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    try {
      const asked = { project, turn_run_id: run, abort }
      await service.call('cancelTurnRun', reason.trim() === '' ? asked : { ...asked, reason: reason.trim() })
      setFailure(null)
      done()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      setFailure(error)
    }
  }

  return (
    <details>
      <summary>Cancel this run</summary>
      <form class="filters" onSubmit={cancel}>
        <label>
          Reason{' '}
          <input
            value={reason}
            placeholder="cancelled by caller"
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={abort}
            onChange={({ currentTarget }) => setAbort(currentTarget.checked)}
          />{' '}
          Stop the attempt under way, too
        </label>
        <button type="submit">Cancel the run</button>
      </form>
      {failure !== null && <FailureLine failure={failure} />}
    </details>
  )
}
