// Shows what a question was answered: the answer, that it is on its way, or why it failed.
import type { ComponentChildren } from 'preact'
import type { Answer } from '../service/use-service.ts'
import { FailureLine } from './failure-line.tsx'

type Props<T> = { of: Answer<T>; children: (answer: T) => ComponentChildren }

/** An older answer stays, dimmed, while a new one is on its way, and beside the failure of a new one. */
export function Answered<T>({ of: { answer, failure, isLoading }, children }: Props<T>) {
  return (
    <>
      {failure !== null && <FailureLine failure={failure} />}
      {answer === null && failure === null && <p class="loading">Loading …</p>}
      {answer !== null && (
        <div class={isLoading || failure !== null ? 'answer outdated' : 'answer'} aria-busy={isLoading}>
          {children(answer)}
        </div>
      )}
    </>
  )
}
