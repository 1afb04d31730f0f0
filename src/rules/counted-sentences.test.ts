import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CriterionState } from '../memory/criteria/views.ts'
import { type AttentionFacts, findAttention } from './attention.ts'
import { describeFailures, describeGoal, describeMinutes, describeTokens } from './goal-words.ts'
import { contestedNote } from './notes.ts'
import type { Outcome } from './outcome.ts'
import { summarizeSession } from './session-summary.ts'
import { analyseStall } from './stall.ts'
import type { CoachDecision } from './values.ts'

const NOW = new Date('2026-03-02T12:00:00Z')

const createCriterion = (i: number, state: CriterionState['state'], isRefuted: boolean): CriterionState => ({
  criterionId: `AC-${i}`,
  key: `AC-${i}`,
  text: `Criterion AC-${i}`,
  aliases: [],
  state,
  verifiedInTurn: state === 'verified' ? 1 : null,
  lastVerifiedTurn: state === 'verified' ? 1 : null,
  lastTurn: state === 'pending' ? null : 1,
  contestedInTurn: null,
  basis: state === 'verified' ? 'repeated' : null,
  refuted: isRefuted && state === 'verified',
  promise: null,
})

const createOutcome = (turn: number, decision: 'approved' | 'feedback'): Outcome => ({
  turn,
  decision,
  signature: 'same',
  blocking: 1,
  gates: ['tests'],
  failedGates: ['tests'],
  testsFailed: null,
  quote: 'The tests fail',
  causes: [],
})

/** Returns all sentences about a session in which every number is 0, 1 or 2. */
function writeSentences(
  states: CriterionState['state'][],
  count: number,
  isApproved: boolean,
  isGate: boolean,
) {
  const decision: CoachDecision = isApproved ? 'approved' : 'feedback'
  const criteria = states.map((state, i) => createCriterion(i, state, isGate))
  const turns = Array.from({ length: count }, (_, i) => i + 1)
  const verifiedAfter = () => criteria.filter(({ state }) => state === 'verified').length
  const stalls = [count, 6].map((length) =>
    analyseStall({
      isSuperseded: false,
      outcomes: Array.from({ length }, (_, i) => createOutcome(i + 1, decision)),
      criteria,
      progress: new Map(),
      promisedNotJudged: [],
      verifiedAfter,
      findEntries: () => [],
    }),
  )
  const facts: AttentionFacts = {
    ...{ project: 'shop', featureId: 'F', taskId: 'TASK-A', worldSlug: 'TASK-A' },
    ...{
      currentTurn: count,
      lastDecision: count === 0 ? null : decision,
      lastActivity: '2026-03-02T11:00:00.000Z',
    },
    ...{ isActive: false, hasNewer: false, supersededBy: null, endedRun: null },
    stall: { verdict: isGate ? 'blocked' : 'stalled', sinceTurn: 1, window: count },
    blockingGate: isGate ? 'tests' : null,
    failedGates: isGate && isApproved ? ['tests'] : [],
    ...{ criteria, isDeclared: true, promisedNotJudged: 0, progress: new Map(), changedFiles: new Map() },
    countFailures: () => count,
  }
  const summary = summarizeSession(
    {
      ...facts,
      outcome: 'abandoned',
      turns: turns.map((turn) => ({ turn, decision, failedGates: facts.failedGates, texts: ['It fails.'] })),
      ...{ issues: [], findEntries: () => [], ledger: [] },
    },
    NOW,
  )
  return [
    ...summary,
    findAttention(facts, NOW)?.sentence ?? '',
    ...stalls.flatMap(({ reason, suggestion, playerSuggestion }) => [
      reason,
      suggestion ?? '',
      playerSuggestion ?? '',
    ]),
  ]
}

/** Matches words that do not agree with their number: `1 turns`, `2 turn`, `All 1`, `0 of 0`. */
const WRONG_NUMBER =
  /\b1 (?:declared )?(?:criteria|turns|proofs|verdicts|sessions|files|tests)\b|\b[02] (?:criterion|turn|proof|verdict)\b|\bAll 1\b|\bof 0\b|\bnone of 1\b|\b1 of 1 \w+ are\b|1 of 2 \w+ are\b.*\bis\b/i

test('the reasons of a run that ended have the right number', () => {
  const write = (count: number) => [
    describeGoal(count, 'verified', 4),
    describeGoal(count, 'observed', 4),
    describeMinutes(count),
    describeFailures(count),
    describeTokens(count),
  ]
  expect(write(1).filter((sentence) => /\ball 1\b|\b1 \w+s\b/.test(sentence))).toEqual([])
  expect(write(2)).toEqual([
    'goal reached: all 2 criteria verified in turn 4',
    'goal reached: all 2 criteria observed in turn 4',
    '2 minutes',
    '2 attempts failed in a row',
    '2 tokens',
  ])
})

test('every sentence about 0, 1 or 2 criteria and turns has the right number', () => {
  const state = fc.constantFrom<CriterionState['state']>('verified', 'rejected', 'pending')
  const seen = new Set<string>()
  fc.assert(
    fc.property(
      fc.array(state, { maxLength: 2 }),
      fc.integer({ min: 0, max: 2 }),
      fc.boolean(),
      fc.boolean(),
      (...choice) => {
        for (const sentence of writeSentences(...choice)) {
          seen.add(sentence)
          expect(sentence).not.toMatch(WRONG_NUMBER)
        }
      },
    ),
    { numRuns: 400 },
  )
  expect(seen.size).toBeGreaterThan(20)
})

test('a note lists the turns that contest criteria if there are at most six, and otherwise counts them', () => {
  expect(contestedNote(1, [2])).toBe(', 1 contested in turn 2')
  expect(contestedNote(2, [2, 5])).toBe(', 2 contested in turns 2, 5')
  expect(contestedNote(32, [1, 2, 3, 4, 5, 6, 7])).toBe(', 32 contested in 7 turns')
})
