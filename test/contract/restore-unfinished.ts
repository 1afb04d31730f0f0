import { describe, expect, test } from 'vitest'
import { inProcessClient } from '../../src/client/in-process.ts'
import { taskKey } from '../../src/core/keys.ts'
import type { Graph } from '../../src/graph/port.ts'
import { type Line, recordsIn } from '../../src/maintenance/restore/lines.ts'
import { restoreFile } from '../../src/maintenance/restore/restore-file.ts'
import { memory } from '../support/embedded-engines.ts'
import { exportOf } from '../support/exported.ts'
import { dumpOf } from '../support/graph-dump.ts'
import { aTurn, clientOf, FEATURE, PROJECT } from '../support/records.ts'
import { findingsOf } from './doctor.ts'
import { forgetAll } from './forget.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const TASKS = ['TASK-1', 'TASK-2', 'TASK-3']
/** The first batch of a restore ends between the two sessions of the first task, the second before those of the third. */
const TURNS = 3

async function* bytesOf(lines: readonly string[]): AsyncGenerator<Buffer> {
  yield Buffer.from(lines.map((line) => `${line}\n`).join(''))
}

/** Exports three tasks with two sessions each, and a specification without a session. */
async function exportTasks(turns = TURNS): Promise<{ lines: string[]; dump: string[]; records: Line[] }> {
  const graph = await memory.open()
  const client = clientOf(graph)
  for (const taskId of TASKS) {
    await client.declareCriteria({
      featureId: FEATURE,
      taskId,
      criteria: [{ text: `${taskId} answers with 404` }],
    })
    for (const session of ['a', 'b'])
      for (let turn = 1; turn <= turns; turn++)
        await client.captureTurnState(aTurn(turn, { taskId, worldSlug: `${taskId}-${session}` }))
  }
  await client.declareCriteria({
    featureId: FEATURE,
    taskId: 'TASK-4',
    criteria: [{ text: 'It is declared only' }],
  })
  const [lines, dump] = [await exportOf(graph), await dumpOf(graph)]
  await graph.close()
  const records: Line[] = []
  for await (const line of recordsIn(bytesOf(lines), 'the file')) records.push(line)
  return { lines, dump, records }
}

