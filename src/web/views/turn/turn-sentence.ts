// Describes in one line how a turn ended. Pure.

import { plural } from '../../../core/plural.ts'
import { describeCounts } from '../../../rules/notes.ts'
import type { Answered, Turn } from '../../service/operations.ts'

const DECISIONS: Readonly<Record<Turn['coach_decision'], string>> = {
  approved: 'Approved by the Coach',
  feedback: 'Sent back by the Coach',
  rejected: 'Rejected by the Coach',
  deferred: 'Deferred',
  error: 'Ended with an error',
  unknown: 'Nobody decided',
}

type Why = Pick<
  Answered<'explainTurn'>,
  'verified' | 'contested' | 'total' | 'won' | 'lost' | 'blocking_issues'
>

export function describeTurn(turn: Pick<Turn, 'coach_decision' | 'tests_failed'>, why: Why | null): string {
  const parts = [DECISIONS[turn.coach_decision]]
  if (why !== null) {
    if (why.total > 0) parts.push(describeCounts(why, { verb: 'proven after it' }))
    if (why.won.length > 0) parts.push(`${why.won.length} newly proven`)
    if (why.lost.length > 0) parts.push(`${why.lost.length} lost`)
    if (why.blocking_issues.length > 0) parts.push(plural(why.blocking_issues.length, 'blocking issue'))
  }
  if ((turn.tests_failed ?? 0) > 0) parts.push(`${plural(turn.tests_failed ?? 0, 'test')} failed`)
  return `${parts.join('; ')}.`
}
