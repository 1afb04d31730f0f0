// Describes the sessions of a project in one line. Pure.
import type { ItemOf } from '../../service/operations.ts'

type Session = Pick<ItemOf<'listWorlds'>, 'active_turn_run_id' | 'active_attempt_id' | 'outcome'>

/** Outcomes without the name at their end, such as the gate of `blocked by tests`. */
const OUTCOMES = [
  'running',
  'approved',
  'approved with gaps',
  'regressed',
  'blocked',
  'stalled',
  'stopped',
  'superseded',
  'abandoned',
  'damaged',
] as const

const findKind = (outcome: string): string =>
  outcome.replace(/^(blocked|stopped|superseded|damaged)(?: by|:) .*$/s, '$1')

export const isRunning = ({ active_turn_run_id: run, active_attempt_id: attempt }: Session): boolean =>
  run !== null || attempt !== null

export function describeSessions(
  { items, hasMore }: { items: readonly Session[]; hasMore: boolean },
  isFiltered: boolean,
): string {
  if (items.length === 0) return isFiltered ? 'None matches.' : 'Nothing is recorded yet.'
  const counts = OUTCOMES.map(
    (start) => [items.filter(({ outcome }) => findKind(outcome) === start).length, start] as const,
  )
  const parts = counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]))
  const sessions = items.length === 1 ? 'session' : `${items.length} sessions`
  const one = items.length === 1 ? 'One session' : sessions
  const of = hasMore ? `The latest ${sessions}` : one
  return parts.length === 0 ? `${of}.` : `${of}: ${parts.join(', ')}.`
}
