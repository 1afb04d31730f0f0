import { type Graph, graphWith, type Row, type Run } from '../../src/graph/port.ts'

/**
 * Shuffles collected lists, because their order depends on the engine, like the order of rows: Neo4j returns
 * the nodes of an owner in a different order than they were written. Every list of lists or maps is shuffled.
 * A list of plain values is a property and keeps its order.
 */
export function withShuffledLists(graph: Graph): Graph {
  const shuffledRows = (rows: Row[]): Row[] => rows.map((row) => shuffled(row) as Row)
  const run =
    (work: Run): Run =>
    async (step) =>
      shuffledRows(await work(step))
  return graphWith(graph, {
    read: async (...args) => shuffledRows(await graph.read(...args)),
    readLong: async (...args) => shuffledRows(await graph.readLong(...args)),
    write: async (...args) => (await graph.write(...args))?.map(shuffledRows) ?? null,
    transact: (work, deadline) => graph.transact((held) => work(run(held)), deadline),
  })
}

function shuffled(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, shuffled(held)]))
  const items = value.map(shuffled)
  const isCollected = items.every((item) => item !== null && typeof item === 'object')
  return isCollected ? inAnyOrder(items) : items
}

function inAnyOrder<T>(items: readonly T[]): T[] {
  const left = [...items]
  const taken: T[] = []
  while (left.length > 0) taken.push(...left.splice(Math.floor(Math.random() * left.length), 1))
  return taken
}
