// Draws a failure and its remedy. An unreachable store looks different from an empty one.
import { type Failure, isAway } from '../service/failure.ts'

export function FailureLine({ failure }: { failure: Failure }) {
  return (
    <p role="alert" class={isAway(failure) ? 'failure away' : 'failure'}>
      <strong>{failure.message}</strong> {failure.hint}
    </p>
  )
}
