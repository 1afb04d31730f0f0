import { afterEach, beforeEach, expect } from 'vitest'
import type { Graph } from '../../src/graph/port.ts'

/**
 * The functions that a store provides to its tests: third-party adapters pass their own to the suites
 * of this folder (`test/contract/all.ts`).
 */
export type StoreUnderTest = {
  name: string
  /** Opens a graph that has only its schema. */
  open(): Promise<Graph>
  /** Opens an empty graph without a schema. */
  openUnmigrated(): Promise<Graph>
  /** Opens another handle on the same data, like a second process. A store of one process returns `graph`. */
  beside(graph: Graph): Promise<Graph>
}

/** Opens handles for the tests of a suite. A test that leaves one open fails. */
export type Handles = {
  /** The graph of this test, opened before it and closed after it. */
  readonly graph: Graph
  /** Opens further handles, which the test must close. */
  open(how: () => Promise<Graph>): Promise<Graph>
}

/** Gives each test of the surrounding suite its own graph. */
export function useGraph(store: StoreUnderTest, kind: 'open' | 'openUnmigrated' = 'open'): Handles {
  const closers = new Map<Graph, () => Promise<void>>()
  const tracked = async (how: () => Promise<Graph>): Promise<Graph> => {
    const graph = await how()
    if (!closers.has(graph)) {
      const close = graph.close.bind(graph)
      closers.set(graph, close)
      graph.close = async () => {
        await close()
        closers.delete(graph)
      }
    }
    return graph
  }
  let current: Graph | null = null
  beforeEach(async () => {
    current = await tracked(() => store[kind]())
  })
  afterEach(async ({ task }) => {
    await current?.close()
    current = null
    const leaked = closers.size
    for (const close of closers.values()) await close()
    closers.clear()
    // A failed test may not have closed its handles.
    if (task.result?.state !== 'fail') expect(leaked, 'graphs that the test left open').toBe(0)
  })
  return {
    get graph() {
      if (current === null) throw new Error('only a test has a graph')
      return current
    },
    open: tracked,
  }
}
