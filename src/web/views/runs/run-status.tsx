// Draws the status of a turn run: a mark and a word.
import { type DecisionMark, Mark } from '../../marks/mark.tsx'
import type { Answered } from '../../service/operations.ts'

type Status = Answered<'getTurnRunStatus'>['status']

const MARKS: Readonly<Record<Status, DecisionMark>> = {
  running: 'running',
  cancel_requested: 'running',
  completed: 'approved',
  failed: 'rejected turn',
  cancelled: 'deferred',
  interrupted: 'error',
}

export const STATUSES = Object.keys(MARKS) as Status[]

export function RunStatus({ run: { status } }: { run: { status: Status } }) {
  return (
    <>
      <Mark of={MARKS[status]} /> {status.replaceAll('_', ' ')}
    </>
  )
}
