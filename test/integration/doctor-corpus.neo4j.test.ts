import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { importAutobuild } from '../../src/artifacts/import.ts'
import type { ImportReport } from '../../src/artifacts/import-report.ts'
import { clientStore } from '../../src/client/transcript-store.ts'
import type { Graph } from '../../src/graph/port.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import { findingsOf } from '../contract/doctor.ts'
import { forgetAll } from '../contract/forget.ts'
import { useGraph } from '../contract/store.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { describeOn, memory, neo4jLts } from '../support/engines.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { brokenCounts, countsOf } from '../support/graph-dump.ts'
import { clientOf } from '../support/records.ts'
import { brokenTurns } from '../support/transcript-import.ts'

const transcripts = fileURLToPath(new URL('../../../shared/corpus/transcripts/', import.meta.url))

/** Imports all real artifacts, one project per repository. */
async function importAll(graph: Graph): Promise<ImportReport[]> {
  const reports: ImportReport[] = []
  for (const { name, root } of corpusRepositories())
    reports.push(await importAutobuild(clientOf(graph, name), [root]))
  return reports
}

/** Restores an export on the embedded engine, and checks that an export of the copy has the same bytes. */
async function checkCopy(lines: readonly string[]): Promise<void> {
  const copy = await memory.open()
  try {
    await restoreLines(copy, lines)
    expect((await exportOf(copy)).join('\n') === lines.join('\n')).toBe(true)
    expect([...(await brokenCounts(copy)), ...(await brokenTurns(copy))]).toEqual([])
    expect(await findingsOf(copy)).toEqual([])
  } finally {
    await copy.close()
  }
}

const SUMMED = [
  ...['tasks', 'worlds', 'turnsCreated', 'turnsUnchanged', 'turnsSuperseded', 'turnsFailed'],
  ...['verifications', 'promises', 'issues'],
] as const satisfies readonly (keyof ImportReport)[]
const sumOf = (reports: readonly ImportReport[]) =>
  Object.fromEntries(
    SUMMED.map((name) => [name, reports.reduce((sum, report) => sum + report[name], 0)]),
  ) as Record<(typeof SUMMED)[number], number>

describeCorpus('real data', () => {
  describeOn(neo4jLts, (store) => {
    describe('real artifacts and transcripts', () => {
      const handles = useGraph(store)

      test('are imported once, are the same after a restore on the embedded engine, have no findings of the doctor, and can be forgotten', {
        timeout: 1_200_000,
      }, async () => {
        const projects = corpusRepositories().map(({ name }) => name)
        const reports = await importAll(handles.graph)
        const sum = sumOf(reports)
        expect(sum).toMatchObject({ tasks: 84, worlds: 85, turnsCreated: 124, turnsFailed: 0 })
        const { items: twice } = await clientOf(handles.graph, 'fleet-memory').listWorlds({
          taskId: 'TASK-RIP-007',
        })
        expect(twice.map(({ worldSlug }) => worldSlug).sort()).toEqual(['TASK-RIP-007', 'TASK-RIP-007.2'])
        const unmapped = reports.flatMap((report) => report.unmapped)
        expect(unmapped).not.toEqual([])
        for (const { count, example } of unmapped) {
          expect(count).toBeGreaterThan(0)
          expect(example).toMatch(/\.json$/)
        }
        const imported = await countsOf(handles.graph)
        expect(imported).toMatchObject({
          Turn: 124,
          World: 85,
          Verification: sum.verifications,
          Promise: sum.promises,
          Issue: sum.issues,
        })
        // A second import depends on the values that the engine returns.
        const again = await importAll(handles.graph)
        const unchanged = { turnsCreated: 0, turnsUnchanged: 124, turnsSuperseded: 0, turnsFailed: 0 }
        expect(sumOf(again)).toMatchObject(unchanged)
        expect(again.map(({ warnings }) => warnings)).toEqual(reports.map(({ warnings }) => warnings))
        expect(await countsOf(handles.graph)).toEqual(imported)

        const [first = '', second = '', ...others] = projects
        if (existsSync(transcripts)) {
          const store = clientStore(clientOf(handles.graph, first))
          await importFiles(store, [transcripts], { project: first })
        }
        await checkCopy(await exportOf(handles.graph))
        expect(await findingsOf(handles.graph)).toEqual([])
        const before = await countsOf(handles.graph)
        const would = await forgetAll(handles.graph, { project: second, wholeProject: true }, true)
        const went = await forgetAll(handles.graph, { project: second, wholeProject: true })
        expect(went.counts).toMatchObject(would.counts)
        expect(Object.keys(would.counts)).toEqual(['Turn', 'World'])
        const after = await countsOf(handles.graph)
        for (const [label, count] of Object.entries(went.counts))
          expect((before[label] ?? 0) - (after[label] ?? 0), label).toBe(count)
        await forgetAll(handles.graph, { project: first, wholeProject: true, before: '2026-02-01' })
        expect(await findingsOf(handles.graph)).toEqual([])
        for (const project of [first, ...others])
          await forgetAll(handles.graph, { project, wholeProject: true })
        expect(await countsOf(handles.graph)).toEqual({})
      })
    })
  })
})
