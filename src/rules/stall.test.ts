import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CriterionState } from '../memory/criteria/views.ts'
import { type Outcome, toOutcome } from './outcome.ts'
import type { Progress, RecentEntry } from './progress.ts'
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
  basis: null,
  refuted: false,
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
  failedGates: [],
  testsFailed: null,
  quote: `The complaint ${signature}`,
  causes: [{ signature, identifiers: [] }],
  ...more,
})

const session = (more: Partial<Session>): Session => {
  const criteria = more.criteria ?? [criterion('AC-001')]
  return {
    isSuperseded: false,
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

test('the Player gets a helpful suggestion even without a known criterion', () => {
  const { playerSuggestion } = analyseStall(session({ outcomes: sameFeedback(5), criteria: [] }))
  expect(playerSuggestion).toBe("No judge has named a criterion: answer each point of the Coach's feedback.")
})

test('a suggestion names the first criteria, counts the others, and uses the plural for several failed gates', () => {
  const criteria = Array.from({ length: 180 }, (_, i) => criterion(`AC-${i + 1}`))
  const rejected = criteria.map((one) => ({ ...one, state: 'verified' as const, contestedInTurn: 3 }))
  const named = Array.from({ length: 12 }, (_, i) => `AC-${i + 1}`).join(', ')
  const outcomes = sameFeedback(3).map((turn) => ({ ...turn, gates: ['test_failure', 'code_quality'] }))
  expect(analyseStall(session({ outcomes, criteria })).suggestion).toBe(
    `Criteria left: ${named} and 168 more; blocking: test_failure, code_quality.`,
  )
  expect(analyseStall(session({ outcomes, criteria: rejected })).suggestion).toContain(
    `what was verified before: ${named} and 168 more.`,
  )
  const { reason, suggestion } = analyseStall(
    session({ outcomes: [...outcomes, ...outcomes], criteria: [verified('AC-001', 1)] }),
  )
  expect(reason).toContain('; test_failure and code_quality block. Repeated')
  expect(suggestion).toContain('look at test_failure and code_quality, which block the approval.')
})

test('turns before the last approval do not count', () => {
  const approved = { ...feedback(3, 'same'), decision: 'approved' as const }
  const outcomes = [
    feedback(1, 'same'),
    feedback(2, 'same'),
    approved,
    feedback(4, 'same'),
    feedback(5, 'same'),
  ]
  expect(analyseStall(session({ outcomes, criteria: [] })).verdict).toBe('no_growth')
  expect(analyseStall(session({ outcomes: [...outcomes, feedback(6, 'same')], criteria: [] })).verdict).toBe(
    'stalled',
  )
})

test('a reason names only the last turn for its count if more criteria were verified after an earlier turn', () => {
  const criteria = [verified('AC-001', 1), criterion('AC-002', { state: 'rejected' })]
  const lost = session({
    outcomes: sameFeedback(4),
    criteria,
    verifiedAfter: (turn) => (turn < 3 ? 2 : 1),
  })
  expect(analyseStall(lost).reason).toContain('After the last of turns 1 to 4, 1 of 2 criteria are verified.')
  expect(analyseStall(session({ outcomes: sameFeedback(4), criteria })).reason).toContain(
    'After each of turns',
  )
})

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

  test('unless a rejection has evidence or a promise is not complete', () => {
    const promise = { turn: 1, status: 'complete' as const }
    const criteria = [criterion('AC-001', { promise })]
    const progress = new Map([['AC-001', { evidencedRejectionTurn: 2 } as Progress]])
    expect(analyseStall(session({ outcomes: sameFeedback(3), criteria, progress })).shouldStop).toBe(true)
    const partial = [criterion('AC-001', { promise: { turn: 1, status: 'partial' } })]
    expect(analyseStall(session({ outcomes: sameFeedback(3), criteria: partial })).shouldStop).toBe(true)
  })

  test('by evidence that a later promise or a later verification answers', () => {
    const rejectedIn = (turn: number) =>
      new Map(['AC-001', 'AC-002'].map((key) => [key, { evidencedRejectionTurn: turn } as Progress]))
    const promised = (turn: number) => ({ promise: { turn, status: 'complete' as const } })
    const analyse = (criteria: Session['criteria'], turn: number) =>
      analyseStall(session({ outcomes: sameFeedback(5), criteria, progress: rejectedIn(turn) }))
    const rejected = (turn: number) => criterion('AC-001', { ...promised(turn), state: 'rejected' })
    const answer = analyse([rejected(2)], 1)
    expect(answer).toMatchObject({ verdict: 'stalled', shouldStop: false })
    expect(answer.reason).toContain('no later rejection shows evidence')
    expect(answer.suggestion).toContain('no later rejection shows evidence')
    expect(analyse([rejected(2)], 2).shouldStop).toBe(true)
    const again = { ...verified('AC-002', 1), ...promised(1) }
    expect(analyse([rejected(2), again], 1).shouldStop).toBe(false)
    expect(analyse([rejected(2), { ...again, refuted: true }], 1).shouldStop).toBe(true)
  })

  test('when all were verified, lost and verified again by a turn that does not count', () => {
    const answer = analyseStall(
      session({
        outcomes: sameFeedback(3),
        criteria: [verified('AC-001', 1)],
        verifiedAfter: (turn) => (turn < 3 ? 1 : 0),
      }),
    )
    expect(answer).toMatchObject({ verdict: 'stalled', shouldStop: false })
  })

  test('a session without criteria may be stopped', () => {
    expect(analyseStall(session({ outcomes: sameFeedback(3), criteria: [] })).shouldStop).toBe(true)
  })

  test('only a stalled or blocked session is stopped, for any session', () => {
    const outcome = fc.record({
      decision: fc.constantFrom('approved' as const, 'feedback' as const, 'rejected' as const),
      signature: fc.constantFrom('a', 'b'),
      failedGates: fc.constantFrom([] as string[], ['tests']),
      testsFailed: fc.constantFrom(null, 1, 2),
    })
    fc.assert(
      fc.property(
        fc.array(outcome, { maxLength: 9 }),
        fc.array(fc.constantFrom('verified' as const, 'rejected' as const, 'pending' as const), {
          maxLength: 4,
        }),
        (ends, states) => {
          const outcomes = ends.map(({ signature, ...end }, i) => feedback(i + 1, signature, end))
          const criteria = states.map((state, i) =>
            criterion(`AC-00${i + 1}`, { state, verifiedInTurn: state === 'verified' ? 1 : null }),
          )
          const answer = analyseStall(session({ outcomes, criteria }))
          if (answer.shouldStop) expect(['stalled', 'blocked']).toContain(answer.verdict)
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
    ['the last is approved', [feedback(1, 'a'), feedback(2, '', { decision: 'approved' })], 'finished'],
    ['one feedback turn', [feedback(1, 'a')], 'insufficient_data'],
    ['two', [feedback(1, 'a'), feedback(2, 'b')], 'no_growth'],
    [
      'rejected turns are feedback turns',
      [1, 2, 3].map((t) => feedback(t, 'a', { decision: 'rejected' })),
      'stalled',
    ],
    ['A B A is one return', ['a', 'b', 'a'].map((s, i) => feedback(i + 1, s)), 'no_growth'],
    ['A B A B are two', ['a', 'b', 'a', 'b'].map((s, i) => feedback(i + 1, s)), 'oscillating'],
    ['A B A C A too', ['a', 'b', 'a', 'c', 'a'].map((s, i) => feedback(i + 1, s)), 'oscillating'],
    ['four different ones', ['a', 'b', 'c', 'd'].map((s, i) => feedback(i + 1, s)), 'plateau'],
    ['equal ones do not return', ['a', 'a', 'b', 'b'].map((s, i) => feedback(i + 1, s)), 'plateau'],
  ])('%s', (_what, outcomes, verdict) => {
    expect(analyseStall(session({ outcomes })).verdict).toBe(verdict)
  })

  test('a cause in another wording counts as the same cause', () => {
    const outcomes = ['a1', 'b1', 'a2', 'b2'].map((signature, i) => {
      const identifiers = signature.startsWith('a') ? ['retry', 'client.ts'] : ['depth', 'parser.ts']
      return feedback(i + 1, signature, { causes: [{ signature, identifiers }] })
    })
    expect(analyseStall(session({ outcomes })).verdict).toBe('oscillating')
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

  test('claims of the Player do not count as changing verdicts', () => {
    const entries = ['verified', 'rejected', 'verified', 'rejected'].map(
      (status, i): RecentEntry => ({ turn: i + 1, status: status as 'verified', judges: false }),
    )
    const outcomes = entries.map(({ turn }) => feedback(turn, `s${turn}`))
    expect(analyseStall(session({ outcomes, findEntries: () => entries })).verdict).toBe('plateau')
  })

  test('of two judges who differ within a turn, the last verdict counts', () => {
    const entries = [1, 2, 3, 4].flatMap((turn): RecentEntry[] => [
      { turn, status: 'verified', judges: true },
      { turn, status: 'rejected', judges: true },
    ])
    const outcomes = [1, 2, 3, 4].map((turn) => feedback(turn, `s${turn}`))
    expect(analyseStall(session({ outcomes, findEntries: () => entries })).verdict).toBe('plateau')
  })
})

describe('growth', () => {
  const failing = (counts: (number | null)[]) =>
    counts.map((testsFailed, i) => feedback(i + 1, 'same', { testsFailed }))

  test('is fewer failed tests than in every earlier turn: 41, then 1, is no stall', () => {
    const answer = analyseStall(session({ outcomes: failing([41, 20, 1]) }))
    expect(answer).toMatchObject({ verdict: 'progressing', shouldStop: false })
    expect(answer.reason).toContain('In turn 3, 1 test fails, fewer than in turns 1 and 2.')
    expect(analyseStall(session({ outcomes: failing([41, 41, 41]) })).shouldStop).toBe(true)
    expect(analyseStall(session({ outcomes: failing([1, 41, 20]) })).shouldStop).toBe(true)
    expect(analyseStall(session({ outcomes: failing([null, null, 1]) })).shouldStop).toBe(true)
  })

  test('compares failed tests within the window of the verdict, so an early low count hides no progress', () => {
    expect(analyseStall(session({ outcomes: failing([3, 9, 8, 7]) })).shouldStop).toBe(false)
    const six = analyseStall(session({ outcomes: failing([3, 9, 8, 7, 6, 5]) }))
    expect(six).toMatchObject({ verdict: 'progressing', shouldStop: false })
    expect(six.reason).toContain('In turn 6, 5 tests fail, fewer than in turns 4 and 5.')
  })

  test('is a cause that blocked and is gone, if no new one came', () => {
    const raised = (turn: number, ...signatures: string[]) =>
      feedback(turn, signatures.join(), {
        causes: signatures.map((signature) => ({ signature, identifiers: [] })),
      })
    const fewer = [raised(1, 'a', 'b', 'c'), raised(2, 'a', 'b'), raised(3, 'a', 'b'), raised(4, 'a')]
    expect(analyseStall(session({ outcomes: fewer }))).toMatchObject({
      verdict: 'progressing',
      // It may still be raised by an issue that does not block.
      reason: expect.stringContaining('A cause that blocked before no longer blocks in turn 4.'),
    })
    const other = [raised(1, 'a', 'b'), raised(2, 'a', 'c'), raised(3, 'a', 'd'), raised(4, 'a', 'e')]
    expect(analyseStall(session({ outcomes: other })).verdict).toBe('plateau')
    const returning = [
      raised(1, 'a', 'b'),
      raised(2, 'a'),
      raised(3, 'a', 'b'),
      raised(4, 'a'),
      raised(5, 'a', 'b'),
    ]
    expect(analyseStall(session({ outcomes: returning })).verdict).not.toBe('progressing')
  })

  test('is the last blocking issue that is gone, even if an advisory issue is new, but not an advisory issue that is gone', () => {
    const gate = { failedGates: ['tests'] }
    const blocking = [1, 2, 3, 4].map((turn) => feedback(turn, 'a', gate))
    const advisory = (turn: number, signature: string) => feedback(turn, signature, { ...gate, blocking: 0 })
    expect(analyseStall(session({ outcomes: [...blocking, advisory(5, 'b')] }))).toMatchObject({
      verdict: 'progressing',
      shouldStop: false,
    })
    const fewer = [1, 2, 3].map((turn) => advisory(turn, 'b')).concat(advisory(4, 'c'))
    expect(analyseStall(session({ outcomes: fewer })).verdict).toBe('plateau')
  })

  test.each([
    ['progressing', 'fewer', [60, 55, 50, 45, 40]],
    ['progressing', 'fewer, after a turn with few', [0, 60, 55, 50, 45, 40]],
    ['progressing', 'fewer, after a turn with few', [10, 40, 35, 30, 28]],
    ['stalled', 'as many', [60, 60, 60, 60, 60]],
  ])(
    'of more blocking issues than have marks counts by their number: %s if there are %s',
    (verdict, _, counts) => {
      const raised = (issues: number, i: number) =>
        toOutcome({
          ...{ turnNumber: i + 1, coachDecision: 'feedback', coachFeedback: 'No', testsFailed: null },
          issues: Array.from({ length: issues }, (_, issue) => ({
            severity: 'blocking' as const,
            description: `The file ${'abcdefgh'[issue % 8]}${issue}.ts has no test`,
          })).reverse(),
          gates: [{ name: 'tests', status: 'failed' }],
        }) as Outcome
      expect(analyseStall(session({ outcomes: counts.map(raised) })).verdict).toBe(verdict)
    },
  )

  test('is not a lower number of issues with one cause', () => {
    const causes = [{ signature: 'retry', identifiers: [] }]
    const outcomes = [30, 29, 28, 27].map((blocking, i) => feedback(i + 1, `s${i}`, { blocking, causes }))
    expect(analyseStall(session({ outcomes })).verdict).toBe('plateau')
  })

  test('treats a reworded cause with the same files and names as one cause', () => {
    const identifiers = ['retry', 'client.ts', 'max']
    const outcomes = ['w', 'x', 'y', 'z'].map((signature, i) =>
      feedback(i + 1, signature, { causes: [{ signature, identifiers }] }),
    )
    expect(analyseStall(session({ outcomes }))).toMatchObject({ verdict: 'plateau' })
    const other = { signature: 'other', identifiers: ['parser.ts', 'depth'] }
    const goneBeside = [
      feedback(1, 'a', { causes: [{ signature: 'v', identifiers }, other] }),
      feedback(2, 'b', { causes: [{ signature: 'w', identifiers }] }),
    ]
    expect(analyseStall(session({ outcomes: goneBeside })).verdict).toBe('progressing')
  })

  test('of the last two turns is progress; without it the verdict is no_growth, with the number of turns', () => {
    const outcomes = ['a', 'b', 'c'].map((s, i) => feedback(i + 1, s))
    const grown = [verified('AC-001', 2), criterion('AC-002')]
    expect(analyseStall(session({ outcomes, criteria: grown })).verdict).toBe('progressing')
    const none = analyseStall(session({ outcomes }))
    expect(none).toMatchObject({ verdict: 'no_growth', shouldStop: false })
    expect(none.reason).toContain('No progress in 3 turns (turns 1 to 3)')
    const five = ['a', 'b', 'c', 'd', 'e'].map((s, i) => feedback(i + 1, s))
    const stopped = analyseStall(
      session({ outcomes: five, criteria: [verified('AC-001', 3), criterion('AC-002')] }),
    )
    expect(stopped).toMatchObject({ verdict: 'no_growth', window: 2 })
    expect(stopped.reason).toContain('No progress in 2 turns (turns 4 and 5)')
  })
})

describe('stalled', () => {
  const [proven, open] = [verified('AC-001', 1), criterion('AC-002')]

  test('takes three turns of equal feedback if nothing is verified, and five if something is', () => {
    const verdictOf = (turns: number, ...criteria: CriterionState[]) =>
      analyseStall(session({ outcomes: sameFeedback(turns), criteria })).verdict
    expect([2, 3].map((turns) => verdictOf(turns, open))).toEqual(['no_growth', 'stalled'])
    expect([3, 4, 5].map((turns) => verdictOf(turns, proven, open))).toEqual([
      'no_growth',
      'plateau',
      'stalled',
    ])
  })

  test('is not the verdict if all criteria are verified: equal feedback is a plateau then', () => {
    const answer = analyseStall(session({ outcomes: sameFeedback(6), criteria: [proven] }))
    expect(answer).toMatchObject({ verdict: 'plateau', shouldStop: false })
  })
})

describe('blocked', () => {
  const failing = (turn: number, more: Partial<Outcome> = {}) =>
    feedback(turn, `wording ${turn}`, { failedGates: ['coverage', 'tests'], ...more })
  const promise = { turn: 1, status: 'complete' as const }

  test('stops a session in which the same gate failed five times, although all promises are complete', () => {
    const outcomes = [1, 2, 3, 4, 5].map((turn) => failing(turn))
    const answer = analyseStall(session({ outcomes, criteria: [criterion('AC-001', { promise })] }))
    expect(answer).toMatchObject({ verdict: 'blocked', shouldStop: true, sinceTurn: 1, window: 5 })
    expect(answer.reason).toContain('the gate coverage failed in turns 1 to 5')
  })

  test('wins over a stall that complete promises would spare', () => {
    const outcomes = sameFeedback(5).map((turn) => ({ ...turn, failedGates: ['tests'] }))
    const answer = analyseStall(session({ outcomes, criteria: [criterion('AC-001', { promise })] }))
    expect(answer).toMatchObject({ verdict: 'blocked', shouldStop: true })
  })

  test('is not spared by criteria that are verified, but contested by a rejection with evidence', () => {
    const outcomes = [1, 2, 3, 4, 5, 6].map((turn) => failing(turn))
    const proven = verified('AC-001', 1)
    const refuted = { ...proven, contestedInTurn: 6, refuted: true }
    expect(analyseStall(session({ outcomes, criteria: [refuted] }))).toMatchObject({
      verdict: 'blocked',
      shouldStop: true,
    })
    expect(analyseStall(session({ outcomes, criteria: [proven] }))).toMatchObject({
      verdict: 'plateau',
      shouldStop: false,
    })
  })

  test('needs five turns, one gate in all of them, and no growth', () => {
    const four = [1, 2, 3, 4].map((turn) => failing(turn))
    expect(analyseStall(session({ outcomes: four })).verdict).toBe('plateau')
    const others = [1, 2, 3, 4, 5].map((turn) => failing(turn, { failedGates: [turn % 2 === 0 ? 'a' : 'b'] }))
    expect(analyseStall(session({ outcomes: others })).verdict).toBe('plateau')
    const fewer = [5, 4, 3, 2, 1].map((testsFailed, i) => failing(i + 1, { testsFailed }))
    expect(analyseStall(session({ outcomes: fewer })).verdict).toBe('progressing')
  })
})

test('a session is finished if it is approved, or if the task has a newer one', () => {
  expect(analyseStall(session({ outcomes: sameFeedback(5), isSuperseded: true }))).toMatchObject({
    verdict: 'finished',
    shouldStop: false,
  })
  const approved = [...sameFeedback(5), feedback(6, '', { decision: 'approved' })]
  expect(analyseStall(session({ outcomes: approved })).verdict).toBe('finished')
})

test('the reason quotes the repeated complaint', () => {
  const { reason } = analyseStall(session({ outcomes: sameFeedback(3) }))
  expect(reason).toContain('Repeated: "The complaint same"')
  const reasonOf = (...signatures: string[]) =>
    analyseStall(session({ outcomes: signatures.map((s, i) => feedback(i + 1, s)) })).reason
  expect(reasonOf('a', 'b')).not.toContain('The complaint')
  expect(reasonOf('a', 'b', 'a', 'b')).toContain('Returned: "The complaint b"')
})
