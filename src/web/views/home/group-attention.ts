// Groups the sessions that need a person by what the person has to do. Pure.
import type { ItemOf } from '../../service/operations.ts'

type Item = ItemOf<'listAttention'>

/** Tasks of a person by reason, in the order of the page. */
const TASKS: readonly (readonly [reason: Item['reason'], toDo: string])[] = [
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
