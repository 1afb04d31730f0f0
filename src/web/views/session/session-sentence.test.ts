import { describe, expect, test } from 'vitest'
import type { Turn } from '../../service/operations.ts'
import { describeSession } from './session-sentence.ts'

const criteria = (verified: number, total: number, turn: number) => ({
  criteria: [],
  verified,
  contested: 0,
  total,
  as_of_turn: turn,
})
const ended = (coach_decision: Turn['coach_decision'], coach_feedback: string | null = null) => ({
  coach_decision,
  coach_feedback,
  what_to_try_next: null,
})
const IDLE = { active_turn_run_id: null, active_attempt_id: null, current_turn: 2 }

describe('the sentence of a session', () => {
  test('names the proven criteria, the turn and the last request of the Coach', () => {
    expect(
      describeSession(
        criteria(6, 7, 5),
        ended('feedback', 'Discounts hold again. Now fix the limit of retries.'),
        IDLE,
        true,
      ),
    ).toBe(
      '6 of 7 proven, turn 5, the Coach last asked for: “\u2068Discounts hold again. Now fix the limit of retries\u2069”.',
    )
  })

  test('quotes as the Coach only what the Coach wrote', () => {
    const end = (feedback: string | null) => ({
      ...ended('feedback', feedback),
      what_to_try_next: 'The old PDF',
    })
    const describe = (feedback: string | null) =>
      describeSession(criteria(3, 4, 3), end(feedback), IDLE, true)
    expect(describe('The number is gone')).toContain(
      'the Coach last asked for: “\u2068The number is gone\u2069”',
    )
    expect(describe('The number is gone')).not.toContain('PDF')
    expect(describe(null)).toContain('suggested next: “\u2068The old PDF\u2069”')
  })

  test('does not repeat what the summary of the session says', () => {
    const describe = (why: Parameters<typeof describeSession>[1], summary: string) =>
      describeSession(criteria(6, 7, 5), why, IDLE, true, summary)
    const asked = ended('feedback', 'The number is gone.\nPut it back.')
    expect(describe(asked, 'the Coach last asked for "A blocking issue"')).toBe(
      '6 of 7 proven, turn 5, feedback: “\u2068The number is gone. Put it back\u2069”.',
    )
    for (const [why, summary] of [
      [asked, 'the Coach last wrote "The number is gone. Put it back"'],
      [ended('feedback', `${'It fails '.repeat(50)}`), `the Coach last wrote "${'It fails '.repeat(10)}…"`],
      [ended('approved'), 'Approved after 2 turns'],
      [ended('error'), 'the newest turn ended with an error'],
    ] as const)
      expect(describe(why, summary)).toBe('6 of 7 proven, turn 5.')
  })

  test('counts the proofs by how they are known', () => {
    const proofs = (['judged', 'repeated', 'repeated'] as const).map((basis) => ({
      state: 'verified',
      basis,
    }))
    expect(describeSession({ ...criteria(3, 3, 2), criteria: proofs as never[] }, null, IDLE, true)).toBe(
      "3 of 3 proven, turn 2, 1 in the judge's words, 2 in the Player's words.",
    )
  })

  test('counts contested criteria separately, and names their turns', () => {
    const contested = { state: 'verified' as const, contested: { turn: 5 } }
    const all = { ...criteria(2, 2, 5), contested: 2, criteria: [contested, contested] as never[] }
    expect(describeSession(all, null, IDLE, true)).toBe('2 of 2 proven, 2 contested in turn 5, turn 5.')
  })

  test('names an approval or a running turn', () => {
    expect(describeSession(criteria(7, 7, 2), ended('approved'), IDLE, true)).toBe(
      '7 of 7 proven, turn 2, approved by the Coach.',
    )
    const running = { ...IDLE, active_attempt_id: 'a' }
    expect(describeSession(criteria(0, 0, 0), null, running, true)).toBe(
      'No criterion is known, no turn yet, turn 3 is running.',
    )
    expect(describeSession(criteria(0, 0, 0), null, running, false)).toBe(
      'No criterion is known, no turn yet.',
    )
  })

  test('ends with a whole sentence if the feedback is longer than a line', () => {
    const feedback = `Fix the limit of retries. Then test it! ${'And so on '.repeat(20)}.`
    expect(describeSession(criteria(6, 7, 5), ended('feedback', feedback), IDLE, true)).toContain(
      'asked for: “\u2068Fix the limit of retries. Then test it\u2069”.',
    )
  })

  test("does not let the Coach's text change the direction of the text around it", () => {
    const said = describeSession(criteria(0, 1, 1), ended('feedback', '\u202eתקן\u2069 it\u2067'), IDLE, true)
    expect(said).toBe('0 of 1 proven, turn 1, the Coach last asked for: “\u2068תקן it\u2069”.')
  })

  test('cuts a feedback of 20,000 characters without a space, but never inside an emoji', () => {
    const said = describeSession(criteria(0, 1, 1), ended('feedback', '🌍'.repeat(20_000)), IDLE, true)
    expect([...said].length).toBeLessThan(230)
    expect(said).toContain(`${'🌍'.repeat(160)}…`)
  })
})
