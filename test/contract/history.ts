import { describe, expect, test } from 'vitest'
import { aTurn, clientOf, FEATURE, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Status = 'verified' | 'rejected'

const verdicts = (of: Record<string, Status>, evidence?: string): Partial<TurnToSend> => ({
  verifications: Object.entries(of).map(([label, status]) => ({
    criterionId: label,
    criterionText: `The text of ${label}`,
    status,
    ...(evidence !== undefined && { evidence }),
  })),
})

const again = { issues: [{ severity: 'blocking' as const, description: 'It still fails' }] }

/** Compare and replay (contract: page.md). */
export function historyContract(store: StoreUnderTest): void {
  describe('compare and replay', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const capture = async (worldSlug: string, ...turns: Partial<TurnToSend>[]) => {
      for (const [i, turn] of turns.entries()) {
        await client().captureTurnState(aTurn(i + 1, { worldSlug, createWorld: i === 0, ...turn }))
      }
    }

    test('a replay counts turns after everything was proven and turns that judge again, each with its rule', async () => {
      await capture(
        'w1',
        verdicts({ 'AC-1': 'verified', 'AC-2': 'rejected' }, 'seen in the log'),
        verdicts({ 'AC-2': 'verified' }, 'seen in the log'),
        verdicts({ 'AC-1': 'rejected', 'AC-2': 'verified' }, 'the log has an error'),
        { coachDecision: 'approved' },
      )
      const { items, totals, sentence } = await client().replaySessions({})
      const [session] = items
      expect(session).toMatchObject({
        featureId: FEATURE,
        taskId: TASK,
        worldSlug: 'w1',
        turns: 4,
        approvedIn: 4,
      })
      const counted = Object.fromEntries((session?.policies ?? []).map((each) => [each.policy, each.counted]))
      const afterEverything = (turn: number) => ({ turn, rule: 'after_all_proven', provenIn: 2 })
      const judgedAgain = {
        turn: 3,
        rule: 'judged_again',
        criteria: ['AC-1', 'AC-2'],
        verifiedAgain: 1,
        rejected: 1,
      }
      expect(counted.sticky).toEqual([afterEverything(3), judgedAgain, afterEverything(4)])
      // A rejection with evidence takes the proof back, so turn 4 is not after everything was proven.
      expect(counted.evidence).toEqual([afterEverything(3), judgedAgain])
      expect(counted.latest).toEqual([afterEverything(3), judgedAgain])
      // Without an observation nothing counts as verified, so the same empty feedback is a stall.
      expect(counted.observed).toEqual([
        { turn: 3, rule: 'stop', verdict: 'stalled', right: false, turnsAfter: 1 },
      ])
      expect(totals[0]).toEqual({
        policy: 'sticky',
        sessions: 1,
        turns: 4,
        repeated: 3,
        afterAllProven: 2,
        judgedAgain: 1,
        stops: 0,
        rightStops: 0,
        turnsSaved: 0,
        turnsLost: 0,
      })
      expect(sentence).toBe(
        '1 session repeated 3 of 4 turns: 2 came after everything was proven, 1 judged again what was verified; the detector would have ended no session (policy sticky).',
      )
    })

    test('a stop is wrong if the session was approved later, and right otherwise', async () => {
      const stuck = { ...verdicts({ 'AC-1': 'rejected' }, 'it fails'), ...again }
      await capture('stays', stuck, stuck, stuck, stuck)
      await capture('later', stuck, stuck, stuck, {
        coachDecision: 'approved',
        ...verdicts({ 'AC-1': 'verified' }),
      })
      const { items, totals } = await client().replaySessions({ policy: 'sticky' })
      const stops = items.map(({ worldSlug, policies }) => [
        worldSlug,
        policies.flatMap(({ counted }) => counted),
      ])
      const stop = { turn: 3, rule: 'stop', verdict: 'stalled', turnsAfter: 1 }
      expect(stops).toEqual([
        ['later', [{ ...stop, right: false }]],
        ['stays', [{ ...stop, right: true }]],
      ])
      expect(totals).toMatchObject([{ stops: 2, rightStops: 1, turnsSaved: 1, turnsLost: 1 }])
      const early = await client().replaySessions({ policy: 'sticky', stall: 'no_growth' })
      expect(early.items.flatMap(({ policies }) => policies.flatMap(({ counted }) => counted))).toMatchObject(
        [
          { turn: 2, verdict: 'no_growth' },
          { turn: 2, verdict: 'no_growth' },
        ],
      )
    })

    test('replays page by page, and rejects a project or task that does not exist', async () => {
      for (const worldSlug of ['a', 'b', 'c']) await capture(worldSlug, {})
      const first = await client().replaySessions({ limit: 2 })
      expect(first.items.map(({ worldSlug }) => worldSlug)).toEqual(['a', 'b'])
      const second = await client().replaySessions({ limit: 2, cursor: first.nextCursor })
      expect(second.items.map(({ worldSlug }) => worldSlug)).toEqual(['c'])
      expect(second.nextCursor).toBeNull()
      await expect(client().replaySessions({ taskId: 'none' })).rejects.toMatchObject({ code: 'not_found' })
    })

    test('compares two sessions of a task in numbers and in one sentence', async () => {
      await capture(
        'w1',
        { ...verdicts({ 'AC-1': 'verified', 'AC-2': 'rejected' }), durationSeconds: 5 },
        { ...verdicts({ 'AC-1': 'rejected' }), ...again, gates: { tests: 'failed' }, durationSeconds: 7 },
      )
      await capture('w2', {
        ...verdicts({ 'AC-1': 'verified', 'AC-2': 'verified' }),
        coachDecision: 'approved',
      })
      const { a, b, sameTask, sentence } = await client().compareWorlds({ a: 'w1', b: 'w2' })
      expect(a).toEqual({
        featureId: FEATURE,
        taskId: TASK,
        worldSlug: 'w1',
        turns: 2,
        lastDecision: 'feedback',
        criteria: 2,
        verified: 1,
        contested: 1,
        gains: [{ turn: 1, gained: 1 }],
        firstVerifiedIn: 1,
        allVerifiedIn: null,
        reversals: 1,
        failedGates: [{ gate: 'tests', turns: 1 }],
        issues: 1,
        openIssues: 1,
        openBlocking: 1,
        seconds: 12,
      })
      expect(b).toMatchObject({
        turns: 1,
        verified: 2,
        allVerifiedIn: 1,
        reversals: 0,
        failedGates: [],
        seconds: null,
      })
      expect(sameTask).toBe(true)
      expect(sentence).toBe(
        'A ended with feedback, B with approved; A verified 1 of 2 criteria, B 2 of 2; A took 1 turn more (2, not 1); A had 1 reversal more (1, not 0); A has 1 open blocking issue more (1, not 0).',
      )
      const same = await client().compareWorlds({ a: 'w1', b: 'w1' })
      expect(same.sentence).toMatch(/^Both ended alike/)
      await expect(client().compareWorlds({ a: 'w1', b: 'w3' })).rejects.toMatchObject({
        code: 'unknown_world',
      })
    })

    test('a comparison counts the reversals that the summary of each session lists', async () => {
      await client().declareCriteria({
        featureId: FEATURE,
        taskId: TASK,
        criteria: [{ criterionId: 'AC-1', text: 'The text of AC-1' }],
      })
      await capture(
        'w1',
        verdicts({ 'AC-1': 'verified', 'AC-2': 'verified' }),
        verdicts({ 'AC-1': 'rejected', 'AC-2': 'rejected' }),
      )
      const { reversals } = await client().getSessionSummary({ worldSlug: 'w1' })
      expect(reversals.map(({ criterionId }) => criterionId)).toEqual(['AC-1'])
      expect((await client().compareWorlds({ a: 'w1', b: 'w1' })).a.reversals).toBe(1)
    })
  })
}
