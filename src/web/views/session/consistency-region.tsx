// Draws the consistency of the Coach: reversals, copied evidence, and criteria that it never named. Each number opens its verdicts.
import { plural } from '../../../core/plural.ts'
import { ViewLink } from '../../components/view-link.tsx'
import type { Consistency, Verdict } from './consistency.ts'
import { writeCellPlace } from './matrix-rows.ts'

type Props = { world: { project: string; world_slug: string }; facts: Consistency }

/** Maximum number of verdicts of one finding that are listed. */
const MAX_LISTED = 100

export function ConsistencyRegion({ world, facts }: Props) {
  const { verified, isCut, reversedUnchanged, reversedOtherwise, repeated, misplaced, bare, neverNamed } =
    facts
  const countReversals = (reversals: readonly Verdict[]) =>
    `${isCut ? 'At least ' : ''}${plural(reversals.length, 'reversal')}`
  const ofVerified = ` of ${plural(verified, 'verification')}`
  const findings = [
    {
      verdicts: reversedUnchanged,
      says: `${countReversals(reversedUnchanged)} without a file change`,
    },
    {
      verdicts: reversedOtherwise,
      says: `${countReversals(reversedOtherwise)} after file changes or unknown changes`,
    },
    { verdicts: repeated, says: `${repeated.length}${ofVerified} in the Player's own words` },
    {
      verdicts: misplaced,
      says: `${misplaced.length}${ofVerified} in the Player's words for another criterion`,
    },
    { verdicts: bare, says: `${bare.length}${ofVerified} without evidence` },
  ].filter(({ verdicts }) => verdicts.length > 0)
  return (
    <section aria-label="Coach consistency">
      <div class="region-head">
        <h2>Coach consistency</h2>
        {isCut && <p class="quiet-text">Only the newest reversals of the whole session are listed.</p>}
        {!isCut && findings.length === 0 && neverNamed.length === 0 && (
          <p class="quiet-text">
            Nothing found: no reversal, no copied evidence, and every criterion was named.
          </p>
        )}
      </div>
      <div class="findings">
        {findings.map(({ verdicts, says }) => (
          <details key={says}>
            <summary>{says}</summary>
            <Verdicts world={world} verdicts={verdicts} />
          </details>
        ))}
        {neverNamed.length > 0 && (
          <details>
            <summary>{plural(neverNamed.length, 'criterion', 'criteria')} never named by a judge</summary>
            <ul class="verdict-list">
              {neverNamed.slice(0, MAX_LISTED).map((label, i) => (
                <li key={i}>
                  <bdi>{label}</bdi>
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </section>
  )
}

function Verdicts({ world, verdicts }: { world: Props['world']; verdicts: readonly Verdict[] }) {
  const { project, world_slug } = world
  return (
    <ul class="verdict-list">
      {verdicts.slice(0, MAX_LISTED).map(({ key, turn, label, says }) => (
        <li key={`${turn} ${key}`}>
          <ViewLink
            to={{ view: 'session', project, world: world_slug }}
            search={{ cell: writeCellPlace({ key, turn }) }}
          >
            <bdi>{label}</bdi>, turn {turn}
          </ViewLink>
          {says !== '' && <span class="quiet-text"> {says}</span>}
        </li>
      ))}
      {verdicts.length > MAX_LISTED && <li class="cut">{verdicts.length - MAX_LISTED} more are left out.</li>}
    </ul>
  )
}
