// Draws the sessions that need a person, grouped by what the person has to do.
import { plural } from '../../../core/plural.ts'
import { Cut } from '../../components/cut.tsx'
import { InlineText } from '../../components/inline-text.tsx'
import { SessionLink } from '../../components/view-link.tsx'
import type { ItemOf } from '../../service/operations.ts'
import { Outcome } from '../sessions/outcome.tsx'

type Item = ItemOf<'listAttention'>

type Props = {
  items: readonly Item[]
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
                <SessionLink project={project} world={world} /> <Outcome outcome={outcome} />
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
      <Cut more={showMore}>The list is cut after {items.length} sessions.</Cut>
    </section>
  )
}

/** Tasks of a person by reason, in the order of the page. */
const TASKS: readonly (readonly [reason: Item['reason'], toDo: string])[] = [
  ['damaged', 'Repair with the doctor'],
  ['stalled', 'Unblock or stop'],
  ['approved_with_gaps', 'Close the gaps of an approval'],
  ['refuted', 'Settle a rejected proof'],
  ['abandoned', 'Resume or give up'],
  ['stale', 'Have it judged again'],
  ['only_players_words', 'Look at what nobody has seen'],
]

/** Reason of the folded group, which has the most sessions and needs the least work. */
const FOLDED: Item['reason'] = 'only_players_words'

export type AttentionGroup<I> = { reason: Item['reason']; toDo: string; isFolded: boolean; items: I[] }

export const groupAttention = <I extends Pick<Item, 'reason'>>(items: readonly I[]): AttentionGroup<I>[] =>
  TASKS.map(([reason, toDo]) => ({
    reason,
    toDo,
    isFolded: reason === FOLDED,
    items: items.filter((item) => item.reason === reason),
  })).filter((group) => group.items.length > 0)
