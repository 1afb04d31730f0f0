import { describe, expect, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { worldKey } from '../../src/core/keys.ts'
import type { TurnRun } from '../../src/runs/record.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { brokenCounts, chainOf, countsOf } from '../support/graph-dump.ts'
import { aContext, aTurn, clientOf, everyField, FEATURE, PROJECT, TASK } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Parts = {
  verifications?: unknown[] | undefined
  promises: unknown[]
  issues: unknown[]
  gates?: object | undefined
}

const ONE_TURN = {
  workerId: 'instance-1',
  requestedTurnCount: 1,
  maxAttempts: 1,
  turnCountSource: 'explicit',
  maxAttemptsSource: 'default',
} as const

/** Parallel writes, and reads during a write. These depend on the version of the server, too. */
export function racesContract(store: StoreUnderTest): void {
  describe('races', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    describe('parallel captures', () => {
      const sent = (turnNumber: number) =>
        aTurn(turnNumber, {
          verifications: [`AC-${turnNumber}`, 'AC-9'].map((criterionId) => ({
            criterionId,
            status: turnNumber === 2 ? ('verified' as const) : ('rejected' as const),
          })),
        })

      test('parallel captures of the same record store it once', async () => {
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => client().captureTurnState({ ...everyField, turnNumber: 1 })),
        )
        expect(answers.filter(({ created }) => created)).toHaveLength(1)
        expect(await countsOf(handles.graph)).toMatchObject({
          Turn: 1,
          Verification: 6,
          Promise: 2,
          Issue: 2,
          Gate: 3,
        })
      })

      test('if two different records of one turn are captured in parallel, one is stored and the other is rejected as a conflict', async () => {
        const other = await handles.open(() => store.beside(handles.graph))
        for (let round = 1; round <= 4; round++) {
          const capture = (client: TurngraphClient, playerSummary: string) =>
            client.captureTurnState(aTurn(1, { playerSummary, taskId: `TASK-${round}` }))
          const answers = await Promise.allSettled([
            capture(client(), 'one'),
            capture(clientOf(other), 'other'),
          ])
          const [refused, ...others] = answers.flatMap((each) =>
            each.status === 'rejected' ? [each.reason] : [],
          )
          expect([refused, others]).toMatchObject([
            { code: 'turn_conflict', details: { fields: ['player_summary'] } },
            [],
          ])
        }
        expect(await countsOf(handles.graph)).toMatchObject({ World: 4, Turn: 4 })
        if (other !== handles.graph) await other.close()
      })

      test('parallel captures of the same superseding record supersede once', async () => {
        await client().captureTurnState(aTurn(1))
        const other = aTurn(1, { playerSummary: 'other', onConflict: 'supersede' })
        const answers = await Promise.all(Array.from({ length: 8 }, () => client().captureTurnState(other)))
        expect(answers.filter(({ created }) => created)).toHaveLength(1)
        expect(await countsOf(handles.graph)).toMatchObject({ Turn: 1, SupersededTurn: 1, SUPERSEDES: 1 })
      })

      test('if parallel captures supersede a turn, one becomes the turn and the others become its history', async () => {
        await client().captureTurnState(aTurn(1))
        const others = ['a', 'b', 'c', 'd'].map((playerSummary) =>
          client().captureTurnState(aTurn(1, { playerSummary, onConflict: 'supersede' })),
        )
        await Promise.all(others)
        const { items } = await client().getTurnHistory({ worldSlug: TASK, turnNumber: 1 })
        const now = await client().getTurn({ worldSlug: TASK, turnNumber: 1 })
        expect([...items, now].map(({ playerSummary }) => playerSummary).sort()).toEqual([
          'Attempt 1',
          'a',
          'b',
          'c',
          'd',
        ])
      })

      test('turns that are captured in parallel form one chain, and give the same context as turns in order', async () => {
        const numbers = [3, 1, 5, 2, 4] // a capture waits for those before it, within its deadline
        await Promise.all(numbers.map((turnNumber) => client().captureTurnState(sent(turnNumber))))
        expect(await chainOf(handles.graph, worldKey(PROJECT, TASK))).toBe('1→2 2→3 3→4 4→5')
        expect(await countsOf(handles.graph)).toMatchObject({ World: 1, Turn: 5, HAS_TURN: 5, NEXT: 4 })
        const { items } = await client().listTurns({ worldSlug: TASK })
        expect(items.map(({ turnNumber }) => turnNumber)).toEqual([1, 2, 3, 4, 5])
        expect(await brokenCounts(handles.graph)).toEqual([])
        for (const turnNumber of numbers.toSorted())
          await client().captureTurnState({ ...sent(turnNumber), taskId: 'IN-ORDER' })
        const views = [TASK, 'IN-ORDER'].map((taskId) =>
          client().loadTurnContinuationContext(aContext(6, { taskId, role: 'coach' })),
        )
        const [together, inOrder] = await Promise.all(views)
        expect(together?.context).toBe(inOrder?.context)
      })
    })

    test('if many runs start in one world in parallel, one wins and the others get the run that holds the world', async () => {
      const runs = new TurnRunStore(handles.graph)
      const world = { project: PROJECT, worldSlug: 'w' }
      await client().createWorld({ featureId: FEATURE, taskId: TASK, worldSlug: 'w', executor: 'simulated' })
      for (let round = 0; round < 3; round++) {
        const tries = await Promise.allSettled(
          Array.from({ length: 30 }, () => runs.startTurnRun({ ...world, ...ONE_TURN })),
        )
        const won = tries.flatMap((tried) => (tried.status === 'fulfilled' ? [tried.value] : []))
        expect(won).toHaveLength(1)
        const [winner] = won as [TurnRun]
        for (const tried of tries) {
          if (tried.status === 'fulfilled') continue
          expect(tried.reason).toMatchObject({ code: 'busy', details: { turn_run_id: winner.turnRunId } })
        }
        await runs.requestTurnRunCancel(winner, 'next round')
      }
    })

    describe('readers never see a partial write', () => {
      const whole = (n: number, more: object = {}) =>
        aTurn(n, {
          verifications: Array.from({ length: 5 }, (_, i) => ({
            criterionId: `T${n}-${i}`,
            status: 'verified' as const,
            evidence: `of ${n}`,
          })),
          promises: Array.from({ length: 4 }, (_, i) => ({
            criterionId: `T${n}-${i}`,
            status: 'complete' as const,
          })),
          issues: Array.from({ length: 3 }, (_, i) => ({ severity: 'minor', description: `${i}` })),
          gates: { a: 'passed' as const, b: 'passed' as const },
          ...more,
        })
      const partsOf = (turn: Parts | null) => [
        turn?.verifications?.length,
        turn?.promises.length,
        turn?.issues.length,
        Object.keys(turn?.gates ?? {}).length,
      ]
      const WHOLE = [5, 4, 3, 2]

      /** Reads until the writer is done, with three readers at a time. */
      async function race(write: () => Promise<unknown>, read: () => Promise<void>): Promise<number> {
        let writing = true
        let reads = 0
        const reader = async () => {
          while (writing) {
            await read()
            reads++
          }
        }
        const writer = write().finally(() => {
          writing = false
        })
        await Promise.all([writer, reader(), reader(), reader()])
        return reads
      }

      test('a reader never sees a part of a parallel capture', async () => {
        await client().captureTurnState(whole(1))
        const write = async () => {
          for (let n = 2; n <= 12; n++) await client().captureTurnState(whole(n))
        }
        const reads = await race(write, async () => {
          const { prior, previousTurn, criteria } = await client().loadTurnContinuationContext(
            aContext(1000, { role: 'coach' }),
          )
          expect(partsOf(prior)).toEqual(WHOLE)
          expect(criteria).toHaveLength(5 * (previousTurn ?? 0))
          const { items } = await client().listTurns({ worldSlug: TASK, limit: 500 })
          expect(items.map(({ turnNumber }) => turnNumber)).toEqual(items.map((_, i) => i + 1))
          for (const item of items) expect(partsOf(item)).toEqual(WHOLE)
        })
        expect(reads).toBeGreaterThan(0)
      })

      test('a reader never sees a part of a parallel supersede', async () => {
        for (const n of [1, 2, 3]) await client().captureTurnState(whole(n))
        const write = async () => {
          for (let i = 0; i < 10; i++) {
            await client().captureTurnState(
              whole(2, { playerSummary: `revision ${i}`, onConflict: 'supersede' }),
            )
          }
        }
        const reads = await race(write, async () => {
          const view = await client().loadTurnContinuationContext(aContext(3, { role: 'coach' }))
          expect(view.previousTurn).toBe(2)
          expect(partsOf(view.prior)).toEqual(WHOLE)
          expect(view.criteria).toHaveLength(10)
          expect(partsOf(await client().getTurn({ worldSlug: TASK, turnNumber: 2 }))).toEqual(WHOLE)
        })
        expect(reads).toBeGreaterThan(0)
      })

      test('an acknowledged write is visible immediately, also through another handle', async () => {
        const other = await handles.open(() => store.beside(handles.graph))
        for (let n = 1; n <= 20; n++) {
          await client().captureTurnState(whole(n))
          const { previousTurn } = await clientOf(other).loadTurnContinuationContext(aContext(n + 1))
          expect(previousTurn).toBe(n)
        }
        if (other !== handles.graph) await other.close()
      })
    })
  })
}
