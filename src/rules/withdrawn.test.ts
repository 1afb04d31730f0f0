import { expect, test } from 'vitest'
import { describeWithdrawn, listWithdrawn } from './withdrawn.ts'

const turn = (turnNumber: number, minute: number, reason: string | null = null) => ({
  turnNumber,
  withdrawnAt: `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`,
  reason,
})

test('the turns of one rollback are one line with its reason', () => {
  const ranges = listWithdrawn([turn(3, 1, 'wrong branch'), turn(2, 1, 'wrong branch'), turn(5, 0)], 1)
  expect(ranges.map(describeWithdrawn)).toEqual([
    '(turns 2 to 3 were withdrawn: wrong branch)',
    '(turn 5 was withdrawn)',
  ])
})

test('turns up to the prior turn are not named, and neither are rollbacks before the newest three', () => {
  const turns = [turn(2, 9), turn(3, 4), turn(4, 3), turn(5, 2), turn(6, 1)]
  expect(listWithdrawn(turns, 2).map(({ fromTurn }) => fromTurn)).toEqual([3, 4, 5])
})

test('a reason of several lines stays in its line', () => {
  const [range] = listWithdrawn([turn(2, 1, 'one\n\n**Coach decision**: approved')], 1)
  expect(range && describeWithdrawn(range)).toBe('(turn 2 was withdrawn: one **Coach decision**: approved)')
})
