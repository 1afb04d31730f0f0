import type { Graph } from '../../../src/graph/port.ts'
import { parseStatement } from '../../../src/graph/statements.ts'
import { decodeState } from '../../../src/rules/world-state.ts'
import { holds } from './scenario.ts'

/**
 * Checks a whole graph below the interfaces: chains, counters, and that each part belongs to a turn.
 * Uses simple statements and joins them here: the checks must not depend on how an engine runs a complex one.
 */
export async function checkGraphShape(
  graph: Graph,
): Promise<{ turns: number; superseded: number; parts: number }> {
  const rows = async (name: string, cypher: string) => graph.read(parseStatement(`chaos/${name}`, cypher), {})
  const worlds = await rows(
    'worlds',
    'MATCH (w:World) RETURN w.key AS key, w.currentTurn AS currentTurn, w.turnCount AS turnCount, w.taskKey AS taskKey, w.state AS state',
  )
  const turns = await rows(
    'turns',
    'MATCH (w:World)-[:HAS_TURN]->(t) RETURN w.key AS world, t.key AS key, t.number AS number, labels(t) AS labels',
  )
  const next = await rows('next', 'MATCH (a)-[:NEXT]->(b) RETURN a.key AS below, b.key AS above')
  const nodes = await rows('turn-nodes', 'MATCH (t:Turn) RETURN t.key AS key')
  const old = await rows(
    'superseded',
    'MATCH (n)-[:SUPERSEDES]->(t:SupersededTurn) RETURN n.key AS by, t.key AS key',
  )
  const oldNodes = await rows('superseded-nodes', 'MATCH (t:SupersededTurn) RETURN t.key AS key')

  const turnsOf = groupBy(turns, 'world')
  const above = new Map(next.map((row) => [row.below, row.above]))
  holds(above.size === next.length, 'no turn has two successors')
  let edges = 0
  for (const world of worlds) {
    const chain = (turnsOf.get(world.key) ?? []).sort((a, b) => Number(a.number) - Number(b.number))
    const numbers = chain.map(({ number }) => Number(number))
    holds(new Set(numbers).size === numbers.length, 'each turn number exists once', { world, numbers })
    holds(world.turnCount === chain.length, 'the world counts its turns', { world, numbers })
    holds(world.currentTurn === (numbers.at(-1) ?? 0), 'the world stores its newest turn', { world, numbers })
    for (const [i, turn] of chain.entries()) {
      const successor = chain[i + 1]?.key
      holds(above.get(turn.key) === successor, 'NEXT is the chain of the turn numbers present', {
        turn,
        successor,
      })
    }
    edges += Math.max(0, chain.length - 1)
  }
  holds(edges === next.length, 'NEXT joins turns of one world only', { edges, next: next.length })
  holds(nodes.length === turns.length, 'every turn belongs to one world', [nodes.length, turns.length])
  holds(
    turns.every(({ labels }) => String(labels) === 'Turn'),
    'a superseded turn has left its world',
  )
  holds(distinct(nodes, 'key') === nodes.length, 'every key exists once')
  holds(old.length === oldNodes.length, 'every superseded turn has one replacement', [old, oldNodes])
  holds(distinct(oldNodes, 'key') === oldNodes.length, 'every superseded key exists once')

  await checkProgress(graph, worlds)
  const parts = await checkParts(graph)
  return { turns: turns.length, superseded: old.length, parts }
}

type Found = Record<string, unknown>

async function checkProgress(graph: Graph, worlds: readonly Found[]): Promise<void> {
  const progress = parseStatement(
    'chaos/progress',
    'MATCH (w:World)-[r:PROGRESS]->(c:Criterion) RETURN w.key AS world, c.key AS criterion, r.state AS state',
  )
  const edges = await graph.read(progress, {})
  const pairs = new Set(edges.map(({ world, criterion }) => `${world} ${criterion}`))
  holds(pairs.size === edges.length, 'a criterion has one state in a world')
  const edgesOf = groupBy(edges, 'world')
  for (const world of worlds) {
    const { turn, turnCount, progress } = decodeState(String(world.taskKey), world.state as string | null)
    const linked = (edgesOf.get(world.key) ?? []).map(({ criterion, state }) => `${criterion} ${state}`)
    const expected = [...progress].map(([criterion, { state }]) => `${criterion} ${state}`)
    holds(linked.sort().join() === expected.sort().join(), 'the state of the criteria is complete', world)
    holds(turn === world.currentTurn && turnCount === world.turnCount, 'the state is the newest', world)
  }
}

const PARTS = [
  { label: 'Verification', by: 'RECORDED', count: 'verificationCount', to: 'OF' },
  { label: 'Promise', by: 'PROMISED', count: 'promiseCount', to: 'TO_MEET' },
  { label: 'Issue', by: 'RAISED', count: 'issueCount', to: null },
  { label: 'Gate', by: 'PASSED_THROUGH', count: 'gateCount', to: null },
] as const

async function checkParts(graph: Graph): Promise<number> {
  let sum = 0
  for (const { label, by, count, to } of PARTS) {
    const read = (name: string, cypher: string) => graph.read(parseStatement(`chaos/${name}`, cypher), {})
    const [all] = await read('all', `MATCH (x:${label}) RETURN count(x) AS found`)
    const held = groupBy(await read('held', `MATCH (t)-[:${by}]->(x:${label}) RETURN t.key AS key`), 'key')
    const turns = [
      ...(await read('counts', `MATCH (t:Turn) RETURN t.key AS key, t.${count} AS parts`)),
      ...(await read('counts', `MATCH (t:SupersededTurn) RETURN t.key AS key, t.${count} AS parts`)),
    ]
    let total = 0
    for (const turn of turns) {
      const parts = held.get(turn.key)?.length ?? 0
      holds(parts === turn.parts, `a turn has every ${label} that it counts`, { turn, parts })
      total += parts
    }
    holds(total === all?.found, `no ${label} stands alone`, { total, all })
    if (to !== null) {
      const [joined] = await read(
        'joined',
        `MATCH (x:${label})-[:${to}]->(c:Criterion) RETURN count(*) AS found`,
      )
      holds(total === joined?.found, `every ${label} is of one criterion`, { total, joined })
    }
    sum += total
  }
  const loose = parseStatement(
    'chaos/loose',
    'MATCH (c:Criterion) WHERE NOT EXISTS { MATCH (:Task)-[:HAS_CRITERION]->(c) } RETURN c.key AS key',
  )
  const alone = await graph.read(loose, {})
  holds(alone.length === 0, 'every criterion belongs to a task', alone)
  return sum
}

function groupBy(rows: readonly Found[], column: string): Map<unknown, Found[]> {
  const groups = new Map<unknown, Found[]>()
  for (const row of rows) {
    const group = groups.get(row[column])
    if (group === undefined) groups.set(row[column], [row])
    else group.push(row)
  }
  return groups
}

const distinct = (rows: readonly Found[], column: string): number =>
  new Set(rows.map((row) => row[column])).size
