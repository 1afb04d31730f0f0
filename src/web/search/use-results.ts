// Searches the sessions, criteria and issues of a project while a person types.
import { useEffect, useState } from 'preact/hooks'
import { writeAddress } from '../address.ts'
import type { ItemOf } from '../service/operations.ts'
import { type Answer, useAnswer, useSession } from '../service/use-service.ts'
import { nameSession } from '../session-name.ts'

/** Pause in the typing after which the search begins. */
const PAUSE_MS = 150
/** Number of results of each kind. */
const MAX_RESULTS = 6

type Results = { items: Result[]; hasMore: boolean }

/** `isLoading` is true until the results belong to the typed text. */
export function useResults(project: string, typed: string): Answer<Results> {
  const { service } = useSession()
  const text = typed.trim()
  const q = useSettled(text)
  const hasWord = /[\p{L}\p{N}]/u.test(q) // the service refuses a search without a word
  const key = hasWord ? JSON.stringify(['palette', project, q]) : null
  const results = useAnswer(key, async (signal) => {
    const find = (kind: 'criterion' | 'issue') =>
      service.call('search', { project, q, kind, limit: MAX_RESULTS }, signal)
    const [sessions, criteria, issues] = await Promise.all([
      service.call(
        'listWorlds',
        { project, search: q, order: 'last_activity', limit: MAX_RESULTS, without_tokens: true },
        signal,
      ),
      find('criterion'),
      find('issue'),
    ])
    return {
      items: [
        ...sessions.items.map(toSessionResult),
        ...criteria.items.map((hit) => toHitResult('Criteria', hit)),
        ...issues.items.map((hit) => toHitResult('Issues', hit)),
      ],
      hasMore: [sessions, criteria, issues].some(({ next_cursor: next }) => next !== null),
    }
  })
  return { ...results, isLoading: results.isLoading || q !== text }
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

type ResultGroup = 'Sessions' | 'Criteria' | 'Issues'
export type Result = { group: ResultGroup; text: string; place: string; href: string }

type Session = Pick<ItemOf<'listWorlds'>, 'project' | 'world_slug' | 'task_id' | 'outcome'>
type Hit = ItemOf<'search'>

const toSessionResult = ({ project, world_slug: world, task_id, outcome }: Session): Result => ({
  group: 'Sessions',
  text: nameSession(world),
  place: task_id === nameSession(world) ? outcome : `${task_id}, ${outcome}`,
  href: writeAddress({ view: 'session', project, world }),
})

const toHitResult = (group: ResultGroup, hit: Hit): Result => ({
  group,
  text: hit.snippet,
  place: nameSession(hit.world_slug ?? hit.task_id ?? '') + (hit.turn === null ? '' : `, turn ${hit.turn}`),
  href: linkTo(hit),
})

/** Links to the criterion within its session. */
function linkTo({ project, world_slug: world, criterion_key: key, link }: Hit): string {
  if (world === null || key === null) return link
  return writeAddress({ view: 'session', project, world }, { cell: `newest:${key}` })
}
