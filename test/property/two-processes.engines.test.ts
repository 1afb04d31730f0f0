import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { ObservedGraph } from '../../src/graph/observed.ts'
import type { Graph, GraphSource } from '../../src/graph/port.ts'
import { captureTurnState } from '../../src/memory/capture/capture.ts'
import { useGraph } from '../contract/store.ts'
import { describeOn, enginesHere, neo4jLts, shuffled } from '../support/engines.ts'
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
  /** The index of the process that sends it. */
  sender: fc.nat(1),
  world: fc.constantFrom('morning', 'morning', 'morning', 'evening'),
  /** Mostly the next turn, sometimes a late one or one that supersedes another. */
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

type Judged = Arrival['verifications'][number]
type Promised = Arrival['promises'][number]
const [, WEEKDAYS, GUEST, NO_TEXT] = TEXTS

const promised = (
  criterionId: Promised['criterionId'],
  criterionText: Promised['criterionText'],
): Promised => ({
  criterionId,
  criterionText,
  status: 'complete',
})
const judged = (
  criterionId: Judged['criterionId'],
  criterionText: Judged['criterionText'],
  status: Judged['status'],
  source: Judged['source'] = 'coach',
): Judged => ({ criterionId, criterionText, status, source, evidence: null })
const said = (sender: number, promises: Promised[], verifications: Judged[]): Arrival => {
  return { sender, world: 'morning', turn: 'next', playerSummary: 'a', promises, verifications, issues: [] }
}

/** The third turn merges two criteria, and is resolved by labels that the second, of another process, changes. */
const MERGE_AFTER_LABELS: readonly Arrival[] = [
  said(1, [], [judged('AC-1', NO_TEXT, 'rejected'), judged('open', GUEST, 'rejected')]),
  said(0, [], [judged('AC-2', WEEKDAYS, 'verified')]),
  said(
    1,
    [promised('AC-1', GUEST)],
    [judged('AC-1', NO_TEXT, 'rejected'), judged('AC-2', NO_TEXT, 'rejected')],
  ),
]

/** A graph with its own source, like in another process: captures of one task are serialized per source. */
class OtherProcess extends ObservedGraph {
  readonly #source: GraphSource

  constructor(graph: Graph) {
    super(graph, () => {})
    this.#source = { ...graph.source }
  }

  override get source(): GraphSource {
    return this.#source
  }
}

const another = (graph: Graph): Graph => new OtherProcess(graph)

/** Converts arrivals to captures, in their order. */
function capturesOf(arrivals: readonly Arrival[]) {
  const newest = new Map<string, number>()
  return arrivals.map(({ sender, world, turn, ...content }, i) => {
    const turnNumber = turn === 'next' ? (newest.get(world) ?? 0) + 1 : turn
    newest.set(world, Math.max(turnNumber, newest.get(world) ?? 0))
    const scope = {
      project: 'shop',
      featureId: 'FEAT-1',
      taskId: 'TASK-1',
      worldSlug: world,
      createWorld: true,
    }
    const request = { ...scope, turnNumber, onConflict: 'supersede' as const, ...content }
    const now = () => new Date(Date.UTC(2026, 0, 1, 0, i))
    return { sender, captureIn: (graph: Graph) => captureTurnState(graph, request, { now }) }
  })
}

/** Stores the arrivals in an empty graph, and returns its content. */
async function stored(
  graph: Graph,
  arrivals: readonly Arrival[],
  senderOf: (sender: number) => Graph,
): Promise<string[]> {
  for (const { sender, captureIn } of capturesOf(arrivals)) await captureIn(senderOf(sender))
  const dump = await dumpOf(graph)
  await graph.close()
  return dump
}

/** Another process that is interrupted right before it reads the ledger of a world. */
class InterruptedGraph extends OtherProcess {
  readonly #interrupt: () => Promise<unknown>

  constructor(graph: Graph, interrupt: () => Promise<unknown>) {
    super(graph)
    this.#interrupt = interrupt
  }

  override async read(...[statement, ...rest]: Parameters<Graph['read']>) {
    if (statement.name === 'criteria/ledger') await this.#interrupt()
    return super.read(statement, ...rest)
  }
}

for (const engine of enginesHere([shuffled, neo4jLts])) {
  const numRuns = engine === shuffled ? cases(8) : cases(2)
  describeOn(engine, (store) => {
    const handles = useGraph(store)

    test('a turn that is stored right before another one reads the ledger counts for it', async () => {
      const first = await handles.open(store.open)
      const inOrder = await stored(first, MERGE_AFTER_LABELS, () => another(first))
      const second = await handles.open(store.open)
      const captures = capturesOf(MERGE_AFTER_LABELS)
      const [late, merging] = captures.splice(-2)
      for (const { captureIn } of captures) await captureIn(another(second))
      let reads = 0
      await merging?.captureIn(
        new InterruptedGraph(second, async () => reads++ === 0 && late?.captureIn(another(second))),
      )
      expect(reads).toBeGreaterThan(1)
      expect(await dumpOf(second)).toEqual(inOrder)
      await second.close()
    })

    test('one process and two processes store the same graph', async () => {
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
      await fc.assert(property, { numRuns, examples: [[[...MERGE_AFTER_LABELS]]] })
    })
  })
}
