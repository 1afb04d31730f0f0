import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Progress, RecentEntry } from '../memory/criteria/rows.ts'
import type { CriterionState } from '../memory/criteria/views.ts'
import type { Outcome } from './signature.ts'
import { analyseStall, type Session } from './stall.ts'

const criterion = (key: string, more: Partial<CriterionState> = {}): CriterionState => ({
  criterionId: key,
  key,
  text: `The criterion ${key}`,
  aliases: [],
  state: 'pending',
  verifiedInTurn: null,
  lastTurn: 1,
  contestedInTurn: null,
  isRefuted: false,
  promise: null,
  lastVerifiedTurn: null,
  ...more,
})

const feedback = (turn: number, signature: string, more: Partial<Outcome> = {}): Outcome => ({
  turn,
  decision: 'feedback',
  signature,
  blocking: 1,
  gates: [],
  ...more,
})

const session = (more: Partial<Session>): Session => {
  const criteria = more.criteria ?? [criterion('AC-001')]
  return {
    outcomes: [],
    criteria,
    progress: new Map<string, Progress>(),
    promisedNotJudged: [],
    verifiedAfter: (turn) =>
      criteria.filter(({ verifiedInTurn }) => (verifiedInTurn ?? Infinity) <= turn).length,
    findEntries: () => [],
    ...more,
  }
}

const sameFeedback = (turns: number) => Array.from({ length: turns }, (_, i) => feedback(i + 1, 'same'))
const verified = (key: string, turn: number) => criterion(key, { state: 'verified', verifiedInTurn: turn })

describe('never stopped', () => {
  test('when all criteria that count are verified, however often the same feedback comes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }), (turns, count) => {
        const criteria = Array.from({ length: count }, (_, i) => verified(`AC-00${i + 1}`, 1))
        expect(analyseStall(session({ outcomes: sameFeedback(turns), criteria })).shouldStop).toBe(false)
      }),
    )
  })

  test('when every promise is complete and no rejection shows evidence', () => {
    const promise = { turn: 1, status: 'complete' as const }
    const criteria = [criterion('AC-001', { promise }), criterion('AC-002', { promise, state: 'rejected' })]
    const answer = analyseStall(session({ outcomes: sameFeedback(5), criteria }))
    expect(answer).toMatchObject({ verdict: 'stalled', shouldStop: false })
    expect(answer.reason).not.toContain('UNRECOVERABLE_STALL')
    expect(answer.suggestion).toContain('promise')
  })

  test('but a rejection with evidence, or a promise that is not complete, takes that back', () => {
    const promise = { turn: 1, status: 'complete' as const }
    const criteria = [criterion('AC-001', { promise })]
    const progress = new Map([['AC-001', { evidencedRejectionTurn: 2 } as Progress]])
    expect(analyseStall(session({ outcomes: sameFeedback(3), criteria, progress })).shouldStop).toBe(true)
    const partial = [criterion('AC-001', { promise: { turn: 1, status: 'partial' } })]
    expect(analyseStall(session({ outcomes: sameFeedback(3), criteria: partial })).shouldStop).toBe(true)
  })

  test('a session without criteria may stop: nothing speaks for it', () => {
    expect(analyseStall(session({ outcomes: sameFeedback(3), criteria: [] })).shouldStop).toBe(true)
  })

  test('only a stalled session is stopped, for any session', () => {
    const outcome = fc.record({
      decision: fc.constantFrom('approved' as const, 'feedback' as const, 'rejected' as const),
      signature: fc.constantFrom('a', 'b'),
      blocking: fc.nat(3),
      gates: fc.constant([] as string[]),
    })
    fc.assert(
      fc.property(
        fc.array(outcome, { maxLength: 9 }),
        fc.array(fc.constantFrom('verified' as const, 'rejected' as const, 'pending' as const), {
          maxLength: 4,
        }),
        (ends, states) => {
          const outcomes = ends.map((end, i) => ({ turn: i + 1, ...end }))
          const criteria = states.map((state, i) =>
            criterion(`AC-00${i + 1}`, { state, verifiedInTurn: state === 'verified' ? 1 : null }),
          )
          const answer = analyseStall(session({ outcomes, criteria }))
          if (answer.shouldStop) expect(answer.verdict).toBe('stalled')
          expect(answer.reason.includes('UNRECOVERABLE_STALL')).toBe(answer.shouldStop)
          if (states.length > 0 && states.every((state) => state === 'verified')) {
            expect(answer.shouldStop).toBe(false)
          }
        },
      ),
    )
  })
})