/** A killed restore marks its task as incomplete, until it is finished or removed. */
export function restoreUnfinishedContract(store: StoreUnderTest): void {
  describe('a restore that was killed', () => {
    const handles = useGraph(store)
    const refused = { code: 'restore_unfinished' }
    const features = { featureId: FEATURE }

    /** @returns how many records were written before the restore was cut off, null if it ended */
    async function restoreBatches(lines: readonly string[], batches: number): Promise<number | null> {
      const client = inProcessClient({ graph: handles.graph, project: PROJECT })
      let left = batches
      let written = 0
      const restored = restoreFile(
        {
          restoreRecords: async (input) => {
            if (left-- === 0) throw new Error('killed')
            const answer = await client.restoreRecords(input)
            written += input.records.length
            return answer
          },
        },
        bytesOf(lines),
      )
      return restored.then(
        () => null,
        (error: Error) => {
          if (error.message !== 'killed') throw error
          return written
        },
      )
    }

    test('wherever a restore is interrupted, only its incomplete task rejects captures, declarations and worlds', async () => {
      const { lines, dump, records } = await exportTasks()
      const client = clientOf(handles.graph)
      const unfinished: (string | null)[] = []
      for (let batches = 1; ; batches++) {
        const written = await restoreBatches(lines, batches)
        if (written === null) break
        const [last, next] = [records[written - 1], records[written]]
        const task = last?.task != null && last.task === next?.task ? last.task : null
        unfinished.push(task)
        const found = await findingsOf(handles.graph)
        expect(found.filter(({ check }) => check !== 'restore_unfinished')).toEqual([])
        expect(found.filter(({ label }) => label === 'Task').map(({ key }) => key)).toEqual(
          task === null ? [] : [task],
        )
        if (task === null) continue
        const taskId = task.slice(task.lastIndexOf('/') + 1)
        for (const turn of [aTurn(1, { taskId }), aTurn(TURNS + 1, { taskId, worldSlug: `${taskId}-a` })])
          await expect(client.captureTurnState(turn)).rejects.toMatchObject(refused)
        await expect(
          client.declareCriteria({ ...features, taskId, criteria: [{ text: 'Another' }] }),
        ).rejects.toMatchObject(refused)
        for (const worldSlug of [undefined, 'new'])
          await expect(client.createWorld({ ...features, taskId, worldSlug })).rejects.toMatchObject(refused)
        await expect(exportOf(handles.graph)).rejects.toMatchObject(refused)
      }
      expect(unfinished).toEqual([0, 2].map((i) => taskKey(PROJECT, FEATURE, TASKS[i] ?? '')))
      expect(await dumpOf(handles.graph)).toEqual(dump)
      expect(await findingsOf(handles.graph)).toEqual([])
      for (const taskId of TASKS)
        expect((await client.captureTurnState(aTurn(TURNS + 1, { taskId }))).created).toBe(true)
    })

    const task = { ...features, taskId: 'TASK-1' }
    const declare = (graph: Graph, count: number) =>
      clientOf(graph).declareCriteria({
        ...task,
        criteria: Array.from({ length: count }, (_, i) => ({ text: `Condition ${i} holds in every case` })),
      })

    test('a restore that is killed before a new version of an existing task leaves the earlier version complete', async () => {
      const source = await memory.open()
      await declare(source, 8)
      expect(await restoreBatches(await exportOf(source), Number.POSITIVE_INFINITY)).toBe(null)
      await declare(source, 9)
      const lines = await exportOf(source)
      await source.close()
      const client = clientOf(handles.graph)
      expect(await restoreBatches(lines, 1)).toBe(10)
      expect(await client.getSpecification(task)).toMatchObject({ version: 1, total: 8 })
      await client.captureTurnState(aTurn(1, { worldSlug: 'own' }))
      expect(await client.listCriteria({ ...task, worldSlug: 'own' })).toMatchObject({
        specificationVersion: 1,
      })
      expect(await declare(handles.graph, 8)).toMatchObject({ version: 1, created: false })
      expect(await restoreBatches(lines, Number.POSITIVE_INFINITY)).toBe(null)
      expect(await client.getSpecification(task)).toMatchObject({ version: 2, total: 9 })
    })

    test.each([
      ['the file', 'the graph'],
      ['the graph', 'the file'],
    ])('if only %s has a newer version, the sessions of both have it after the restore', async (newer) => {
      const source = await memory.open()
      const client = clientOf(handles.graph)
      const versionOf = async (worldSlug: string) =>
        (await client.listCriteria({ ...task, worldSlug })).specificationVersion
      await declare(source, 1)
      await restoreBatches(await exportOf(source), Number.POSITIVE_INFINITY)
      await client.captureTurnState(aTurn(1, { worldSlug: 'own' }))
      await clientOf(source).captureTurnState(aTurn(1, { worldSlug: 'other' }))
      await declare(newer === 'the file' ? source : handles.graph, 2)
      const lines = await exportOf(source)
      await source.close()
      for (const _ of ['first', 'again'])
        expect(await restoreBatches(lines, Number.POSITIVE_INFINITY)).toBe(null)
      expect([await versionOf('own'), await versionOf('other')]).toEqual([2, 2])
      expect(await findingsOf(handles.graph)).toEqual([])
      await declare(handles.graph, 3)
      expect([await versionOf('own'), await versionOf('other')]).toEqual([3, 3])
    })

    test('a restore into an existing task marks it only for its unfinished session, and forgetting that session is enough', async () => {
      const client = clientOf(handles.graph)
      await client.captureTurnState(aTurn(1, { worldSlug: 'own' }))
      const { lines } = await exportTasks(TURNS + 1)
      expect(await restoreBatches(lines, 1)).toBe(10)
      await expect(client.captureTurnState(aTurn(2, { worldSlug: 'own' }))).rejects.toMatchObject(refused)
      const worlds = (await findingsOf(handles.graph)).filter(({ label }) => label === 'World')
      expect(worlds.map(({ key }) => key)).toEqual([`${PROJECT}/TASK-1-a`])
      await forgetAll(handles.graph, { worldSlug: 'TASK-1-a' })
      expect((await client.captureTurnState(aTurn(2, { worldSlug: 'own' }))).created).toBe(true)
    })
  })
}
