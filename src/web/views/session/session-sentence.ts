// Describes the state of a session in one line. Pure.
import { describeBases } from '../../../rules/basis.ts'
import { toOneLine } from '../../../rules/foreign-text.ts'
import { countCriteria, describeCounts } from '../../../rules/notes.ts'
import type { Answered, Criteria } from '../../service/operations.ts'

type World = Pick<Answered<'getWorld'>, 'active_turn_run_id' | 'active_attempt_id' | 'current_turn'>

const MAX_QUOTED = 160

type Why = Pick<Answered<'explainTurn'>, 'coach_decision' | 'coach_feedback' | 'what_to_try_next'>

/**
 * @param why how the selected turn ended; null before the first turn
 * @param isNow false if an earlier turn is selected: the text then mentions no running turn
 * @param summary summary of the session that the page also shows: the text does not repeat it
 */
export function describeSession(
  {
    criteria,
    verified,
    contested,
    total,
    as_of_turn: turn,
  }: Pick<Criteria, 'criteria' | 'verified' | 'contested' | 'total' | 'as_of_turn'>,
  why: Why | null,
  world: World,
  isNow: boolean,
  summary: string | null = null,
): string {
  const { contestedInTurns, ...counts } = countCriteria(criteria)
  const parts = [
    total === 0
      ? 'No criterion is known'
      : describeCounts({ verified, contested, total, contestedInTurns }, { verb: 'proven' }),
    turn === 0 ? 'no turn yet' : `turn ${turn}`,
    ...describeBases(counts),
    describeEnd(why, summary),
  ]
  const isRunning = world.active_turn_run_id !== null || world.active_attempt_id !== null
  if (isNow && isRunning) parts.push(`turn ${world.current_turn + 1} is running`)
  return `${parts.filter((part) => part !== '').join(', ')}.`
}

/** Describes the last decision of the Coach. A summary already names the decision, and quotes an issue or a text of the Coach. */
function describeEnd(why: Why | null, summary: string | null): string {
  if (why === null) return ''
  if (why.coach_decision === 'approved') return summary === null ? 'approved by the Coach' : ''
  if (why.coach_decision === 'error') return summary === null ? 'ended with an error' : ''
  // `what_to_try_next` is not always the Coach's: the record does not say who suggested it.
  const feedback = toOneLine(why.coach_feedback ?? '')
  if (feedback === '') return quoteText('suggested next', why.what_to_try_next ?? '')
  if (summary === null) return quoteText('the Coach last asked for', feedback)
  return summary.includes(feedback.slice(0, COMPARED_CHARACTERS).replace(/\.$/, ''))
    ? ''
    : quoteText('feedback', feedback)
}

/** Number of characters of a feedback that a summary must contain to count as its quotation. */
const COMPARED_CHARACTERS = 60

const quoteText = (label: string, text: string): string =>
  text.trim() === '' ? '' : `${label}: “${isolate(firstSentences(text))}”`

/** Isolates the direction of a text, so that right-to-left text does not reorder the text around it. */
const isolate = (text: string): string => `\u2068${text.replace(DIRECTIONS, '')}\u2069`
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g

/** Returns as many whole sentences as fit in a line. The first sentence is often praise, followed by the request. */
function firstSentences(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  const letters = [...line]
  if (letters.length <= MAX_QUOTED) return line.replace(/[.!?]$/, '')
  const sentences = /^(.{20,})[.!?] /.exec(letters.slice(0, MAX_QUOTED).join(''))?.[1]
  return sentences ?? `${letters.slice(0, MAX_QUOTED).join('')}…`
}
