// Searches the sessions, criteria and issues of a project while a person types.
import { useEffect, useState } from 'preact/hooks'
import { type Answer, useAnswer, useSession } from '../service/use-service.ts'
import { type Result, toHitResult, toSessionResult } from './results.ts'

/** Pause in the typing after which the search begins. */
const PAUSE_MS = 150
/** Number of results of each kind. */
const MAX_RESULTS = 6

export function useResults(project: string, typed: string): Answer<Result[]> {
  const { service } = useSession()
  const q = useSettled(typed.trim())
  const hasWord = /[\p{L}\p{N}]/u.test(q) // the service refuses a search without a word
  const key = hasWord ? JSON.stringify(['palette', project, q]) : null
  return useAnswer(key, async (signal) => {
    const find = async (kind: 'criterion' | 'issue') =>
      (await service.call('search', { project, q, kind, limit: MAX_RESULTS }, signal)).items
    const [{ items: sessions }, criteria, issues] = await Promise.all([
      service.call(
        'listWorlds',
        { project, search: q, order: 'last_activity', limit: MAX_RESULTS, without_tokens: true },
        signal,
      ),
      find('criterion'),
      find('issue'),
    ])
    return [
      ...sessions.map(toSessionResult),
      ...criteria.map((hit) => toHitResult('Criteria', hit)),
      ...issues.map((hit) => toHitResult('Issues', hit)),
    ]
  })
}

/** Returns the text after a pause in its changes. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
