import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { importAutobuild } from '../../src/artifacts/import.ts'
import { useGraph } from '../contract/store.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { describeOn, memory } from '../support/engines.ts'
import { clientOf } from '../support/records.ts'

type Report = {
  decision?: string
  validation_results?: {
    quality_gates?: Record<string, unknown>
    independent_tests?: { tests_passed?: unknown } | null
  }
}

/** Reads the reports of the Coach below a folder without changes. */
const readReports = (root: string): Report[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^coach_turn_\d+\.json$/.test(path.basename(file)))
    .map((file) => JSON.parse(readFileSync(path.join(root, file), 'utf8')))

const isOverGate = ({ validation_results: results }: Report): boolean =>
  Object.values(results?.quality_gates ?? {}).includes(false) ||
  results?.independent_tests?.tests_passed === false

describeCorpus('approvals of real sessions', () => {
  describeOn(memory, (store) => {
    const handles = useGraph(store)

    test('approved-over-failed-gate and coach-strictness agree with the reports of the Coach', {
      timeout: 300_000,
    }, async () => {
      const client = clientOf(handles.graph)
      let [approvals, overGate] = [0, 0]
      for (const { root } of corpusRepositories()) {
        await importAutobuild(client, [root])
        const approved = readReports(root).filter(({ decision }) => /^approved?$/.test(decision ?? ''))
        approvals += approved.length
        overGate += approved.filter(isOverGate).length
      }
      expect([approvals, overGate]).toEqual([82, 24])
      const { rows } = await client.runAnalysis({ name: 'approved-over-failed-gate', limit: 1_000 })
      expect(rows).toHaveLength(overGate)
      const days = (await client.runAnalysis({ name: 'coach-strictness', limit: 1_000 })).rows
      const sum = (column: number) => days.reduce((total, row) => total + Number(row[column]), 0)
      expect([sum(2), sum(7)]).toEqual([approvals, overGate])
    })
  })
})
