import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { importAutobuild } from '../../src/artifacts/import.ts'
import { contextFileNames } from '../../src/cli/context-file.ts'
import type { WatchEvent } from '../../src/cli/watch-lines.ts'
import { watchFolders } from '../../src/cli/watch-loop.ts'
import type { TurngraphClient } from '../../src/client/client.ts'
import { memory } from './engines.ts'
import { clientOf, PROJECT } from './records.ts'
import { viewOf } from './session-view.ts'
import { filesOfTurn, writeSlowly } from './written-session.ts'

/** Makes a folder of this test, which is removed after it. */
export function watchedFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-watch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

type More = { transcripts?: string[]; writeContext?: string }

export type WatchInTest = {
  /** Returns the printed events, without the probe's turns. */
  events: () => WatchEvent[]
  /** Resolves when the watch has scanned twice more: it has then imported everything that it would import. */
  looked: () => Promise<void>
  stop: () => Promise<void>
}

const PROBE = 'TASK-PROBE'

/** Watches the paths together with a probe, until the test has finished or stops the watch. */
export function watchInTest(
  client: TurngraphClient,
  paths: string[],
  { transcripts = [], writeContext }: More = {},
): WatchInTest {
  const [stopped, probe, events] = [new AbortController(), watchedFolder(), [] as WatchEvent[]]
  const nameContext = writeContext === undefined ? null : contextFileNames(writeContext)
  const isOfProbe = (event: WatchEvent) => 'taskId' in event && event.taskId === PROBE
  const ended = watchFolders(
    {
      paths: [...paths, probe],
      transcripts,
      nameContext,
      specifications: true,
      project: null,
      transcriptProject: PROJECT,
    },
    { use: (work) => work(client), print: (event) => events.push(event), signal: stopped.signal },
  )
  let probes = 0
  const probed = () => events.filter((event) => event.type === 'turn' && isOfProbe(event)).length
  const stop = () => {
    stopped.abort()
    return ended
  }
  onTestFinished(stop)
  return {
    events: () =>
      events.filter((event) => !isOfProbe(event) && !('file' in event && event.file.startsWith(probe))),
    stop,
    async looked() {
      for (const _ of [1, 2]) {
        probes++
        for (const each of filesOfTurn(path.join(probe, PROBE), probes)) await writeSlowly(each, 1)
        await expect.poll(probed, { timeout: 30_000 }).toBeGreaterThanOrEqual(probes)
      }
    },
  }
}

/** Makes a separate graph, into which the folders are imported on request of the test. */
export function importsInTest(paths: string[]): {
  importNow: () => Promise<void>
  view: (taskId?: string) => Promise<unknown[]>
} {
  const graph = memory.open()
  onTestFinished(async () => (await graph).close())
  const client = async () => clientOf(await graph)
  return {
    importNow: async () => void (await importAutobuild(await client(), paths)),
    view: async (taskId) => viewOf(await client(), taskId),
  }
}
