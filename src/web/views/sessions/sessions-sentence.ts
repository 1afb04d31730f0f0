// Describes the sessions of a project in one line. Pure.
import type { ItemOf } from '../../service/operations.ts'

type Session = Pick<
  ItemOf<'listWorlds'>,
  'active_turn_run_id' | 'active_attempt_id' | 'last_decision' | 'verdict'
>

export const isRunning = ({ active_turn_run_id: run, active_attempt_id: attempt }: Session): boolean =>
  run !== null || attempt !== null

export function describeSessions(
  { items, hasMore }: { items: readonly Session[]; hasMore: boolean },
  isFiltered: boolean,
): string {
  if (items.length === 0) return isFiltered ? 'None matches.' : 'Nothing is recorded yet.'
  const shown = items.length === 1 ? 'One session' : `${items.length} sessions`
  const counts: [number, string][] = [
    [items.filter(isRunning).length, 'running'],
    [items.filter(({ last_decision: decision }) => decision === 'approved').length, 'approved'],
    [items.filter(({ verdict }) => verdict === 'stalled').length, 'stalled'],
    [items.filter(({ verdict }) => verdict === 'blocked').length, 'blocked by a gate'],
    [items.filter(({ verdict }) => verdict === 'oscillating').length, 'oscillating'],
    [items.filter(({ verdict }) => verdict === 'plateau').length, 'on a plateau'],
  ]
  const parts = counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]))
  const of = hasMore ? `The latest ${items.length} sessions` : shown
  return parts.length === 0 ? `${of}.` : `${of}: ${parts.join(', ')}.`
}
