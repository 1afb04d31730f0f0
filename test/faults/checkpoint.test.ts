import { statSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished, test } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { newFolder } from './harness/in-test.ts'
import { until } from './harness/scenario.ts'

test('writes move from the log into the graph’s own file while it is open', async () => {
  const folder = newFolder()
  const graph = EmbeddedGraph.open({ folder })
  onTestFinished(() => graph.close())
  const size = () => statSync(path.join(folder, 'graph.db')).size
  const before = size()
  await migrate(graph)
  await until('the file has grown', 30_000, async () => size() > before)
})
