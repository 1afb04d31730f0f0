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

test('an answer whose entries have the names of the other form fails, because all of its verdicts would be lost', () => {
  const verdict = { status: 'rejected', evidence: 'It prints 1' }
  const wire = { coach_decision: 'approved', verifications: [{ criterionId: 'AC-1', ...verdict }] }
  const own = { coachDecision: 'approved', verifications: [{ criterion_id: 'AC-1', ...verdict }] }
  expect(() => parseHalf(coachHalf, wire, 'coach')).toThrow('verifications[0].criterion_id: is missing')
  expect(() => parseHalf(coachHalf, own, 'coach')).toThrow('verifications[0].criterionId: is missing')
})

test('the words of tests and checklists are verdicts of a Coach, so that no rejection is left out', () => {
  const verifications = ['PASS', 'Fail.', 'not met'].map((status, i) => ({ criterion_id: `AC-${i}`, status }))
  const half = parseHalf(
    coachHalf,
    { verifications, acceptance_criteria_status: { 'AC-9': 'FAIL' } },
    'coach',
  )
  expect(half.verifications?.map(({ status }) => status)).toEqual(['verified', 'rejected', 'rejected'])
  expect(half.acceptanceCriteriaStatus).toEqual({ 'AC-9': 'rejected' })
  expect(half.extra).toBeUndefined()
})
