import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { restoreRecords, withoutDerived } from '../../src/maintenance/restore/restore.ts'
import { exportOf, recordsOf, restoreLines } from '../support/exported.ts'
import { clientOf } from '../support/records.ts'
import { findingsOf } from './doctor.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Made-up sessions, a turn run and a transcript, as the last version with the 17 earlier migrations exported them. */
const lines = readFileSync(new URL('../support/earlier-export.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')

/**
 * A transcript turn in the forms of still earlier versions: parallel calls without a group, a call that ended before its start,
 * and a failed call without its text.
 */
const earlierTurn = {
  length: 3,
  pattern: 'Read → Bash{2+}',
  errors: 1,
  parallelSteps: 2,
}
const earlierSteps = [
  { tool: 'Read', id: 't.0', status: 'ok', isParallel: true, durationMs: -5, response: 'm1' },
  { tool: 'Bash', id: 't.1', status: 'ok', isParallel: true, response: 'm1' },
  { tool: 'Bash', id: 't.2', status: 'error', isParallel: false, response: 'm2' },
]

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

    test('calls in still earlier forms are restored as whole calls, and a second restore changes nothing', async () => {
      const { graph } = handles
      const records = (recordsOf(lines) as { kind: string; turn: object }[]).map((record) =>
        record.kind === 'transcript_turn'
          ? { ...record, turn: { ...record.turn, ...earlierTurn }, steps: earlierSteps }
          : record,
      )
      await restoreRecords(graph, records)
      expect(await findingsOf(graph)).toEqual([])
      const exported = await exportOf(graph)
      const again = await restoreRecords(graph, records)
      expect(again.records.transcript_turn).toEqual({ created: 0, existing: 1 })
      expect(await exportOf(graph)).toEqual(exported)
      const asked = { sessionId: '5e551000-0000-4000-8000-000000000001', index: 0 }
      const { items } = await clientOf(graph).listTranscriptSteps(asked)
      expect(
        items.map(({ status, parallelGroup, durationMs, error }) => [
          status,
          parallelGroup,
          durationMs,
          error,
        ]),
      ).toEqual([
        ['ok', 1, null, null],
        ['ok', 1, null, null],
        ['error', null, null, ''],
      ])
    })
  })
}
