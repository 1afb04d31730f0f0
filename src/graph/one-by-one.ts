import type { Graph } from './port.ts'

const lastOf = new WeakMap<Graph, Map<string, Promise<unknown>>>()

/**
 * Runs work on one part of a graph after all that this process began there before. What would only refuse each other, when
 * it is written at once, goes in order; other processes are met by the checks of the statements.
 *
 * @example
 * await oneByOne(graph, 'shop/FEAT-1/TASK-1', () => store(turn))
 */
export async function oneByOne<T>(graph: Graph, part: string, work: () => Promise<T>): Promise<T> {
  const last = lastOf.get(graph) ?? new Map<string, Promise<unknown>>()
  lastOf.set(graph, last)
  const mine = Promise.resolve(last.get(part)).then(work, work)
  last.set(part, mine)
  try {
    return await mine
  } finally {
    if (last.get(part) === mine) last.delete(part)
  }
}
