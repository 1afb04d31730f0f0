import { describe, expect, test } from 'vitest'
import { taskKey, worldKey } from '../../src/core/keys.ts'
import { ObservedGraph } from '../../src/graph/observed.ts'
import { type Graph, type GraphSource, graphWith, type Row } from '../../src/graph/port.ts'
import { parseStatement, statement } from '../../src/graph/statements.ts'
import { captureTurnState } from '../../src/memory/capture/capture.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { dumpOf } from '../support/graph-dump.ts'
import { aContext, aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { findingsOf } from './doctor.ts'
import { forgetAll } from './forget.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const criteriaOfIssues = parseStatement(
  'test/criteria-of-issues',
  'MATCH (:Turn)-[:RAISED]->(:Issue)-[:ABOUT]->(c:Criterion) RETURN c.texts[0] AS text',
)
const labelsOf = parseStatement(
  'test/labels-of',
  '// params: $text\nMATCH (c:Criterion) WHERE c.texts[0] = $text RETURN c.labels AS labels',
)

const worldSlug = TASK
const opens = 'The shop opens at nine sharp'
const verified = (criterionId: string, criterionText?: string): Partial<TurnToSend> => ({
  worldSlug,
  verifications: [{ criterionId, criterionText, status: 'verified' }],
})

/** A graph whose reads answer with other rows. */
const readingAs = (graph: Graph, change: (rows: Row[]) => Row[]): Graph =>
  graphWith(graph, { read: async (...args) => change(await graph.read(...args)) })

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

