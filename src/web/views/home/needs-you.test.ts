import { expect, test } from 'vitest'
import { ATTENTION_REASONS } from '../../../rules/attention.ts'
import { groupAttention } from './needs-you.tsx'

test('each reason has a group with all its sessions, and the group of unseen approvals is last and folded', () => {
  const items = ATTENTION_REASONS.flatMap((reason) => [
    { reason, name: `${reason} 1` },
    { reason, name: `${reason} 2` },
  ])
  const groups = groupAttention(items)
  expect(groups.flatMap((group) => group.items)).toHaveLength(items.length)
  expect(groups.map(({ reason, items: [first] }) => [reason, first?.name])).toEqual(
    [
      ...['damaged', 'stalled', 'approved_with_gaps', 'refuted', 'abandoned', 'stale', 'only_players_words'],
    ].map((reason) => [reason, `${reason} 1`]),
  )
  expect(groups.filter(({ isFolded }) => isFolded).map(({ reason }) => reason)).toEqual([
    'only_players_words',
  ])
  expect(groupAttention([])).toEqual([])
})
