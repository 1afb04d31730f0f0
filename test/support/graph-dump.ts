import { canonicalInstant } from '../../src/core/instants.ts'
import type { Graph } from '../../src/graph/port.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { decodeState } from '../../src/rules/world-state.ts'

const labelCounts = parseStatement(
  'test/label-counts',
  'MATCH (n) UNWIND labels(n) AS name RETURN name, count(*) AS count',
)
const typeCounts = parseStatement(
  'test/type-counts',
  'MATCH ()-[r]->() RETURN type(r) AS name, count(*) AS count',
)
const allNodes = parseStatement('test/nodes', 'MATCH (n) RETURN labels(n) AS labels, properties(n) AS held')
const allRelationships = parseStatement(
  'test/relationships',
  `MATCH (a)-[r]->(b)
   RETURN labels(a) AS fromLabels, properties(a) AS fromHeld, type(r) AS type, properties(r) AS held,
          labels(b) AS toLabels, properties(b) AS toHeld`,
)

export type Counts = Record<string, number>

/** Counts the nodes of each label and the relationships of each type, without the migrations. */
export async function countsOf(graph: Graph): Promise<Counts> {
  const rows = [...(await graph.read(labelCounts, {})), ...(await graph.read(typeCounts, {}))]
  return Object.fromEntries(
    rows
      .map(({ name, count }): [string, number] => [String(name), Number(count)])
      .filter(([name]) => !name.startsWith('SchemaMigration') && name !== 'MIGRATED_TO')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Properties that are new at each write and do not depend on the stored records. */
const RANDOM = new Set(['rev', 'ledgerRev', 'creation', 'writeId', 'requestId', 'changedAt', 'changedIn'])

/** Dumps the whole content of the graph, in the same order on every engine: equal dumps are equal graphs. */
export async function dumpOf(graph: Graph): Promise<string[]> {
  const nodes = await graph.read(allNodes, {})
  const relationships = await graph.read(allRelationships, {})
  return [
    ...nodes
      .filter(({ labels }) => !String((labels as string[])[0]).startsWith('SchemaMigration'))
      .map(({ labels, held }) => `(${nameOf(labels)} ${shown(held)})`),
    ...relationships
      .filter(({ type }) => type !== 'MIGRATED_TO')
      .map(
        (r) =>
          `${nameOf(r.fromLabels)} ${idOf(r.fromHeld)} -${String(r.type)} ${shown(r.held)}-> ${nameOf(r.toLabels)} ${idOf(r.toHeld)}`,
      ),
  ].sort()
}

const nameOf = (labels: unknown): string => (labels as string[]).toSorted().join(':')

/** Returns a node's key. A part of a turn has none and is identified by its content. */
function idOf(held: unknown): string {
  const { key } = held as { key?: string }
  return key ?? shown(held)
}

/** Prints properties in one order. The engines print an instant with different numbers of zeros. */
function shown(held: unknown): string {
  const entries = Object.entries(held as Record<string, unknown>)
    .filter(([name, value]) => !RANDOM.has(name) && value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, typeof value === 'string' ? (canonicalInstant(value) ?? value) : value])
  return JSON.stringify(Object.fromEntries(entries))
}

const chain = parseStatement(
  'test/chain',
  `// params: $worldKey
   MATCH (w:World {key: $worldKey})-[:HAS_TURN]->(a:Turn)-[:NEXT]->(b:Turn)
   RETURN a.number AS below, b.number AS above`,
)

/** Returns the world's NEXT edges, in the form `1→2 2→5`. */
export async function chainOf(graph: Graph, worldKey: string): Promise<string> {
  const rows = await graph.read(chain, { worldKey })
  return rows
    .map(({ below, above }) => [Number(below), Number(above)] as const)
    .sort(([a, b], [c, d]) => a - c || b - d)
    .map(([below, above]) => `${below}→${above}`)
    .join(' ')
}

const countedWorlds = parseStatement(
  'test/counted-worlds',
  `MATCH (w:World)
   RETURN w.key AS key, w.currentTurn AS currentTurn, w.turnCount AS turnCount, w.taskKey AS taskKey,
          w.state AS state, [(w)-[:HAS_TURN]->(t:Turn) | t.number] AS turns, [(w)-[:PROGRESS]->(c) | c.key] AS progress`,
)
const countedTurns = parseStatement(
  'test/counted-turns',
  `MATCH (t) WHERE t:Turn OR t:SupersededTurn
   RETURN t.key AS key,
          [t.verificationCount, t.promiseCount, t.issueCount, t.gateCount] AS said,
          [size([(t)-[:RECORDED]->(x:Verification)-[:OF]->(:Criterion) | 1]),
           size([(t)-[:PROMISED]->(x:Promise)-[:TO_MEET]->(:Criterion) | 1]),
           size([(t)-[:RAISED]->(x:Issue) | 1]),
           size([(t)-[:PASSED_THROUGH]->(x:Gate) | 1])] AS there`,
)

/**
 * Lists nodes whose stored counts differ from their parts: a reader detects half of a commit by these counts.
 */
export async function brokenCounts(graph: Graph): Promise<string[]> {
  const worlds = (await graph.read(countedWorlds, {})).flatMap((row) => {
    const turns = row.turns as number[]
    const state = decodeState(String(row.taskKey), row.state as string | null)
    const said = [
      row.currentTurn,
      row.turnCount,
      state.turn,
      state.turnCount,
      ...[...state.progress.keys()].sort(),
    ]
    const newest = [Math.max(0, ...turns), turns.length]
    const there = [...newest, ...newest, ...(row.progress as string[]).toSorted()]
    return said.join() === there.join() ? [] : [`world ${row.key} says ${said}, has ${there}`]
  })
  const turns = (await graph.read(countedTurns, {})).flatMap(({ key, said, there }) =>
    String(said) === String(there) ? [] : [`turn ${key} says ${said}, has ${there}`],
  )
  return [...worlds, ...turns]
}
