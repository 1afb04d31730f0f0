// Draws the verdicts of a turn by criterion: the Player's claim, the verdict and the observation side by side.
import { Answered } from '../../components/answer.tsx'
import { Said } from '../../components/said.tsx'
import { Mark } from '../../marks/mark.tsx'
import type { Answered as AnswerOf } from '../../service/operations.ts'
import type { Answer } from '../../service/use-service.ts'
import { Promises, Verdicts } from '../session/judgements.tsx'
import { type CriterionInTurn, groupVerdicts } from './changed-verdicts.ts'

type Props = {
  why: Answer<AnswerOf<'explainTurn'>>
  /** Promises of the turn, or of the newest earlier turn that has promises. */
  promises: Answer<AnswerOf<'recoverPromises'>>
}

export function VerdictsRegion({ why, promises }: Props) {
  return (
    <section aria-label="Verdicts that changed">
      <h2>Verdicts that changed</h2>
      <Answered of={why}>
        {(found) => (
          <Answered of={promises}>{(given) => <Groups {...groupVerdicts(found, given)} />}</Answered>
        )}
      </Answered>
    </section>
  )
}

function Groups({ changed, others }: ReturnType<typeof groupVerdicts>) {
  return (
    <>
      {changed.length === 0 && (
        <p class="quiet-text">None: no criterion was gained, lost or newly rejected.</p>
      )}
      {changed.map((criterion) => (
        <Change key={criterion.key} criterion={criterion} />
      ))}
      {others.length > 0 && (
        <details class="other-verdicts">
          <summary>
            {others.length === 1 ? 'One more verdict' : `${others.length} more verdicts`} without a change
          </summary>
          {others.map((criterion) => (
            <Change key={criterion.key} criterion={criterion} />
          ))}
        </details>
      )}
    </>
  )
}

function Change({ criterion }: { criterion: CriterionInTurn }) {
  const { label, text, state, change, known, claims, judged, seen } = criterion
  return (
    <article class="change">
      <h3>
        <Mark of={state} /> <bdi>{label}</bdi>
        {change !== null && <span class="change-says"> {change}</span>}
        {known !== null && <span class="quiet-text">, {known}</span>}
      </h3>
      {text !== null && text !== label && <Said text={text} />}
      <div class="sides">
        <div>
          <h4>Claimed by the Player</h4>
          <Promises promises={claims} empty="Nothing." />
        </div>
        <div>
          <h4>Judged</h4>
          <Verdicts verdicts={judged} empty="By nobody." />
        </div>
        <div>
          <h4>Seen</h4>
          <Verdicts verdicts={seen} empty="By nobody: no command and no test report." />
        </div>
      </div>
    </article>
  )
}
