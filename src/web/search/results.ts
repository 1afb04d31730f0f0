// Builds search results from sessions and hits. Pure.
import { writeAddress } from '../address.ts'
import type { ItemOf } from '../service/operations.ts'

export type ResultGroup = 'Sessions' | 'Criteria' | 'Issues'
export type Result = { group: ResultGroup; text: string; place: string; href: string }

type Session = Pick<ItemOf<'listWorlds'>, 'project' | 'world_slug' | 'task_id' | 'outcome'>
type Hit = Pick<ItemOf<'search'>, 'snippet' | 'task_id' | 'world_slug' | 'turn' | 'link'>

export const toSessionResult = ({ project, world_slug: world, task_id, outcome }: Session): Result => ({
  group: 'Sessions',
  text: world,
  place: task_id === world ? outcome : `${task_id}, ${outcome}`,
  href: writeAddress({ view: 'session', project, world }),
})

export const toHitResult = (
  group: ResultGroup,
  { snippet, task_id, world_slug, turn, link }: Hit,
): Result => ({
  group,
  text: snippet,
  place: `${world_slug ?? task_id ?? ''}${turn === null ? '' : `, turn ${turn}`}`,
  href: link,
})

/** Groups results, each with its position in the list. */
export function groupResults(
  results: readonly Result[],
): { name: ResultGroup; items: { result: Result; position: number }[] }[] {
  const numbered = results.map((result, position) => ({ result, position }))
  return (['Sessions', 'Criteria', 'Issues'] as const)
    .map((name) => ({ name, items: numbered.filter(({ result }) => result.group === name) }))
    .filter(({ items }) => items.length > 0)
}
