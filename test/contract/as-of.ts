import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../property/cases.ts'
import { anyRecord, anyStep, CRITERIA } from '../support/random-sessions.ts'
import { aContext, aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Sent = Partial<TurnToSend>
type Step = { record: Sent; amended: { back: number; record: Sent } | null; isSpecified: boolean }

/** `as_of=turn` returns the context at the start of a turn (contract: truth.md, section 5). */
export function asOfContract(store: StoreUnderTest): void {
  describe('a context as of its turn', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    /** Runs a session, and reads the context of each turn before its capture and again after the last capture. */
    const runSession = async (
      project: string,
      { before, own, others }: { before: Sent[]; own: Step[]; others: Sent[] },
      order: readonly number[],
    ) => {
      const capture = (turn: Partial<TurnToSend>, number: number) =>
        client().captureTurnState({ ...aTurn(number, { project, worldSlug: 'own' }), ...turn })
      const declare = (criteria: readonly string[]) =>
        client().declareCriteria({
          ...{ project, featureId: FEATURE, taskId: TASK },
          criteria: criteria.map((text) => ({ text })),
        })
      const ask = async (turn: number, asOf: 'turn' | 'now') =>
        Promise.all(
          (['player', 'coach'] as const).flatMap((role) =>
            (['sticky', 'latest', 'fresh'] as const).map(async (policy) =>
              JSON.stringify(
                await client().loadTurnContinuationContext({
                  ...aContext(turn, {
                    project,
                    worldSlug: 'own',
                    elsewhere: asOf === 'now' ? 'off' : 'known',
                  }),
                  ...{ role, policy, asOf },
                }),
              ),
            ),
          ),
        )
      for (const [i, record] of before.entries())
        await capture({ ...record, worldSlug: 'before', completedAt: '2020-01-01T00:00:00Z' }, i + 1)
      await client().createWorld({ project, featureId: FEATURE, taskId: TASK, worldSlug: 'own' })
      const told = new Map<number, string[]>()
      for (const [i, turn] of order.entries()) {
        const step = own[turn - 1]
        const isNewest = order.slice(0, i).every((captured) => captured < turn)
        if (isNewest) told.set(turn, await ask(turn, 'now'))
        if (isNewest) expect(await ask(turn, 'turn')).toEqual(told.get(turn))
        await capture(step?.record ?? {}, turn)
        const amended = Math.max(1, turn - (step?.amended?.back ?? 0))
        if (step?.amended != null && order.slice(0, i + 1).includes(amended))
          await capture({ ...step.amended.record, onConflict: 'supersede' }, amended)
        if (step?.isSpecified === true) await declare(CRITERIA.slice(turn % 2, 3))
      }
      for (const [i, record] of others.entries()) {
        const other = { taskId: `TASK-OTHER-${i}`, worldSlug: `other-${i}`, completedAt: null }
        await capture({ ...record, ...other }, 1)
        await capture({ playerSummary: 'It went', coachDecision: 'approved', ...other }, 2)
        await capture({ ...record, worldSlug: 'own-again', completedAt: '2020-01-01T00:00:00Z' }, i + 1)
      }
      await declare(CRITERIA.slice(2).toReversed())
      for (const [turn, answers] of told) expect(await ask(turn, 'turn'), `turn ${turn}`).toEqual(answers)
    }

    test('it equals the context from before the turn byte for byte, after any later captures', {
      timeout: 900_000,
    }, async () => {
      let runs = 0
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            before: fc.array(anyRecord, { maxLength: 1 }),
            own: fc.array(anyStep, { minLength: 2, maxLength: 5 }),
            others: fc.array(anyRecord, { minLength: 1, maxLength: 2 }),
          }),
          fc.boolean(),
          async (records, isLate) => {
            const turns = records.own.map((_, i) => i + 1)
            const order = isLate ? [...turns.slice(0, -2), ...turns.slice(-2).reverse()] : turns
            await runSession(`${PROJECT} ${++runs}`, records, order)
          },
        ),
        { numRuns: cases(handles.graph.engine === 'embedded' ? 4 : 1) },
      )
    })

    test('it holds neither the promises of the turn itself nor another session', async () => {
      const promises = [{ criterionId: 'AC-1', criterionText: 'It answers', status: 'complete' }]
      await client().captureTurnState(aTurn(1))
      await client().captureTurnState(aTurn(2, { promises }))
      const asked = aContext(2, { role: 'coach' })
      expect((await client().loadTurnContinuationContext(asked)).promises?.items).toHaveLength(1)
      const then = await client().loadTurnContinuationContext({ ...asked, asOf: 'turn' })
      expect(then).toMatchObject({ status: 'ok', previousTurn: 1, promises: { items: [] } })
    })

    test('it keeps the names of criteria from a session that was deleted later', async () => {
      const verifications = (criterionText: string) => [
        { criterionId: 'AC-1', criterionText, status: 'rejected' },
      ]
      const other = { worldSlug: 'other', verifications: verifications('It answers with 404') }
      await client().captureTurnState(aTurn(1, other))
      await client().createWorld({ featureId: FEATURE, taskId: TASK, worldSlug: 'own' })
      const own = { worldSlug: 'own', verifications: verifications('It answers with 404 if nobody is there') }
      await client().captureTurnState(aTurn(1, own))
      const asked = aContext(2, { worldSlug: 'own', role: 'coach' })
      const before = await client().loadTurnContinuationContext(asked)
      await client().deleteWorld({ worldSlug: 'other' })
      await client().captureTurnState(aTurn(2, { worldSlug: 'own' }))
      expect(await client().loadTurnContinuationContext({ ...asked, asOf: 'turn' })).toEqual(before)
    })

    test('it keeps a verification that was added before the turn, also if its turn is replaced later', async () => {
      const verifications = [
        { criterionId: 'AC-1', criterionText: 'It answers', status: 'verified' },
      ] as const
      await client().captureTurnState(aTurn(1, { verifications: [...verifications] }))
      await client().addVerifications({
        featureId: FEATURE,
        taskId: TASK,
        verifications: Array.from({ length: 60 }, (_, i) => ({
          ...{ criterionId: 'AC-1', status: 'rejected', source: 'gate' },
          evidence: `CI ${i}: 2 tests fail`,
        })),
      })
      const asked = aContext(2, { role: 'coach' })
      const before = await client().loadTurnContinuationContext(asked)
      const [shown = ''] = /CI \d+: 2 tests fail/.exec(before.context ?? '') ?? []
      expect(before.context).toContain(
        `AC-1: verified (turn 1, without evidence, contested in turn 1: ${shown})`,
      )
      await client().captureTurnState(aTurn(2))
      const replaced = { playerSummary: 'Amended', verifications: [...verifications] }
      await client().captureTurnState({ ...aTurn(1, replaced), onConflict: 'supersede' })
      const then = await client().loadTurnContinuationContext({ ...asked, asOf: 'turn' })
      expect(then.context).toContain(
        `AC-1: verified (turn 1, without evidence, contested in turn 1: ${shown})`,
      )
    })

    test('before the first turn it has no facts of an earlier session', async () => {
      await client().captureTurnState(aTurn(1, { worldSlug: 'before' }))
      await client().createWorld({ featureId: FEATURE, taskId: TASK, worldSlug: 'own' })
      const asked = aContext(1, { worldSlug: 'own' })
      expect((await client().loadTurnContinuationContext(asked)).elsewhere?.earlierSession).toBeTruthy()
      expect(await client().loadTurnContinuationContext({ ...asked, asOf: 'turn' })).toMatchObject({
        status: 'first_turn',
        context: null,
      })
    })
  })
}
