// Describes the verdict of the stall analysis so that it agrees with the outcome of the session. Pure.
import type { Answered } from '../../service/operations.ts'

type Verdict = Answered<'loadStall'>['verdict']

/**
 * Names the verdict. The outcome is the answer for the whole session; the verdict is about its newest turns. A line with both
 * explains the difference.
 *
 * @param outcome null if an earlier turn is selected
 */
export function describeVerdict(verdict: Verdict, outcome: string | null): string {
  const word = verdict.replaceAll('_', ' ')
  if (outcome === null || /^(?:running$|approved|superseded by )/.test(outcome)) return word
  // A session is also finished when its task has a newer one, however it ended itself.
  if (verdict === 'finished' && outcome !== 'regressed') return `${outcome}; the task has a newer session`
  if (verdict === 'insufficient_data') return `${outcome}; too few turns for a verdict`
  if (outcome === 'regressed')
    return `${word}, but regressed: a later turn rejected a verified criterion with evidence`
  if (outcome === 'stalled' && verdict !== 'stalled') return `stalled: ${word}`
  if (outcome === 'abandoned') return `${word} until it was abandoned`
  if (outcome.startsWith('stopped by ')) return `${word} until it was ${outcome}`
  return word
}

/** Chooses the tone of the verdict. The tone `progressing` is only for a running session, or for a session as of an earlier turn. */
export const chooseTone = (verdict: Verdict, outcome: string | null): string =>
  verdict === 'progressing' && outcome !== null && outcome !== 'running' ? 'ended' : verdict
