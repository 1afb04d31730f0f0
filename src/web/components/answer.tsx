// Draws an answer of the service, the state of loading, or a failure.
import type { ComponentChildren } from 'preact'
import { readAddress } from '../address.ts'
import type { Answer } from '../service/use-service.ts'
import { FailureLine } from './failure-line.tsx'
import { isMissing, Missing } from './missing.tsx'

type Props<T> = { of: Omit<Answer<T>, 'again'>; children: (answer: T) => ComponentChildren }

/** Draws an answer. While a new answer is loading or after it failed, the previous answer stays visible, dimmed. */
export function Answered<T>({ of: { answer, failure, isLoading }, children }: Props<T>) {
  return (
    <>
      {failure !== null &&
        (answer === null && isMissing(failure, readAddress(location.pathname)) ? (
          <Missing failure={failure} />
        ) : (
          <FailureLine failure={failure} />
        ))}
      {answer === null && failure === null && <p class="loading">Loading …</p>}
      {answer !== null && (
        <div class={isLoading || failure !== null ? 'answer outdated' : 'answer'} aria-busy={isLoading}>
          {children(answer)}
        </div>
      )}
    </>
  )
}
