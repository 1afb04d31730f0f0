import { vi } from 'vitest'
import { useGraph } from '../contract/store.ts'
import { describeOn, neo4jLts } from '../support/engines.ts'
import { cases } from './cases.ts'
import { storedTurnRuns } from './stored-turn-runs.ts'

vi.setConfig({ testTimeout: 600_000 })

describeOn(neo4jLts, (store) => {
  const handles = useGraph(store)
  storedTurnRuns({
    // All sequences share one graph, each with its own project.
    open: async () => ({ graph: handles.graph, close: async () => {} }),
    sequences: cases(2),
    atOnceSequences: 0,
  })
})
