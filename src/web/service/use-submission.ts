// Sends a call on request of the user, one at a time; provides the answer, or the failure in the words of the service.
import { useState } from 'preact/hooks'
import { Failure } from './failure.ts'

type Outcome<T> = { answer: T; failure: null } | { answer: null; failure: Failure | null }

/** `submit` returns null if the service rejected the call. It throws any other error, which is a defect of the page. */
export type Submission<T> = Outcome<T> & {
  isAsking: boolean
  submit: (ask: () => Promise<T>) => Promise<T | null>
}

export function useSubmission<T>(): Submission<T> {
  const [outcome, setOutcome] = useState<Outcome<T>>({ answer: null, failure: null })
  const [isAsking, setAsking] = useState(false)
  const submit = async (ask: () => Promise<T>): Promise<T | null> => {
    setAsking(true)
    try {
      const answer = await ask()
      setOutcome({ answer, failure: null })
      return answer
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      setOutcome({ answer: null, failure: error })
      return null
    } finally {
      setAsking(false)
    }
  }
  return { ...outcome, isAsking, submit }
}
