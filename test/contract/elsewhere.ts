import { describe, expect, test } from 'vitest'
import {
  aContext,
  aTurn,
  type ContextToLoad,
  clientOf,
  FEATURE,
  TASK,
  type TurnToSend,
} from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const EARLIER = 'earlier'
const NEW = 'new'
const at = (hour: number, minute = 0) => new Date(Date.UTC(2026, 0, 2, hour, minute)).toISOString()

/** Text in every field that a Player must not see. */
const CANARY = 'canary-of-the-judge'
const secretsOfTheJudge: Partial<TurnToSend> = {
  coachFeedback: CANARY,
  whatToTryNext: CANARY,
  gates: { [CANARY]: 'failed' },
  extra: { [CANARY]: CANARY },
}

const verified = (criterionId: string, criterionText: string) => ({
  criterionId,
  criterionText,
  status: 'verified' as const,
  evidence: CANARY,
})

/** A session that proved one of two criteria, and ended in an error with an open blocking issue. */
const earlierTurns: TurnToSend[] = [
  aTurn(1, {
    worldSlug: EARLIER,
    completedAt: at(1),
    verifications: [
      verified('AC-001', 'It answers with 404'),
      {
        criterionId: 'AC-002',
        criterionText: 'Every request is logged',
        status: 'rejected',
        evidence: CANARY,
      },
    ],
    promises: [{ criterionId: 'AC-002', status: 'complete', evidence: CANARY }],
    issues: [
      {
        severity: 'blocking',
        category: 'tests',
        description: 'No test of the log',
        suggestion: CANARY,
        details: { log: CANARY },
      },
      { severity: 'advisory', description: 'A blank line' },
    ],
    ...secretsOfTheJudge,
  }),
  aTurn(2, { worldSlug: EARLIER, completedAt: at(2), coachDecision: 'error', ...secretsOfTheJudge }),
]

/** Knowledge that a session gets from others (contract: specification.md, "Other sessions know something"). */
export function elsewhereContract(store: StoreUnderTest): void {
  describe('knowledge of other sessions', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const capture = async (turns: readonly TurnToSend[]) => {
      for (const turn of turns) await client().captureTurnState(turn)
    }
    const contextOf = (turn: number, more: Partial<ContextToLoad> = {}) =>
      client().loadTurnContinuationContext(aContext(turn, { worldSlug: NEW, ...more }))
    const beginNew = (worldSlug = NEW) =>
      client().createWorld({ featureId: FEATURE, taskId: TASK, worldSlug })

    const earlierText = `**Earlier session of this task** (earlier):
  2 turns, last decision: error
  1 of 2 criteria verified there
  ○ AC-002 — Every request is logged
  - [blocking] No test of the log (turn 1)`

    test.each(['player', 'coach'] as const)(
      'the first turn of a new session tells the %s how the session before it ended',
      async (role) => {
        await capture(earlierTurns)
        await beginNew()
        const { status, context, elsewhere, criteria, prior } = await contextOf(1, { role })
        expect(context).toBe(earlierText)
        expect({ status, criteria, prior }).toEqual({ status: 'first_turn', criteria: [], prior: null })
        expect(elsewhere?.earlierSession).toEqual({
          worldSlug: EARLIER,
          turns: 2,
          lastTurn: 2,
          lastDecision: 'error',
          verified: 1,
          ...{ observed: 0, judged: 0, repeated: 0, misplaced: 1, bare: 0 },
          contested: 0,
          refuted: 0,
          total: 2,
          criteriaLeft: [{ criterionId: 'AC-002', text: 'Every request is logged' }],
          openIssues: [{ turn: 1, category: 'tests', description: 'No test of the log' }],
          verdict: 'insufficient_data',
        })
      },
    )

    test('all declared criteria that the earlier session did not prove are left', async () => {
      const text = 'A restart loses nothing'
      await client().declareCriteria({
        featureId: FEATURE,
        taskId: TASK,
        criteria: [{ text: 'It answers with 404' }, { text }],
      })
      await capture(earlierTurns)
      await beginNew()
      const { elsewhere, criteria, context } = await contextOf(1)
      expect(elsewhere?.earlierSession).toMatchObject({
        verified: 1,
        total: 2,
        criteriaLeft: [{ criterionId: 'AC-002', text }],
      })
      expect(criteria.map(({ state }) => state)).toEqual(['pending', 'pending'])
      expect(context).toContain('  1 of 2 criteria verified there\n  ○ AC-002 — A restart loses nothing')
    })

    test('verifications of an earlier session do not count in the new one', async () => {
      await capture(earlierTurns)
      await capture([aTurn(1, { worldSlug: NEW, completedAt: at(5) })])
      const { elsewhere, criteria, context } = await contextOf(2, { role: 'coach' })
      expect(elsewhere).toBeUndefined()
      expect(criteria).toEqual([])
      expect(context).not.toContain('verified')
    })

    test('a Player sees no evidence of the verdicts of other sessions', async () => {
      await capture(earlierTurns)
      await beginNew()
      expect(JSON.stringify(await contextOf(1, { role: 'player' }))).not.toContain(CANARY)
    })

    test('a context contains nothing of another project or of a deleted session', async () => {
      const blind = await contextOf(1, { worldSlug: null })
      await capture(earlierTurns.map((turn) => ({ ...turn, project: 'another' })))
      await beginNew()
      expect(await contextOf(1)).toEqual({
        ...blind,
        worldSlug: NEW,
        taskKnown: true,
        near: undefined,
        taskMessage: undefined,
      })
      await capture(earlierTurns)
      await client().deleteWorld({ worldSlug: EARLIER })
      expect((await contextOf(1)).context).toBeNull()
    })

    test('`elsewhere` off leaves it out', async () => {
      await capture(earlierTurns)
      await beginNew()
      const off = await contextOf(1, { elsewhere: 'off' })
      expect(off).toMatchObject({ status: 'first_turn', context: null })
      expect(off).not.toHaveProperty('elsewhere')
    })

    test('a perspective reset leaves the issues of the earlier session out', async () => {
      await capture(earlierTurns)
      await beginNew()
      const { elsewhere, context } = await contextOf(1, { perspectiveReset: true })
      expect(elsewhere?.earlierSession?.openIssues).toEqual([])
      expect(context).not.toContain('No test of the log')
    })

    test('the session before is the one that completed last, in whatever order sessions were stored', async () => {
      const sessions = [3, 1, 2].map((hour) =>
        aTurn(1, { worldSlug: `at-${hour}`, completedAt: at(hour), playerSummary: `at ${hour}` }),
      )
      await capture(sessions)
      await beginNew()
      const sessionBefore = async (worldSlug: string) =>
        (await contextOf(1, { worldSlug })).elsewhere?.earlierSession?.worldSlug
      expect(await sessionBefore(NEW)).toBe('at-3')
      expect(await sessionBefore('at-3')).toBe('at-2')
      expect(await sessionBefore('at-2')).toBe('at-1')
      expect(await sessionBefore('at-1')).toBeUndefined()
    })
  })
}
