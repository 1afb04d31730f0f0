import { describe, expect, test } from 'vitest'
import { LABELS } from '../../src/graph/model/nodes.ts'
import { relationships } from '../../src/graph/model/relationships.ts'
import { findNodeProblems } from '../../src/graph/model/validate.ts'
import type { Graph } from '../../src/graph/port.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { fillWithEverything } from '../support/whole-graph.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const nodes = parseStatement(
  'test/nodes',
  'MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties',
)
const edges = parseStatement(
  'test/relationships',
  `MATCH (a)-[r]->(b)
   RETURN labels(a) AS from, type(r) AS type, labels(b) AS to, properties(r) AS properties`,
)

const nodesIn = async (graph: Graph) =>
  (await graph.read(nodes, {})) as { labels: string[]; properties: object }[]
const edgesIn = async (graph: Graph) =>
  (await graph.read(edges, {})) as { from: string[]; type: string; to: string[]; properties: object }[]

/** The graph has exactly the shape of the table in `src/stored`: the documents and the doctor rely on it. */
export function storedContract(store: StoreUnderTest): void {
  describe('the stored shape', () => {
    const handles = useGraph(store)

    test('every node and relationship matches the table, and every entry of the table exists', async () => {
      const { graph } = handles
      await fillWithEverything(graph)
      const [all, between] = [await nodesIn(graph), await edgesIn(graph)]
      const record = (given: object) => given as Record<string, unknown>
      expect([
        ...all.flatMap((node) => findNodeProblems({ ...node, properties: record(node.properties) })),
        ...between.flatMap((edge) =>
          findRelationshipProblems({ ...edge, properties: record(edge.properties) }),
        ),
      ]).toEqual([])
      const labels = new Set(all.flatMap((node) => node.labels))
      // A migration of an embedded graph needs no lock, because only one process can open it.
      const unused = graph.engine === 'embedded' ? ['SchemaMigrationLock'] : []
      expect(LABELS.filter((label) => !labels.has(label))).toEqual(unused)
      const drawn = new Set(between.map(({ from, type, to }) => `${from.join(':')} ${type} ${to.join(':')}`))
      const known = relationships.flatMap(({ from, type, to }) =>
        from.flatMap((start) => to.map((end) => `${start} ${type} ${end}`)),
      )
      expect(known.filter((edge) => !drawn.has(edge) && edge !== MIGRATIONS)).toEqual([])
    })

    test('nodes and relationships that do not fit the table are reported', () => {
      expect(
        findNodeProblems({
          labels: ['Gate'],
          properties: { position: 0, project: 'p', name: 'x', status: 'green' },
        }),
      ).toEqual(['(:Gate) status: Invalid option: expected one of "passed"|"failed"|"unknown"'])
      expect(findNodeProblems({ labels: ['Gate', 'Tool'], properties: {} })).toEqual([
        '(:Gate:Tool) is no node of the table',
      ])
      expect(
        findNodeProblems({ labels: ['Tool'], properties: { key: 'p/x', name: 'x', project: 'p', more: 1 } }),
      ).toEqual(['(:Tool) more: Unrecognized key: "more"'])
      const wrongWay = { from: ['Criterion'], type: 'OF', to: ['Verification'], properties: {} }
      expect(findRelationshipProblems(wrongWay)).toEqual([
        '(:Criterion)-[:OF]->(:Verification) is no relationship of the table',
      ])
    })
  })
}

type Edge = { from: readonly string[]; type: string; to: readonly string[]; properties: object }

function findRelationshipProblems({ from, type, to, properties }: Edge): string[] {
  const shown = `(:${from.join(':')})-[:${type}]->(:${to.join(':')})`
  const known = relationships.find(
    (each) =>
      each.type === type &&
      each.from.some((label) => from.includes(label)) &&
      each.to.some((label) => to.includes(label)),
  )
  if (known === undefined) return [`${shown} is no relationship of the table`]
  const present = Object.entries(properties).filter(([, value]) => value != null)
  const { error } = known.properties.safeParse(Object.fromEntries(present))
  return error === undefined ? [] : [`${shown}: ${error.message}`]
}

/** The clean-up of a database between tests can delete these relationships. */
const MIGRATIONS = 'SchemaMigration MIGRATED_TO SchemaMigration'
