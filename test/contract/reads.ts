import { beforeEach, describe, expect, test } from 'vitest'
import { ObservedGraph } from '../../src/graph/observed.ts'
import { listWorlds } from '../../src/memory/worlds/list-worlds.ts'
import { aContext, aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** A graph that rejects writes. Locks and transactions are writes, too. */
class ReadOnlyGraph extends ObservedGraph {
  override async write(): Promise<never> {
    throw new Error('a read wrote')
  }

  override async transact(): Promise<never> {
    throw new Error('a read opened a transaction')
  }
}

const criterion = { criterionId: 'AC-001', criterionText: 'The session is closed on logout' }
const judged: Partial<TurnToSend> = {
  verifications: [{ ...criterion, status: 'rejected', evidence: 'The session stays open' }],
}
const promising: Partial<TurnToSend> = { ...judged, promises: [{ ...criterion, status: 'complete' }] }

/** Sessions by the turn whose promises the context shows. */
const SESSIONS: [promises: string, turns: Partial<TurnToSend>[]][] = [
  ['of its prior turn', [judged, judged, promising]],
  ['of the first turn, recovered', [promising, judged, judged]],
  ['of no turn', [judged, judged, judged]],
  ['of no turn, after a turn that ended in an error', [judged, judged, { coachDecision: 'error' }]],
]

/** The reads of every turn take few statements and never block a capture. */
export function readsContract(store: StoreUnderTest): void {
  describe('reads', () => {
    const handles = useGraph(store)
    let statements: string[] = []
    const readOnly = () =>
      clientOf(new ReadOnlyGraph(handles.graph, ({ statement }) => statements.push(statement)))
    beforeEach(() => {
      statements = []
    })

    const captureAll = async (turns: Partial<TurnToSend>[]): Promise<void> => {
      for (const [i, turn] of turns.entries())
        await clientOf(handles.graph).captureTurnState(aTurn(i + 1, turn))
    }

    describe.each(SESSIONS)('with promises %s', (_promises, turns) => {
      test.each(['player', 'coach'] as const)(
        'the context of the next turn is one statement, of an earlier turn two, and known facts one more, for a %s',
        async (role) => {
          await captureAll(turns)
          const client = readOnly()
          for (const elsewhere of ['off', 'earlier', 'known'] as const) {
            const known = elsewhere === 'known' ? 1 : 0 // these turns have no files, issues or failed gates
            statements = []
            await client.loadTurnContinuationContext(aContext(turns.length + 1, { role, elsewhere }))
            expect(statements).toHaveLength(1 + known)
            statements = []
            await client.loadTurnContinuationContext(aContext(turns.length, { role, elsewhere }))
            expect(statements).toHaveLength(2 + known)
          }
        },
      )
    })

    test('a list of worlds reads the specifications of all their tasks in one statement', async () => {
      const client = clientOf(handles.graph)
      for (const taskId of ['TASK-1', 'TASK-2', 'TASK-3']) {
        await client.captureTurnState(aTurn(1, { ...judged, taskId }))
        const criteria = [{ text: criterion.criterionText }, { text: `It holds for ${taskId}` }]
        await client.declareCriteria({ featureId: FEATURE, taskId, criteria })
      }
      const { items } = await readOnly().listWorlds({})
      expect(items.map((world) => [world.worldSlug, world.criteria])).toEqual([
        ['TASK-1', 2],
        ['TASK-2', 2],
        ['TASK-3', 2],
      ])
      expect(statements).toHaveLength(4) // the page, the tokens of its turns, the specifications, and the outcomes of turns
    })

    test('only the operation that lists worlds reads their tokens', async () => {
      await captureAll([judged, judged])
      const graph = new ReadOnlyGraph(handles.graph, ({ statement }) => statements.push(statement))
      const readTokens = () => statements.filter((name) => name === 'turns/sessions-of-worlds').length
      await listWorlds(graph, { project: PROJECT }, { order: 'world_slug', after: null, limit: 10 })
      expect(statements).toHaveLength(2) // the page, and the outcomes of turns
      await clientOf(graph).replaySessions({})
      const missing = clientOf(graph).explainTurn({ featureId: FEATURE, taskId: TASK, turn: 9 })
      await expect(missing).rejects.toMatchObject({ code: 'not_found' })
      expect(readTokens()).toBe(0)
      await clientOf(graph).listWorlds({})
      expect(readTokens()).toBe(1)
    })

    test('no read of a session takes a lock, as of its newest turn or an earlier one', async () => {
      await captureAll([promising, judged, judged, judged])
      const client = readOnly()
      const task = { project: PROJECT, featureId: FEATURE, taskId: TASK }
      const world = { project: PROJECT, worldSlug: TASK }
      for (const role of ['player', 'coach'] as const) {
        for (const turn of [1, 2, 5, 9]) await client.loadTurnContinuationContext(aContext(turn, { role }))
        for (const turn of [1, 3, 4]) await client.listCriteria({ ...task, turn, role })
      }
      for (const turn of [1, 3, 4]) {
        await client.recoverPromises({ ...task, turn })
        await client.loadStall({ ...task, turn })
        await client.explainTurn({ ...task, turn })
      }
      const { criteria } = await client.listCriteria(task)
      await client.getCriterionHistory({ project: PROJECT, key: criteria[0]?.key ?? '' })
      await client.getWorld(world)
      await client.listWorlds(task)
      await client.listTurns(world)
      await client.getTurn({ ...world, turnNumber: 1 })
      await client.getTurnHistory({ ...world, turnNumber: 1 })
      expect(new Set(statements).size).toBeGreaterThan(10)
    })
  })
}
