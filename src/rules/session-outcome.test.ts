import { describe, expect, test } from 'vitest'
import type { CriterionState } from '../memory/criteria/views.ts'
import { type AttentionFacts, compareAttention, findAttention } from './attention.ts'
import { decideOutcome } from './session-outcome.ts'

const NOW = new Date('2026-03-02T12:00:00Z')
const TODAY = '2026-03-02T11:00:00.000Z'
const LONG_AGO = '2026-02-20T11:00:00.000Z'

const criterion = (criterionId: string, more: Partial<CriterionState> = {}): CriterionState => ({
  criterionId,
  key: criterionId,
  text: `The criterion ${criterionId}`,
  aliases: [],
  state: 'verified',
  verifiedInTurn: 1,
  lastVerifiedTurn: 1,
  lastTurn: 1,
  contestedInTurn: null,
  basis: 'judged',
  refuted: false,
  promise: null,
  ...more,
})

const session = (more: Partial<AttentionFacts> = {}): AttentionFacts => ({
  project: 'shop',
  featureId: 'F',
  taskId: 'TASK-A',
  worldSlug: 'TASK-A',
  currentTurn: 7,
  lastDecision: 'feedback',
  lastActivity: TODAY,
  isActive: false,
  hasNewer: false,
  supersededBy: null,
  endedRun: null,
  stall: { verdict: 'progressing', sinceTurn: 1, window: 4 },
  blockingGate: null,
  failedGates: [],
  criteria: [criterion('AC-1')],
  isDeclared: true,
  promisedNotJudged: 0,
  progress: new Map(),
  changedFiles: new Map(),
  countFailures: () => 5,
  ...more,
})

const blocked = {
  stall: { verdict: 'blocked', sinceTurn: 3, window: 5 },
  blockingGate: 'independent_tests',
} as const
const pending = { state: 'pending', verifiedInTurn: null, lastVerifiedTurn: null, basis: null } as const
const refuted = criterion('AC-004', { refuted: true, contestedInTurn: 5, lastTurn: 5 })

const outcomeOf = (more: Partial<AttentionFacts>) => decideOutcome(session(more), NOW)
const attentionOf = (more: Partial<AttentionFacts>) => findAttention(session(more), NOW)
const sentenceOf = (more: Partial<AttentionFacts>) => attentionOf(more)?.sentence

describe('outcome', () => {
  test.each<[string, Partial<AttentionFacts>]>([
    ['running', {}],
    ['running', { isActive: true, lastActivity: LONG_AGO, ...blocked }],
    ['abandoned', { lastActivity: LONG_AGO }],
    ['abandoned', { lastActivity: '2026-03-01T12:00:00.000Z' }],
    ['running', { lastActivity: '2026-03-01T12:00:00.001Z' }],
    ['approved', { lastDecision: 'approved' }],
    ['approved with gaps', { lastDecision: 'approved', criteria: [criterion('AC-1', pending)] }],
    ['approved with gaps', { lastDecision: 'approved', failedGates: ['tests'] }],
    ['approved with gaps', { lastDecision: 'approved', promisedNotJudged: 1 }],
    ['approved', { lastDecision: 'approved', criteria: [criterion('AC-1', { ...pending, kind: 'manual' })] }],
    [
      'approved',
      { lastDecision: 'approved', criteria: [criterion('AC-1', { ...pending, declared: false })] },
    ],
    ['regressed', { lastDecision: 'approved', criteria: [refuted] }],
    ['regressed', { criteria: [refuted] }],
    ['blocked by independent_tests', blocked],
    ['stalled', { stall: { verdict: 'oscillating', sinceTurn: 1, window: 6 }, criteria: [refuted] }],
    ['stopped by budget', { endedRun: { status: 'cancelled', stopReason: 'budget', isExhausted: false } }],
    ['stopped by turn limit', { endedRun: { status: 'completed', stopReason: null, isExhausted: true } }],
    ['stopped by attempt limit', { endedRun: { status: 'failed', stopReason: null, isExhausted: true } }],
    ['stopped by error', { lastDecision: 'error' }],
    ['superseded by TASK-A.2', { supersededBy: 'TASK-A.2', hasNewer: true, ...blocked }],
    ['superseded by TASK-A.2', { supersededBy: 'TASK-A.2', hasNewer: true, lastDecision: 'approved' }],
  ])('is `%s` for %o', (outcome, facts) => {
    expect(outcomeOf(facts)).toBe(outcome)
  })

  test('a name from outside stays on one line', () => {
    expect(outcomeOf({ ...blocked, blockingGate: 'a\n# approved\u202e' })).toBe('blocked by a # approved')
  })
})

