import { expect, test } from 'vitest'
import type { Graph } from '../../src/graph/port.ts'
import { findingsOf } from '../contract/doctor.ts'
import { describeOn, memory, neo4jLts } from '../support/engines.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { brokenCounts, countsOf, dumpOf } from '../support/graph-dump.ts'
import { brokenTurns } from '../support/transcript-import.ts'
import { fillWithEverything } from '../support/whole-graph.ts'

/** Exports to Neo4j and back, and checks that the bytes are equal. */
async function exportThereAndBack(source: Graph): Promise<void> {
  const [lines, dump, counts] = [await exportOf(source), await dumpOf(source), await countsOf(source)]
  const there = await neo4jLts.open()
  try {
    await restoreLines(there, lines)
    expect(await countsOf(there)).toEqual(counts)
    const back = await memory.open()
    try {
      const leaving = await exportOf(there)
      expect(leaving.join('\n') === lines.join('\n')).toBe(true)
      await restoreLines(back, leaving)
      expect((await exportOf(back)).join('\n') === lines.join('\n')).toBe(true)
      // In one request: a server would exceed its deadline.
      expect(await dumpOf(back)).toEqual(dump)
      expect([...(await brokenCounts(back)), ...(await brokenTurns(back))]).toEqual([])
      expect(await findingsOf(back)).toEqual([])
    } finally {
      await back.close()
    }
  } finally {
    await there.close()
  }
}

describeOn(neo4jLts, () => {
  test('a graph with all kinds of data is unchanged after an export to Neo4j and back', {
    timeout: 300_000,
  }, async () => {
    const source = await memory.open()
    await fillWithEverything(source)
    await exportThereAndBack(source).finally(() => source.close())
  })
})
