import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { importAutobuild } from '../../src/artifacts/import.ts'
import { clientStore } from '../../src/client/transcript-store.ts'
import type { Graph } from '../../src/graph/port.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import { findingsOf } from '../contract/doctor.ts'
import { forgetAll } from '../contract/forget.ts'
import { useGraph } from '../contract/store.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { describeOn, memory, neo4jLts } from '../support/engines.ts'
import { countsOf } from '../support/graph-dump.ts'
import { clientOf } from '../support/records.ts'

const transcripts = fileURLToPath(new URL('../../../shared/corpus/transcripts/', import.meta.url))

/** Imports all real artifacts, one project per repository, and all real transcripts into the first project. */
async function importAll(graph: Graph): Promise<string[]> {
  const projects = corpusRepositories()
  for (const { name, root } of projects) await importAutobuild(clientOf(graph, name), [root])
  const project = projects[0]?.name ?? 'none'
  if (existsSync(transcripts))
    await importFiles(clientStore(clientOf(graph, project)), [transcripts], { project })
  return projects.map(({ name }) => name)
}

describeCorpus('the doctor on real data', () => {
  for (const engine of [memory, neo4jLts]) {
    describeOn(engine, (store) => {
      describe('real artifacts and transcripts', () => {
        const handles = useGraph(store)

        test('the doctor finds nothing, and every project can be forgotten', {
          timeout: 1_200_000,
        }, async () => {
          const projects = await importAll(handles.graph)
          expect(await findingsOf(handles.graph)).toEqual([])
          const [first = '', second = '', ...others] = projects
          const before = await countsOf(handles.graph)
          const would = await forgetAll(handles.graph, { project: second, wholeProject: true }, true)
          const went = await forgetAll(handles.graph, { project: second, wholeProject: true })
          expect(went.counts).toMatchObject(would.counts)
          expect(Object.keys(would.counts)).toEqual(['Turn', 'World'])
          const after = await countsOf(handles.graph)
          for (const [label, count] of Object.entries(went.counts))
            expect((before[label] ?? 0) - (after[label] ?? 0), label).toBe(count)
          expect(await findingsOf(handles.graph)).toEqual([])
          await forgetAll(handles.graph, { project: first, wholeProject: true, before: '2026-02-01' })
          expect(await findingsOf(handles.graph)).toEqual([])
          for (const project of [first, ...others])
            await forgetAll(handles.graph, { project, wholeProject: true })
          expect(await countsOf(handles.graph)).toEqual({})
        })
      })
    })
  }
})