describe('attention', () => {
  test('a gate that fails in every turn comes with the number of turns and the last gain', () => {
    const criteria = [criterion('AC-1', { verifiedInTurn: 2 }), criterion('AC-2', pending)]
    expect(sentenceOf({ ...blocked, criteria })).toBe(
      'Turn 7 of TASK-A: the gate `independent_tests` failed in 5 turns; nothing was gained since turn 2.',
    )
  })

  test('an abandoned session needs a person, unless its run was cancelled', () => {
    const ended = { stopReason: null, isExhausted: false } as const
    const reasonOf = (status: 'cancelled' | 'interrupted') =>
      attentionOf({ lastActivity: LONG_AGO, endedRun: { status, ...ended } })?.reason
    expect(reasonOf('interrupted')).toBe('abandoned')
    expect(reasonOf('cancelled')).toBeUndefined()
  })

  test('a session without growth is abandoned after a day, and needs no person if its task has a newer session', () => {
    const stall = { verdict: 'no_growth', sinceTurn: 6, window: 2 } as const
    const criteria = [criterion('AC-1', pending)]
    expect(sentenceOf({ stall, criteria })).toBe(
      'Turn 7 of TASK-A: the session makes no progress; no criterion was ever verified.',
    )
    expect(attentionOf({ stall, criteria, lastActivity: LONG_AGO })).toMatchObject({
      reason: 'abandoned',
      sentence:
        'Turn 7 of TASK-A was sent back, and nobody has continued for a day; no criterion was ever verified.',
    })
    const gained = [criterion('AC-1', { verifiedInTurn: 7 })]
    expect(attentionOf({ stall, criteria: gained, lastActivity: LONG_AGO })?.sentence).toBe(
      'Turn 7 of TASK-A was sent back, and nobody has continued for a day; it verified a new criterion.',
    )
    expect(
      attentionOf({ stall, criteria, lastActivity: LONG_AGO, lastDecision: 'unknown' })?.sentence,
    ).toMatch(/^Turn 7 of TASK-A was not approved, and/)
    expect(attentionOf({ stall, criteria, lastActivity: LONG_AGO, hasNewer: true })).toBeNull()
    expect(attentionOf({ stall, criteria, lastActivity: LONG_AGO, lastDecision: null })).toBeNull()
    expect(attentionOf({ stall, criteria, hasNewer: true })).toBeNull()
    expect(attentionOf({ stall, criteria: [criterion('AC-1', { verifiedInTurn: 6 })] })).toBeNull()
    expect(attentionOf({ ...blocked, lastActivity: LONG_AGO })?.reason).toBe('stalled')
  })

  test('an approval names each kind of gap', () => {
    const judged = (name: string) => criterion(name, { ...pending, state: 'rejected', lastTurn: 3 })
    const unjudged = Array.from({ length: 3 }, (_, i) => criterion(`N-${i}`, { ...pending, lastTurn: null }))
    const proven = Array.from({ length: 8 }, (_, i) => criterion(`V-${i}`))
    const approved = { lastDecision: 'approved' } as const
    expect(sentenceOf({ ...approved, criteria: [...unjudged, ...proven] })).toBe(
      'Approved, but 3 of 11 declared criteria were never judged.',
    )
    expect(
      sentenceOf({
        ...approved,
        criteria: [...unjudged, judged('R'), criterion('P', pending)],
        isDeclared: false,
        failedGates: ['lint'],
      }),
    ).toBe(
      'Approved, but 3 of 5 criteria were never judged, 1 was rejected, 1 was left open and the gate `lint` failed in the approved turn.',
    )
  })

  test('a refuted criterion says whether a file changed, if the files of every turn in between are known', () => {
    const progress = new Map([['AC-004', { evidencedRejectionTurn: 5 }]])
    const changedIn = (turns: [number, string[]][]) => new Map(turns)
    const facts = { criteria: [refuted], progress }
    const start = 'AC-004 was verified in turn 1 and rejected with evidence in turn 5'
    const none: [number, string[]][] = [2, 3, 4, 5].map((turn) => [turn, []])
    expect(sentenceOf({ ...facts, changedFiles: changedIn(none) })).toBe(
      `${start}; no file changed in between.`,
    )
    expect(sentenceOf({ ...facts, changedFiles: changedIn([...none, [3, ['a.ts', 'b.ts']]]) })).toBe(
      `${start}; 2 files changed in between.`,
    )
    expect(sentenceOf({ ...facts, changedFiles: changedIn(none.slice(1)) })).toBe(`${start}.`)
  })

  test('an approval in the words of the Player needs a person', () => {
    const criteria = Array.from({ length: 9 }, (_, i) => criterion(`AC-${i}`, { basis: 'repeated' }))
    const approved = { lastDecision: 'approved' } as const
    expect(sentenceOf({ ...approved, criteria })).toBe("9 of 9 proofs repeat the Player's promise.")
    expect(sentenceOf({ ...approved, criteria: [...criteria, criterion('X', { basis: 'bare' })] })).toBe(
      "9 of 10 proofs repeat the Player's promise, and 1 has no evidence.",
    )
    expect(attentionOf({ ...approved, criteria: [...criteria, criterion('X')] })).toBeNull()
    expect(attentionOf({ criteria })).toBeNull()
  })

  test('stale proofs are counted', () => {
    const stale = { turn: 3, files: ['a.ts'] }
    const criteria = ['AC-1', 'AC-2'].map((name) => criterion(name, { stale }))
    expect(sentenceOf({ criteria })).toBe('2 proofs are older than the files they name.')
    expect(sentenceOf({ criteria: [criterion('AC-1', { stale: { turn: 3, files: [] } })] })).toBe(
      '1 proof is older than the wording of its criterion.',
    )
  })

  test('an approved session does not need help, even with the stall verdict no_growth', () => {
    const flat = { stall: { verdict: 'no_growth', sinceTurn: 2, window: 5 }, isActive: true } as const
    expect(attentionOf(flat)?.reason).toBe('stalled')
    expect(attentionOf({ ...flat, lastDecision: 'approved' })).toBeNull()
  })

  test('a superseded session never needs a person, and a reason of a higher rank comes first', () => {
    expect(attentionOf({ ...blocked, supersededBy: 'TASK-A.2', hasNewer: true })).toBeNull()
    const superseded = { supersededBy: 'TASK-A.2', hasNewer: true } as const
    expect(attentionOf({ ...superseded, lastDecision: 'approved', failedGates: ['lint'] })).toBeNull()
    const items = [
      attentionOf({ lastDecision: 'approved', failedGates: ['lint'], worldSlug: 'b' }),
      attentionOf({ lastDecision: 'approved', failedGates: ['lint'], worldSlug: 'a' }),
      attentionOf({ ...blocked, lastActivity: LONG_AGO, worldSlug: 'c' }),
    ].flatMap((item) => item ?? [])
    expect(items.sort(compareAttention).map(({ worldSlug }) => worldSlug)).toEqual(['c', 'a', 'b'])
  })
})
