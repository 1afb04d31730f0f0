import { describe, vi } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { cases } from './cases.ts'
import { storedTurnRuns } from './stored-turn-runs.ts'

vi.setConfig({ testTimeout: 600_000 })

describe('turn runs on the embedded engine', () => {
  storedTurnRuns({
    // A graph for each sequence takes 7 ms.
    open: async () => {
      const graph = EmbeddedGraph.open({ folder: null })
      await migrate(graph)
      return { graph, close: () => graph.close() }
    },
    sequences: cases(60),
    atOnceSequences: cases(5),
  })
})