describe('the first verdict that holds', () => {
  test.each<[string, Outcome[], string]>([
    ['no turn counts', [], 'insufficient_data'],
    ['the last is approved', [feedback(1, 'a'), feedback(2, '', { decision: 'approved' })], 'progressing'],
    ['one feedback turn', [feedback(1, 'a')], 'insufficient_data'],
    ['two', [feedback(1, 'a'), feedback(2, 'b')], 'progressing'],
    [
      'rejected turns are feedback turns',
      [1, 2, 3].map((t) => feedback(t, 'a', { decision: 'rejected' })),
      'stalled',
    ],
    ['A B A is one return', ['a', 'b', 'a'].map((s, i) => feedback(i + 1, s)), 'progressing'],
    ['A B A B are two', ['a', 'b', 'a', 'b'].map((s, i) => feedback(i + 1, s)), 'oscillating'],
    ['A B A C A too', ['a', 'b', 'a', 'c', 'a'].map((s, i) => feedback(i + 1, s)), 'oscillating'],
    ['four different ones', ['a', 'b', 'c', 'd'].map((s, i) => feedback(i + 1, s)), 'plateau'],
    ['equal ones do not return', ['a', 'a', 'b', 'b'].map((s, i) => feedback(i + 1, s)), 'plateau'],
  ])('%s', (_what, outcomes, verdict) => {
    expect(analyseStall(session({ outcomes })).verdict).toBe(verdict)
  })

  test('growth within the window is progress', () => {
    const criteria = [verified('AC-001', 1), verified('AC-002', 3), criterion('AC-003')]
    const outcomes = ['a', 'b', 'c', 'd'].map((s, i) => feedback(i + 1, s))
    expect(analyseStall(session({ outcomes, criteria })).verdict).toBe('progressing')
    expect(
      analyseStall(session({ outcomes: [...outcomes, feedback(5, 'e'), feedback(6, 'f')], criteria })),
    ).toMatchObject({
      verdict: 'plateau',
      sinceTurn: 3,
      window: 4,
    })
  })

  test.each([
    [3, ['verified', 'rejected', 'verified', 'rejected']],
    [2, ['verified', 'rejected', 'rejected', 'verified']],
  ])('%i changes of direction', (changes, statuses) => {
    const entries = statuses.map(
      (status, i): RecentEntry => ({ turn: i + 1, status: status as 'verified', judges: true }),
    )
    const criteria = [verified('AC-001', 1), criterion('AC-002')]
    const outcomes = statuses.map((_, i) => feedback(i + 1, `s${i}`))
    const answer = analyseStall(
      session({ outcomes, criteria, findEntries: (key) => (key === 'AC-001' ? entries : []) }),
    )
    expect(answer.verdict).toBe(changes >= 3 ? 'oscillating' : 'plateau')
  })

  test('two judges who differ within each turn are one verdict a turn: the last', () => {
    const entries = [1, 2, 3, 4].flatMap((turn): RecentEntry[] => [
      { turn, status: 'verified', judges: true },
      { turn, status: 'rejected', judges: true },
    ])
    const outcomes = [1, 2, 3, 4].map((turn) => feedback(turn, `s${turn}`))
    expect(analyseStall(session({ outcomes, findEntries: () => entries })).verdict).toBe('plateau')
  })
})
