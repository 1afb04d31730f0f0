import { cpSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { findingsOf } from '../contract/doctor.ts'
import { leftIn } from '../contract/forget.ts'
import { memory } from '../support/engines.ts'
import { judgedTurn } from '../support/healthy-graph.ts'
import { captureSteadily, clientOf } from '../support/records.ts'
import { bytesOf, send, sessionOf, turn } from '../support/transcript-import.ts'
import { KILLED_BOUND_MS, killedAtSteps, newFolder } from './harness/killed-at-steps.ts'

const PROJECT = 'killed'
const OLD = '2026-01-01T00:00:00Z'

const LONG = ['Grep', 'Read', 'Read', 'Read', 'Edit', 'Bash']

type Open = Awaited<ReturnType<typeof memory.open>>

async function captureWhatStays(graph: Open): Promise<void> {
  const stays = { project: PROJECT, worldSlug: 'stays', completedAt: '2026-03-01T00:00:00Z' }
  await captureSteadily(graph, judgedTurn(1, stays))
  await send(clientOf(graph), sessionOf(2), bytesOf(turn('s2', LONG, { from: 40 * 86_400 })), {
    project: PROJECT,
  })
}

async function captureWhatGoes(graph: Open): Promise<void> {
  for (const worldSlug of ['one', 'two']) {
    const old = { project: PROJECT, worldSlug, completedAt: OLD }
    for (const n of [1, 2, 3]) await captureSteadily(graph, judgedTurn(n, old))
    await captureSteadily(graph, judgedTurn(2, { ...old, commit: 'c', onConflict: 'supersede' }))
  }
  const turns = [1, 2, 3].map((n) => turn(`t${n}`, LONG, { from: 20 * n }))
  await send(clientOf(graph), sessionOf(1), bytesOf(...turns), { project: PROJECT })
}

test('a forgetting command, killed with -9 at any step and repeated, leaves no trace of the captured data', {
  timeout: KILLED_BOUND_MS,
}, async () => {
  const alone = await memory.open()
  onTestFinished(() => alone.close())
  await captureWhatStays(alone)
  const expected = await leftIn(alone)

  const full = newFolder()
  const graph = EmbeddedGraph.open({ folder: full })
  await migrate(graph)
  await captureWhatStays(graph)
  await captureWhatGoes(graph)
  await graph.close()
  const filledFolder = (): string => {
    const folder = newFolder()
    cpSync(full, folder, { recursive: true })
    return folder
  }
  const args = ['forget', '--project', PROJECT, '--before', '2026-02-01', '--yes']
  const command = { args, key: PROJECT, commits: 5, begin: filledFolder }
  await killedAtSteps(command, async (left, killed) => {
    expect(await leftIn(left), killed).toEqual(expected)
    expect(await findingsOf(left), killed).toEqual([])
  })
})
