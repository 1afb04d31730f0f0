// Draws a failure and its remedy. An unreachable store looks different from an empty one.
import { type Failure, isAway } from '../service/failure.ts'
import { InlineText } from './inline-text.tsx'

export function FailureLine({ failure }: { failure: Failure }) {
  return (
    <p role="alert" class={isAway(failure) ? 'failure away' : 'failure'}>
      <strong>
        <InlineText text={failure.message} />
      </strong>{' '}
      <InlineText text={failure.hint ?? ''} />
    </p>
  )
}
