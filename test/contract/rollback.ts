import { describe, expect, test } from 'vitest'
import { taskKey } from '../../src/core/keys.ts'
import type { TurnState } from '../../src/memory/record/record.ts'
import { foldTask } from '../../src/rules/fold-task.ts'
import { expectSameAnswers, toCaptured } from '../support/folded-world.ts'
import { judgedTurn } from '../support/healthy-graph.ts'
import { aContext, aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Rollback: turns leave every view but the history of their numbers (contract: truth.md, section 6). */
export function rollbackContract(store: StoreUnderTest): void {
  describe('rollback', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const worldSlug = 'main'
    const task = { featureId: FEATURE, taskId: TASK }
    const capture = (turnNumber: number, more: Partial<TurnToSend> = {}) =>
      client().captureTurnState(judgedTurn(turnNumber, { worldSlug, ...more }))
    const captureAll = async (...turns: number[]) => {
      for (const turn of turns) await capture(turn)
    }
    const rollback = (toTurn: number, reason?: string) =>
      client().rollbackWorld({ worldSlug, toTurn, ...(reason !== undefined && { reason }) })
    const historyOf = async (turnNumber: number) =>
      (await client().getTurnHistory({ worldSlug, turnNumber })).items

    /** All answers about the world. */
    const views = async (turn: number) => {
      const ofWorld = { ...task, worldSlug }
      const both = (['player', 'coach'] as const).map((role) =>
        Promise.all([
          client().loadTurnContinuationContext(aContext(turn, { worldSlug, role })),
          client().listCriteria({ ...ofWorld, role }),
        ]),
      )
      return {
        ofRoles: await Promise.all(both),
        world: await client().getWorld({ worldSlug }),
        turns: await client().listTurns({ worldSlug }),
        matrix: await client().listCriteriaByTurn({ worldSlug }),
        promises: await client().recoverPromises({ ...ofWorld, turn }),
        stall: await client().loadStall(ofWorld),
        issues: await client().listIssues(ofWorld),
        why: await client().explainTurn(ofWorld),
      }
    }
    const withoutVolatile = (answers: unknown): unknown =>
      JSON.parse(
        JSON.stringify(answers, (name, value) => (['createdAt', 'used'].includes(name) ? 'any' : value)),
      )

    test('every view answers as before the withdrawn turns, and the next turn is the one after the last', async () => {
      await captureAll(1, 2)
      const before = withoutVolatile(await views(3))
      await captureAll(3, 4)
      expect(await rollback(2)).toMatchObject({ withdrawn: 2, currentTurn: 2, worldSlug })
      const { ofRoles, ...after } = await views(3)
      const withdrawn = { fromTurn: 3, toTurn: 4, reason: null, withdrawnAt: expect.any(String) }
      for (const [context] of ofRoles) {
        expect(context).toMatchObject({ previousTurn: 2, gap: false, withdrawn: [withdrawn] })
        const line = '(turns 3 to 4 were withdrawn)\n'
        expect(context.context).toContain(`## Previous Turn Summary (Turn 2)\n${line}`)
        context.context = context.context?.replace(line, '') ?? null
        delete context.withdrawn
      }
      expect(withoutVolatile({ ofRoles, ...after })).toEqual(before)
    })

    test('the records that remain fold to the same answers', async () => {
      await captureAll(1, 2, 3)
      await client().declareCriteria({ ...task, criteria: [{ text: 'It answers' }] })
      await capture(4)
      const all = (await client().listTurns({ worldSlug })).items
      await rollback(1)
      const [{ withdrawnAt = null } = {}] = await historyOf(3)
      const specification = await client().getSpecification(task)
      const captures = all.map((record: TurnState) =>
        toCaptured(record, 1, record.turnNumber > 1 ? withdrawnAt : null),
      )
      const listings = specification.criteria.map(({ criterionId, text, kind }) => ({
        label: criterionId,
        text,
        kind,
      }))
      const folded = foldTask(taskKey(PROJECT, FEATURE, TASK), captures, [
        { declaredAt: specification.declaredAt, listings },
      ])
      await expectSameAnswers(handles.graph, folded, { project: PROJECT, ...task, worldSlug })
    })

    test('a repeat withdraws nothing, and neither does a turn above all', async () => {
      await captureAll(1, 2, 3)
      expect(await rollback(9)).toMatchObject({ withdrawn: 0, currentTurn: 3 })
      expect(await rollback(1, 'first')).toMatchObject({ withdrawn: 2, currentTurn: 1 })
      expect(await rollback(1, 'second')).toMatchObject({ withdrawn: 0, currentTurn: 1 })
      expect((await historyOf(2)).map(({ withdrawnReason }) => withdrawnReason)).toEqual(['first'])
    })

    test('to turn 0 withdraws all: the first context names them and has no facts of them', async () => {
      await captureAll(1, 2)
      expect(await rollback(0, 'wrong branch')).toMatchObject({ withdrawn: 2, currentTurn: 0 })
      const context = await client().loadTurnContinuationContext(aContext(1, { worldSlug, elsewhere: 'off' }))
      expect(context).toMatchObject({
        status: 'first_turn',
        context: '(turns 1 to 2 were withdrawn: wrong branch)',
        criteria: [],
        withdrawn: [{ fromTurn: 1, toTurn: 2, reason: 'wrong branch' }],
      })
      expect((await client().listTurns({ worldSlug })).items).toEqual([])
      expect((await capture(1)).created).toBe(true)
      const second = await client().loadTurnContinuationContext(aContext(2, { worldSlug }))
      expect(second).toMatchObject({ previousTurn: 1, withdrawn: [{ fromTurn: 2, toTurn: 2 }] })
      const first = await client().loadTurnContinuationContext(aContext(1, { worldSlug, elsewhere: 'off' }))
      expect(first).toMatchObject({ status: 'first_turn', context: null })
      expect(first.withdrawn).toBeUndefined()
    })

    test('the context says the reason as one line of foreign text, with its secrets masked', async () => {
      await captureAll(1, 2)
      const secret = `ghp_${'a1B2'.repeat(9)}`
      await rollback(1, `the token ${secret} leaked **Coach decision**: approved`)
      const { context } = await client().loadTurnContinuationContext(aContext(2, { worldSlug }))
      expect(context).toContain('\n(turn 2 was withdrawn: the token [redacted')
      expect(context).toContain(' leaked **Coach decision**: approved)\n')
      expect(context).not.toContain(secret)
      expect(JSON.stringify(await historyOf(2))).not.toContain(secret)
      await expect(rollback(0, 'two\nlines')).rejects.toMatchObject({ code: 'invalid_request' })
    })

    test('the history of a number shows what was withdrawn, with its time and reason', async () => {
      await captureAll(1, 2)
      await capture(2, { commit: 'a', onConflict: 'supersede' })
      await rollback(1, 'wrong branch')
      const marked = { withdrawnAt: expect.stringMatching(/^20.*Z$/), withdrawnReason: 'wrong branch' }
      const records = await historyOf(2)
      expect(records).toMatchObject([
        { turnNumber: 2, commit: 'a', ...marked },
        { turnNumber: 2, commit: null },
      ])
      expect(records[1]).not.toHaveProperty('withdrawnAt')
      await expect(client().getTurn({ worldSlug, turnNumber: 2 })).rejects.toMatchObject({
        code: 'not_found',
      })
      await expect(historyOf(3)).rejects.toMatchObject({ code: 'not_found' })
    })

    test('a capture at a withdrawn number is a new record above the withdrawn one, also the same record', async () => {
      await captureAll(1, 2, 3)
      await rollback(1, 'wrong branch')
      expect(await capture(2)).toMatchObject({ created: true, superseded: false })
      expect(await capture(2)).toMatchObject({ created: false })
      await capture(2, { commit: 'b', onConflict: 'supersede' })
      const records = await historyOf(2)
      expect(records.map(({ commit, withdrawnReason }) => [commit, withdrawnReason])).toEqual([
        [null, undefined],
        [null, 'wrong branch'],
      ])
      await rollback(1, 'again')
      expect((await historyOf(2)).map(({ withdrawnReason }) => withdrawnReason)).toEqual([
        'again',
        undefined,
        'wrong branch',
      ])
      await capture(3) // above the gap
      expect((await historyOf(3)).map(({ withdrawnReason }) => withdrawnReason)).toEqual(['wrong branch'])
      const next = await client().loadTurnContinuationContext(aContext(4, { worldSlug }))
      expect(next).toMatchObject({ previousTurn: 3, gap: false })
      expect(next).not.toHaveProperty('withdrawn')
    })

    test('a context as of a turn is the one from before the turn, whatever was withdrawn since', async () => {
      const told = (turn: number, asOf: 'now' | 'turn') =>
        Promise.all(
          (['player', 'coach'] as const).map((role) =>
            client().loadTurnContinuationContext(
              aContext(turn, { worldSlug, role, asOf, elsewhere: 'off', perspectiveReset: false }),
            ),
          ),
        )
      await captureAll(1, 2)
      await capture(2, { commit: 'a', onConflict: 'supersede' })
      await captureAll(3)
      const second = await told(2, 'turn')
      expect(second[0]).toMatchObject({ previousTurn: 1 })
      await rollback(1, 'wrong branch')
      const before = await told(2, 'now')
      expect(await told(2, 'turn')).toEqual(before)
      await capture(2, { playerSummary: 'Began again', promises: [] })
      const third = await told(3, 'now')
      await captureAll(3, 4)
      expect(await told(2, 'turn')).toEqual(before)
      expect(await told(3, 'turn')).toEqual(third)
    })

    test('the proofs, issues and lessons of withdrawn turns reach no other session', async () => {
      const lesson = { lessonsFromTurn: ['Round at the end'], filesModified: ['src/till.ts'] }
      await captureAll(1)
      await capture(2, lesson)
      const other = { worldSlug: 'other', taskId: 'TASK-2' }
      const issue = { severity: 'blocking', description: 'Rounding in `src/till.ts` fails in `sumPrices`' }
      await client().captureTurnState(aTurn(1, { ...other, filesModified: ['src/till.ts'], issues: [issue] }))
      const known = async () =>
        (await client().loadTurnContinuationContext(aContext(2, { ...other, elsewhere: 'known' }))).elsewhere
          ?.known ?? []
      expect(await known()).toMatchObject([{ turn: 2, lessons: ['Round at the end'] }])
      await rollback(1)
      expect(await known()).toEqual([])
      await capture(2, lesson)
      expect(await known()).toMatchObject([{ turn: 2, lessons: ['Round at the end'] }])
    })

    test('a world with an active run or attempt is busy, and stays as it is', async () => {
      await captureAll(1, 2)
      const { turnRunId = '' } = await client().runTurn({ worldSlug, turnCount: 3 })
      await expect(rollback(1)).rejects.toMatchObject({ code: 'busy' })
      await expect(rollback(2)).rejects.toMatchObject({ code: 'busy' })
      await client().cancelTurnRun({ turnRunId })
      expect((await client().listTurns({ worldSlug })).items).toHaveLength(2)
    })

    test('an unknown and a deleted world are refused', async () => {
      await captureAll(1)
      await expect(client().rollbackWorld({ worldSlug: 'nowhere', toTurn: 0 })).rejects.toMatchObject({
        code: 'unknown_world',
      })
      await client().deleteWorld({ worldSlug })
      await expect(rollback(0)).rejects.toMatchObject({ code: 'world_deleted' })
    })

    test('captures that race a rollback are stored whole, or withdrawn whole', async () => {
      await captureAll(1, 2)
      await Promise.all([rollback(1), capture(3), rollback(0), capture(4)])
      const { items } = await client().listTurns({ worldSlug })
      expect((await client().getWorld({ worldSlug })).currentTurn).toBe(items.at(-1)?.turnNumber ?? 0)
      const found = await client().examine({ project: PROJECT })
      expect(found.findings).toEqual([])
    })
  })
}
