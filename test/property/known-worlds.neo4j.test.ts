import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { ObservedGraph } from '../../src/graph/observed.ts'
import type { Graph } from '../../src/graph/port.ts'
import { captureTurnState } from '../../src/turns/capture.ts'
import { useGraph } from '../contract/store.ts'
import { describeOn, neo4jLts, shuffled } from '../support/engines.ts'
import { dumpOf } from '../support/graph-dump.ts'
import { cases } from './cases.ts'

vi.setConfig({ testTimeout: 300_000 })
fc.configureGlobal({ endOnFailure: true })

const TEXTS = [
  'the shop opens at nine sharp',
  'the shop opens at nine sharp on weekdays',
  'every guest is greeted warmly',
  null,
] as const

const name = {
  criterionId: fc.constantFrom('AC-1', 'AC-2', 'AC-001', 'open'),
  criterionText: fc.constantFrom(...TEXTS),
}
const promise = fc.record({ ...name, status: fc.constantFrom('complete' as const, 'incomplete' as const) })
const verification = fc.record({
  ...name,
  status: fc.constantFrom('verified' as const, 'rejected' as const),
  source: fc.constantFrom('coach' as const, 'validator' as const),
  evidence: fc.constantFrom(null, 'test_it fails'),
})
const eachOnce = { selector: ({ criterionId }: { criterionId: string }) => criterionId, maxLength: 3 }

const arrival = fc.record({
  /** Which of two processes sends it. */
  sender: fc.nat(1),
  world: fc.constantFrom('morning', 'morning', 'morning', 'evening'),
  /** Mostly the next turn; now and then one that came late, or that takes the place of another. */
  turn: fc.oneof(
    { weight: 5, arbitrary: fc.constant('next' as const) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) },
  ),
  playerSummary: fc.constantFrom('a', 'b'),
  promises: fc.uniqueArray(promise, eachOnce),
  verifications: fc.uniqueArray(verification, eachOnce),
  issues: fc.array(
    fc.record({
      severity: fc.constant('blocking'),
      description: fc.constant('it fails'),
      criterionIds: fc.uniqueArray(fc.constantFrom('AC-1', 'open')),
    }),
    { maxLength: 1 },
  ),
})
type Arrival = typeof arrival extends fc.Arbitrary<infer T> ? T : never

/** As another process would hold it: it remembers nothing of what others wrote. */
const another = (graph: Graph): Graph => new ObservedGraph(graph, () => {})

/** Stores the arrivals in an empty graph; answers all that it then holds. */
async function stored(
  graph: Graph,
  arrivals: readonly Arrival[],
  senderOf: (sender: number) => Graph,
): Promise<string[]> {
  const newest = new Map<string, number>()
  for (const [i, { sender, world, turn, ...content }] of arrivals.entries()) {
    const turnNumber = turn === 'next' ? (newest.get(world) ?? 0) + 1 : turn
    newest.set(world, Math.max(turnNumber, newest.get(world) ?? 0))
    const now = new Date(Date.UTC(2026, 0, 1, 0, i))
    await captureTurnState(
      senderOf(sender),
      {
        project: 'shop',
        featureId: 'FEAT-1',
        taskId: 'TASK-1',
        worldSlug: world,
        turnNumber,
        onConflict: 'supersede',
        ...content,
      },
      { now: () => now },
    )
  }
  const dump = await dumpOf(graph)
  await graph.close()
  return dump
}

for (const [engine, numRuns] of [
  [shuffled, cases(40)],
  [neo4jLts, cases(25)],
] as const) {
  describeOn(engine, (store) => {
    const handles = useGraph(store)

    test('what a process remembers of a world changes nothing, whoever else writes there', async () => {
      const property = fc.asyncProperty(
        fc.array(arrival, { minLength: 2, maxLength: 10 }),
        async (arrivals) => {
          const empty = () => handles.open(store.open)
          const first = await empty()
          const asked = await stored(first, arrivals, () => another(first))
          expect(asked.length).toBeGreaterThan(0)
          const second = await empty()
          const two = [another(second), another(second)]
          expect(await stored(second, arrivals, (sender) => two[sender] as Graph)).toEqual(asked)
          const third = await empty()
          expect(await stored(third, arrivals, () => third)).toEqual(asked)
        },
      )
      // The ninth turn merges two criteria, and its sender remembers a label as it was before the eighth.
      await fc.assert(property, { numRuns: 1, seed: 1856231171, path: '14' })
      await fc.assert(property, { numRuns })
    })
  })
}
