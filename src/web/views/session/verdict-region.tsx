// Draws the verdict of the stall analysis with its reason and suggestion, and the criteria that are left.
import { InlineText } from '../../components/inline-text.tsx'
import { Names } from '../../components/names.tsx'
import type { Answered, Criteria } from '../../service/operations.ts'
import { chooseTone, describeVerdict } from './verdict-words.ts'

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
  const listed = `Criteria left: ${remaining.join(', ')}`
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
          Left: <Names of={left} />
        </p>
      )}
    </section>
  )
}
