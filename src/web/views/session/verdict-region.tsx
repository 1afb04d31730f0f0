// Draws the verdict of the stall analysis with its reason and suggestion, and the criteria that are left.
import { listNames, MAX_LABELS } from '../../../rules/notes.ts'
import { InlineText } from '../../components/inline-text.tsx'
import { Names } from '../../components/names.tsx'
import type { Answered, Criteria } from '../../service/operations.ts'

/** Stall verdict. The service hides reason and suggestion from a Player. */
type Stall = Pick<Answered<'loadStall'>, 'verdict' | 'reason' | 'suggestion' | 'should_stop'>
type Props = {
  stall: Stall
  criteria: Criteria
  /** Outcome of the session; null if an earlier turn is selected. */
  outcome: string | null
}

export function VerdictRegion({ stall, criteria, outcome }: Props) {
  const { verdict, reason, suggestion, should_stop: shouldStop } = stall
  const { remaining, manual = [] } = criteria
  // The suggestion usually lists what remains. With another policy it may list more, or name a rejected criterion.
  const listed = `Criteria left: ${listNames(remaining)}`
  const isListed = [';', '.'].some((end) => suggestion?.includes(listed + end) === true)
  const left = isListed ? manual : [...remaining, ...manual]
  return (
    <section class={`verdict verdict-${chooseTone(verdict, outcome)}`} aria-label="Verdict">
      <h2>
        <bdi>{describeVerdict(verdict, outcome)}</bdi>
        {shouldStop && ': stop it'}
      </h2>
      {reason !== undefined && (
        <p class="said">
          <InlineText text={reason} />
        </p>
      )}
      {suggestion != null && (
        <p class="said">
          <InlineText text={suggestion} />
        </p>
      )}
      {left.length > 0 && (
        <p>
          Left: <Names of={left.slice(0, MAX_LABELS)} />
          {left.length > MAX_LABELS && ` and ${left.length - MAX_LABELS} more`}
        </p>
      )}
    </section>
  )
}

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
