import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTurngraphClient } from '../../../src/client/create.ts'
import { memory } from '../../support/engines.ts'
import { exportOf } from '../../support/exported.ts'
import { aTurn, clientOf, FEATURE, PROJECT, TASK } from '../../support/records.ts'
import { failingAt } from './fail-points.ts'
import { KILLED_BOUND_MS, newFolder } from './killed-at-steps.ts'
import { runCli } from './service-process.ts'

const TURNS = 9
const FIRST = 'session-one'

/** Two sessions of one task: a restore writes its second batch in the middle of the first session. */
async function fileOfTwoSessions(): Promise<string> {
  const graph = await memory.open()
  const client = clientOf(graph)
  for (const worldSlug of [FIRST, 'session-two'])
    for (let turn = 1; turn <= TURNS; turn++) await client.captureTurnState(aTurn(turn, { worldSlug }))
  const file = path.join(newFolder(), 'two.jsonl')
  writeFileSync(file, (await exportOf(graph)).map((line) => `${line}\n`).join(''))
  await graph.close()
  return file
}

/** @param storeOf returns an empty store in the form of TURNGRAPH_STORE */
export function namesWhatAKilledRestoreLeft(storeOf: () => Promise<string>): void {
  const refused = { code: 'restore_unfinished' }
  const criteria = [{ text: 'It holds' }]

  async function killRestore(): Promise<{ store: string; finish: () => Promise<void> }> {
    const file = await fileOfTwoSessions()
    const restore = (store: string, environment: Record<string, string>) =>
      runCli(['restore', file], {
        dataFolder: newFolder(),
        environment: { ...environment, TURNGRAPH_STORE: store },
      })
    const store = await storeOf()
    // Dies after the first commit with a part of that session. A slow store has smaller batches, so the number of the step varies.
    expect((await restore(store, failingAt(FIRST, 'after commit'))).exitCode).toBeNull()
    return {
      store,
      finish: async () => {
        const again = await restore(store, {})
        expect(again.exitCode, again.output).toBe(0)
      },
    }
  }

  test('after kill -9 of a restore, captures and declarations name it and doctor explains how to finish or remove it', {
    timeout: KILLED_BOUND_MS,
  }, async () => {
    const { store, finish } = await killRestore()
    const client = createTurngraphClient({ store, project: PROJECT })
    await expect(client.captureTurnState(aTurn(1))).rejects.toMatchObject(refused)
    await expect(client.captureTurnState(aTurn(10, { worldSlug: FIRST }))).rejects.toMatchObject(refused)
    const task = { featureId: FEATURE, taskId: TASK }
    await expect(client.declareCriteria({ ...task, criteria })).rejects.toMatchObject(refused)
    await expect(client.createWorld(task)).rejects.toMatchObject(refused)
    const { findings } = await client.examine({ project: PROJECT })
    expect(findings.map(({ check, label }) => [check, label])).toEqual([
      ['restore_unfinished', 'Task'],
      ['restore_unfinished', 'World'],
    ])
    expect(findings[0]?.remedy).toMatch(/turngraph restore.*turngraph forget/)
    await client.close()

    await finish()
    const after = createTurngraphClient({ store, project: PROJECT })
    expect((await after.examine({ project: PROJECT })).findings).toEqual([])
    expect((await after.captureTurnState(aTurn(TURNS + 1, { worldSlug: FIRST }))).created).toBe(true)
    await after.close()
  })

  test('after kill -9 of a restore, forget removes the partial data and the task can be written again', {
    timeout: KILLED_BOUND_MS,
  }, async () => {
    const { store } = await killRestore()
    const client = createTurngraphClient({ store, project: PROJECT })
    await client.forget({ featureId: FEATURE, taskId: TASK, dryRun: false })
    expect((await client.captureTurnState(aTurn(1))).created).toBe(true)
    expect((await client.examine({ project: PROJECT })).findings).toEqual([])
    await client.close()
  })
}
