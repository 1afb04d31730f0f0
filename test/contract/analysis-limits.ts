// Tests that long analyses let other work run, end when nobody waits, and report which sessions they left out.
import { describe, expect, test } from 'vitest'
import { COMPUTED_ANALYSES } from '../../src/analysis/named-analyses.ts'
import { MAX_CANDIDATES } from '../../src/analysis/stall-analyses.ts'
import { type Graph, graphWith } from '../../src/graph/port.ts'
import { aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const ENDED = 'nobody waits'
/** Number of turns of a long session. The analysis pauses after every ten. */
const LONG = 12

const copied: Partial<TurnToSend> = {
  promises: [{ criterionId: 'AC-1', status: 'complete', evidence: 'All tests of the lid pass' }],
  verifications: [{ criterionId: 'AC-1', status: 'verified', evidence: 'All tests of the lid pass' }],
}

export function analysisLimitsContract(store: StoreUnderTest): void {
  describe('limits of computed analyses', () => {
    const handles = useGraph(store)
    const capture = (worldSlug: string, turnNumber: number, more: Partial<TurnToSend> = copied) =>
      clientOf(handles.graph).captureTurnState(aTurn(turnNumber, { worldSlug, createWorld: true, ...more }))
    const compute = (name: string) => {
      const found = COMPUTED_ANALYSES.get(name)
      if (found === undefined) throw new Error(`${name} is not computed`)
      return found
    }
    const candidate = (world: string, turns: number) => ({
      feature: FEATURE,
      task: TASK,
      world,
      key: `${PROJECT}/${world}`,
      turns,
      verified_in: [],
      criteria: 1,
      proven_in: 1,
    })
    /** Returns a graph that calls `then` after each read of a statement. */
    const watch = (name: string, then: (params: unknown) => void): Graph =>
      graphWith(handles.graph, {
        read: async (statement, params, deadline) => {
          const rows = await handles.graph.read(statement, params, deadline)
          if (statement.name === name) then(params)
          return rows
        },
      })
    /** Computes an analysis of one session. Its caller gives up when other work has run `pauses` times. */
    const computeUntil = (name: string, statement: string, pauses: number) => {
      const caller = new AbortController()
      const runOther = (left: number) =>
        setImmediate(() => (left > 1 ? runOther(left - 1) : caller.abort(new Error(ENDED))))
      const graph = watch(statement, () => runOther(pauses))
      return compute(name)(graph, [candidate('long', LONG)], 10, caller.signal)
    }

    test('evidence-copied ends between two sessions and between the turns of one, and otherwise returns its rows', async () => {
      for (let turn = 1; turn <= LONG; turn++) await capture('long', turn)
      const ended = (pauses: number) => computeUntil('evidence-copied', 'criteria/ledger', pauses)
      await expect(ended(1)).rejects.toThrow(ENDED)
      await expect(ended(2)).rejects.toThrow(ENDED)
      expect(await ended(1_000)).toHaveLength(10)
    })

    test('evidence-copied reads few long sessions, or many short ones, with a statement', async () => {
      for (const world of ['a', 'b', 'c', 'd']) await capture(world, 1)
      const read: unknown[] = []
      const graph = watch('criteria/ledger', (params) => read.push(params))
      const turns = { a: 1, b: 490, c: 600, d: 1 } // a counts as 10
      const candidates = Object.entries(turns).map(([world, count]) => candidate(world, count))
      const rows = await compute('evidence-copied')(graph, candidates, 10, new AbortController().signal)
      expect(rows.map(({ world }) => world)).toEqual(['a', 'b', 'c', 'd'])
      expect(read).toMatchObject(
        [['a', 'b'], ['c'], ['d']].map((worlds) => ({
          worldKeys: worlds.map((world) => `${PROJECT}/${world}`),
        })),
      )
    })

    test.each(['cost-per-proof', 'cost-after-all-was-proven'])(
      '%s ends between two sessions',
      async (name) => {
        await capture('long', 1)
        await expect(computeUntil(name, 'turns/sessions-of-worlds', 1)).rejects.toThrow(ENDED)
        expect(await computeUntil(name, 'turns/sessions-of-worlds', 1_000)).toHaveLength(1)
      },
    )

    test.each(['evidence-copied', 'cost-per-proof'])(
      '%s is truncated exactly if it leaves out sessions',
      async (name) => {
        await capture('w', 1)
        await capture('w', 2)
        const isTruncated = async (found: number) => {
          // Adds candidates that were deleted after the statement found them.
          const graph = graphWith(handles.graph, {
            readLong: async (statement, params, limits) => {
              const rows = await handles.graph.readLong(statement, params, limits)
              expect(rows).toHaveLength(1)
              const gone = Array.from({ length: found - rows.length }, (_, i) => ({
                ...rows[0],
                key: `${PROJECT}/gone-${i}`,
              }))
              return [...rows, ...gone].slice(0, Number(params.limit))
            },
          })
          return (await clientOf(graph).runAnalysis({ name, limit: 10 })).truncated
        }
        expect([name, await isTruncated(MAX_CANDIDATES)]).toEqual([name, false])
        expect([name, await isTruncated(MAX_CANDIDATES + 1)]).toEqual([name, true])
      },
    )
  })
}
