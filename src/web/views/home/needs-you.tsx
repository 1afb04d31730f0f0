// Draws the sessions that need a person, grouped by what the person has to do.
import { plural } from '../../../core/plural.ts'
import { InlineText } from '../../components/inline-text.tsx'
import { ViewLink } from '../../components/view-link.tsx'
import type { ItemOf } from '../../service/operations.ts'
import { Outcome } from '../sessions/outcome.tsx'
import { groupAttention } from './group-attention.ts'

type Props = {
  items: readonly ItemOf<'listAttention'>[]
  /** True if the names of the projects are shown. */
  hasProjects: boolean
  /** Loads the next page; null on the last page. */
  showMore: (() => void) | null
}

const describeCount = (count: number, isCut: boolean): string =>
  `${isCut ? 'at least ' : ''}${plural(count, 'session')}`

export function NeedsYou({ items, hasProjects, showMore }: Props) {
  return (
    <section aria-label="Needs you">
      <h2>Needs you</h2>
      {items.length === 0 && <p class="quiet-text">No session needs you.</p>}
      {groupAttention(items).map((group) => (
        <details key={group.reason} class="to-do" open={!group.isFolded}>
          <summary>
            {group.toDo}{' '}
            <span class="quiet-text">{describeCount(group.items.length, showMore !== null)}</span>
          </summary>
          <ol class="needs-you" aria-label={group.toDo}>
            {group.items.map(({ project, world_slug: world, outcome, sentence }) => (
              <li key={`${project} ${world}`}>
                <ViewLink to={{ view: 'session', project, world }}>
                  <bdi>{world}</bdi>
                </ViewLink>{' '}
                <Outcome outcome={outcome} />
                {hasProjects && (
                  <span class="quiet-text">
                    {' '}
                    in <bdi>{project}</bdi>
                  </span>
                )}
                <p>
                  <bdi>
                    <InlineText text={sentence} />
                  </bdi>
                </p>
              </li>
            ))}
          </ol>
        </details>
      ))}
      {showMore !== null && (
        <p class="cut">
          The list is cut after {items.length} sessions.{' '}
          <button type="button" onClick={showMore}>
            Show more
          </button>
        </p>
      )}
    </section>
  )
}