/** A process keeps no state of a world, so it sees the writes of others between two captures. */
export function twoProcessesContract(store: StoreUnderTest): void {
  describe('guarantee: a process has the data that another one stored', () => {
    const handles = useGraph(store)
    const aProcess = () => {
      const statements: string[] = []
      const graph = new ObservedGraph(handles.graph, ({ statement }) => statements.push(statement))
      return { client: clientOf(graph), graph, told: () => statements.splice(0) }
    }

    test('every capture into a world is one read and one write, whoever stored the turn before it', async () => {
      const [one, other] = [aProcess(), aProcess()]
      await one.client.captureTurnState(aTurn(1, verified('AC-1', opens)))
      // A new world costs one more read, which checks that it may be created.
      const made = ['turns/resolve:named-world', 'worlds/before-new', 'worlds/ensure+turns/capture']
      expect(one.told()).toEqual(made)
      await one.client.captureTurnState(aTurn(2, verified('AC-1', opens)))
      await one.client.captureTurnState({ ...aTurn(3, verified('AC-1', opens)), worldSlug: undefined })
      await other.client.captureTurnState(aTurn(4, verified('AC-2', 'Every guest is greeted warmly')))
      expect([...one.told(), ...other.told()]).toEqual([
        ...['turns/resolve:named-world', 'turns/capture'],
        ...['turns/resolve:newest-world', 'turns/capture'],
        ...['turns/resolve:named-world', 'turns/capture'],
      ])
    })

    test('a turn without a criterion is one read and one write, like any other turn', async () => {
      const { client, told } = aProcess()
      await client.captureTurnState(aTurn(1, verified('AC-1', opens)))
      told()
      await client.captureTurnState(aTurn(2, { worldSlug }))
      expect(told()).toEqual(['turns/resolve:named-world', 'turns/capture'])
    })

    test('a capture that reads the old state with the new revision of the ledger loses no added verification', async () => {
      const { graph } = handles
      const client = clientOf(graph)
      await client.captureTurnState(aTurn(1, verified('AC-1', opens)))
      const resolve = statement('turns/resolve', 'named-world')
      const keys = { taskKey: taskKey(PROJECT, FEATURE, TASK), worldKey: worldKey(PROJECT, worldSlug) }
      const [before] = await graph.read(resolve, keys)
      const rejected = { criterionId: 'AC-1', status: 'rejected' as const, evidence: 'It stayed closed' }
      await client.addVerifications({
        featureId: FEATURE,
        taskId: TASK,
        worldSlug,
        verifications: [rejected],
      })
      let reads = 0
      const torn = (rows: Row[]) =>
        rows.map((row) => ('state' in row && reads++ === 0 ? { ...row, state: before?.state } : row))
      await clientOf(readingAs(graph, torn)).captureTurnState(aTurn(2, { worldSlug }))
      expect(reads).toBe(2)
      const { criteria } = await client.loadTurnContinuationContext(aContext(3))
      expect(criteria.map(({ contested }) => contested?.turn)).toEqual([1])
      expect(await findingsOf(graph)).toEqual([])
    })

    test('a repeated capture reads only the stored record of its turn', async () => {
      const { client, told } = aProcess()
      const record = aTurn(1, verified('AC-1', opens))
      for (const turn of [record, aTurn(2, verified('AC-1', opens))]) await client.captureTurnState(turn)
      told()
      expect(await client.captureTurnState(record)).toMatchObject({ created: false })
      expect(told()).toEqual(['turns/resolve:named-world', 'turns/existing', 'turns/records:one'])
      const other = { ...record, playerSummary: 'Another one' }
      await expect(client.captureTurnState(other)).rejects.toMatchObject({ code: 'turn_conflict' })
      expect(told()).toEqual(['turns/resolve:named-world', 'turns/existing', 'turns/records:one'])
    })

    test('a capture takes account of a turn that another process stores right before its read of the ledger', async () => {
      const entry = (criterionId: string, criterionText: string | null, status: 'verified' | 'rejected') => ({
        criterionId,
        criterionText,
        status,
      })
      const greets = 'Every guest is greeted warmly'
      // The third turn merges two criteria. The second turn, of another process, changes the labels that resolve the third.
      const captures = [
        { verifications: [entry('AC-1', null, 'rejected'), entry('open', greets, 'rejected')] },
        { verifications: [entry('AC-2', opens, 'verified')] },
        {
          promises: [{ criterionId: 'AC-1', criterionText: greets, status: 'complete' as const }],
          verifications: [entry('AC-1', null, 'rejected'), entry('AC-2', null, 'rejected')],
        },
      ].map((content, i) => (graph: Graph) => {
        const request = captureRequest.parse(aTurn(i + 1, { worldSlug, ...content }))
        const now = () => new Date(Date.UTC(2026, 0, 1, 0, i))
        return captureTurnState(new OtherProcess(graph), { ...request, project: PROJECT }, { now })
      })
      for (const capture of captures) await capture(handles.graph)
      const inOrder = await dumpOf(handles.graph)
      const graph = await handles.open(store.open)
      const [first, late, merging] = captures
      await first?.(graph)
      let reads = 0
      const interrupted = graphWith(graph, {
        async read(statement, ...rest) {
          if (statement.name === 'criteria/ledger' && reads++ === 0) await late?.(graph)
          return graph.read(statement, ...rest)
        },
      })
      await merging?.(interrupted)
      expect(reads).toBeGreaterThan(1)
      expect(await dumpOf(graph)).toEqual(inOrder)
      await graph.close()
    })

    test('a label has the meaning that another process gave it', async () => {
      const [one, other] = [aProcess(), aProcess()]
      await one.client.captureTurnState(aTurn(1, verified('AC-1', opens)))
      await other.client.captureTurnState(aTurn(2, verified('AC-2', opens)))
      const { turnNumber, created } = await one.client.captureTurnState(aTurn(3, verified('AC-2')))
      expect([turnNumber, created]).toEqual([3, true])
      const { criteria } = await other.client.loadTurnContinuationContext(aContext(4))
      expect(criteria.map(({ criterionId, text }) => [criterionId, text])).toEqual([['AC-2', opens]])
    })

    test('earlier promises of the Player are loaded if they are not known yet', async () => {
      const [one, other] = [aProcess(), aProcess()]
      const promises = [{ criterionId: 'AC-7', criterionText: opens, status: 'complete' as const }]
      await other.client.captureTurnState(aTurn(1, { worldSlug, promises, ...coachOf('AC-7') }))
      await one.client.captureTurnState(aTurn(2, verified('AC-9', 'Every guest is greeted warmly')))
      await one.client.captureTurnState(
        aTurn(3, {
          worldSlug,
          verifications: [{ criterionId: 'AC-7', source: 'validator', status: 'rejected' }],
        }),
      )
      const { criteria } = await one.client.loadTurnContinuationContext(aContext(4, { role: 'coach' }))
      expect(criteria.map(({ text }) => text)).toEqual([opens, 'Every guest is greeted warmly'])
    })

    test('the labels of an issue have the meaning that another process has given them since', async () => {
      const [one, other] = [aProcess(), aProcess()]
      const greets = 'Every guest is greeted warmly'
      const labelled = (first: string, second: string): Partial<TurnToSend> => ({
        worldSlug,
        verifications: [
          { criterionId: 'AC-1', criterionText: first, status: 'verified' },
          { criterionId: 'AC-2', criterionText: second, status: 'rejected' },
        ],
      })
      const promises = [{ criterionId: 'AC-1', criterionText: greets, status: 'complete' as const }]
      const issues = [{ severity: 'blocking', description: 'it fails', criterionIds: ['AC-1'] }]
      await one.client.captureTurnState(aTurn(1, labelled(opens, greets)))
      await one.client.captureTurnState(aTurn(2, { ...labelled(greets, opens), promises }))
      await other.client.captureTurnState(aTurn(3, labelled(opens, greets)))
      await one.client.captureTurnState(aTurn(4, { worldSlug, issues }))
      expect(await one.graph.read(criteriaOfIssues, {})).toEqual([{ text: opens }])
    })

    test('criteria that another process restored are known, and keep their labels', async () => {
      const [one, other] = [aProcess(), aProcess()]
      await other.client.captureTurnState(aTurn(1, { ...verified('AC-9', opens), worldSlug: 'elsewhere' }))
      const lines = await exportOf(handles.graph)
      await forgetAll(other.graph, { worldSlug: 'elsewhere' })
      await one.client.captureTurnState(aTurn(1, verified('AC-1', 'Users can log in by password')))
      await restoreLines(handles.graph, lines)
      await one.client.captureTurnState(aTurn(2, verified('AC-3', opens)))
      const [criterion] = await one.graph.read(labelsOf, { text: opens })
      expect(criterion?.labels).toEqual(['AC-9', 'AC-3'])
    })

    test('a world that was forgotten and captured again has none of its old criteria', async () => {
      const [one, other] = [aProcess(), aProcess()]
      await one.client.captureTurnState(aTurn(1, verified('AC-1', opens)))
      await forgetAll(other.graph, { worldSlug })
      await other.client.captureTurnState(aTurn(1, verified('AC-1', 'Every guest is greeted warmly')))
      await one.client.captureTurnState(aTurn(2, verified('AC-2', opens)))
      const { criteria } = await one.client.loadTurnContinuationContext(aContext(3))
      expect(criteria.map(({ text }) => text)).toEqual(['Every guest is greeted warmly', opens])
    })
  })
}

const coachOf = (criterionId: string): Partial<TurnToSend> => ({
  verifications: [{ criterionId, criterionText: opens, status: 'verified' }],
})
