// Opens embedded graphs for tests: every machine has this engine.
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import type { StoreUnderTest } from '../contract/store.ts'
import { withShuffledLists } from './shuffled-lists.ts'

/** A store under test that may be missing on this machine; `reason` explains why it is missing. */
export type Engine = StoreUnderTest & { reason: string | null }

const embedded = (name: string, shuffleUnordered: boolean): Engine => {
  const openUnmigrated = async () => {
    const graph = EmbeddedGraph.open({ folder: null, shuffleUnordered })
    return shuffleUnordered ? withShuffledLists(graph) : graph
  }
  return {
    name,
    reason: null,
    openUnmigrated,
    async open() {
      const graph = await openUnmigrated()
      await migrate(graph)
      return graph
    },
    beside: async (graph) => graph,
  }
}

export const memory = embedded('embedded', false)
export const shuffled = embedded('embedded, rows shuffled', true)
