// Says what failed and what to do: a store that is away looks different from one that is empty.
import { type Failure, isAway } from '../service/failure.ts'

export function FailureLine({ failure }: { failure: Failure }) {
  return (
    <p role="alert" class={isAway(failure) ? 'failure away' : 'failure'}>
      <strong>{failure.message}</strong> {failure.hint}
    </p>
  )
}
