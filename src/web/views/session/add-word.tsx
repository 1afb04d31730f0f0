// Lets a person add a verdict about a criterion, with a reason (contract: evidence.md, "A person's word").
import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { FailureLine } from '../../components/failure-line.tsx'
import type { Turn } from '../../service/operations.ts'
import { useScope, useSession } from '../../service/use-service.ts'
import { useSubmission } from '../../service/use-submission.ts'
import type { Row } from './matrix-rows.ts'

type Props = {
  turn: Pick<Turn, 'project' | 'feature_id' | 'task_id' | 'world_slug'>
  /** Turn that gets the verdict: the newest one. */
  newest: number
  criterion: Pick<Row, 'label' | 'text'>
  added: () => void
}

/** Draws nothing if the token may not add verifications. */
export function AddWord(props: Props) {
  const mayObserve = useScope('observe')
  const mayWrite = useScope('write')
  return mayObserve || mayWrite ? <WordForm {...props} /> : null
}

const STATUSES = [
  ['verified', 'It holds'],
  ['rejected', 'It does not hold'],
] as const

function WordForm({ turn, newest, criterion, added }: Props) {
  const { service } = useSession()
  const { answer, failure, isAsking, submit } = useSubmission<{ added: number }>()
  const [status, setStatus] = useState<(typeof STATUSES)[number][0]>('verified')
  const [reason, setReason] = useState('')
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const evidence = reason.trim()
    if (evidence === '') return
    const { project, feature_id, task_id, world_slug } = turn
    const word = { criterion_id: criterion.label, criterion_text: criterion.text, status, evidence }
    const stored = await submit(() =>
      service.call('addVerifications', {
        ...{ project, feature_id, task_id, world_slug, turn_number: newest },
        verifications: [{ ...word, source: 'person' }],
      }),
    )
    if (stored === null) return
    setReason('')
    added()
  }
  return (
    <details class="word">
      <summary>Add your own verdict</summary>
      <form onSubmit={send}>
        <p class="quiet-text">
          Your verdict is added to turn {newest}, the newest turn, with the source person. The record of the
          turn does not change.
        </p>
        <fieldset class="word-status">
          <legend class="visually-hidden">Verdict</legend>
          {STATUSES.map(([value, says]) => (
            <label key={value}>
              <input
                type="radio"
                name="status"
                checked={status === value}
                onChange={() => setStatus(value)}
              />{' '}
              {says}
            </label>
          ))}
        </fieldset>
        <label class="word-reason">
          Reason: what did you see?
          <textarea
            rows={3}
            required
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={isAsking}>
          Add verdict
        </button>
        {failure !== null && <FailureLine failure={failure} />}
        {answer !== null && failure === null && (
          <output>{answer.added === 0 ? 'This verdict was there already.' : 'The verdict was added.'}</output>
        )}
      </form>
    </details>
  )
}
