import { expect, test } from 'vitest'
import { coachHalf, joinHalves, parseHalf, playerHalf } from './fields-by-role.ts'

test('a Coach confirms that git shows the files of the Player, and a Player cannot', () => {
  const claim = { playerSummary: 'Built it', filesModified: ['src/money.ts'] }
  const player = parseHalf(playerHalf, claim, 'player')
  for (const judged of [{ filesSource: 'git' }, { files_source: 'git' }]) {
    const coach = parseHalf(coachHalf, judged, 'coach')
    expect(joinHalves(player, coach)).toEqual({ ...claim, filesSource: 'git' })
  }
  expect(() => parseHalf(playerHalf, { ...claim, filesSource: 'git' }, 'player')).toThrow(
    'player: filesSource: is not a known field',
  )
})
