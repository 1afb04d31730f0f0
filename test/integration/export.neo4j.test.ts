import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { importAutobuild } from '../../src/artifacts/import.ts'
import type { Graph } from '../../src/graph/port.ts'
import { graphStore } from '../../src/transcripts/graph-store.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import { findingsOf } from '../contract/doctor.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { describeOn, memory, neo4jLts } from '../support/engines.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { brokenCounts, countsOf, dumpOf } from '../support/graph-dump.ts'
import { clientOf } from '../support/records.ts'
import { brokenTurns } from '../support/transcript-import.ts'
import { fillWithEverything } from '../support/whole-graph.ts'

const transcripts = fileURLToPath(new URL('../../../shared/corpus/transcripts/', import.meta.url))

/** Exports to Neo4j and back, and checks that the bytes are equal. */
async function exportThereAndBack(source: Graph): Promise<string[]> {
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
  return lines
}

describeOn(neo4jLts, () => {
  test('a graph with all kinds of data is unchanged after an export to Neo4j and back', {
    timeout: 300_000,
  }, async () => {
    const source = await memory.open()
    await fillWithEverything(source)
    await exportThereAndBack(source).finally(() => source.close())
  })

  describeCorpus('real data', () => {
    describe.runIf(existsSync(transcripts))('with transcripts', () => {
      test('all autobuild artifacts and transcripts of the corpus', { timeout: 600_000 }, async () => {
        const source = await memory.open()
        try {
          for (const { name, root } of corpusRepositories())
            await importAutobuild(clientOf(source, name), [root])
          await importFiles(graphStore(source, 5), [transcripts], { project: 'transcripts' })
          const lines = await exportThereAndBack(source)
          expect(lines.length).toBeGreaterThan(1_000)
        } finally {
          await source.close()
        }
      })
    })
  })
})
