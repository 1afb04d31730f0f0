import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { withoutDerived } from '../../src/maintenance/restore/restore.ts'
import { exportOf, recordsOf, restoreLines } from '../support/exported.ts'
import { findingsOf } from './doctor.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Made-up sessions, a turn run and a transcript, as the last version with the 17 earlier migrations exported them. */
const lines = readFileSync(new URL('../support/earlier-export.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')

export function earlierExportContract(store: StoreUnderTest): void {
  describe('an export of the last version with 17 migrations', () => {
    const handles = useGraph(store)

    test('is restored into a healthy graph with the same records', async () => {
      const { graph } = handles
      await restoreLines(graph, lines)
      expect(await findingsOf(graph)).toEqual([])
      expect(recordsOf(await exportOf(graph))).toEqual(
        (recordsOf(lines) as { kind: string }[]).map((record) => withoutDerived(record.kind, record)),
      )
    })
  })
}
