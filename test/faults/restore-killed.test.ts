import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { memory } from '../support/engines.ts'
import { exportOf } from '../support/exported.ts'
import { dumpOf } from '../support/graph-dump.ts'
import { fillWithEverything } from '../support/whole-graph.ts'
import { KILLED_BOUND_MS, killedAtSteps, newFolder } from './harness/killed-at-steps.ts'
import { namesWhatAKilledRestoreLeft } from './harness/killed-restore.ts'

/** All parameters contain this text. */
const ANYWHERE = ''

test('a restoring command, killed with -9 at any step and repeated, equals one restore', {
  timeout: KILLED_BOUND_MS,
}, async () => {
  const source = await memory.open()
  await fillWithEverything(source)
  const [lines, dump] = [await exportOf(source), await dumpOf(source)]
  await source.close()
  const file = path.join(newFolder(), 'all.jsonl')
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))

  const wrong: string[] = []
  const command = { args: ['restore', file], key: ANYWHERE, commits: 2 }
  await killedAtSteps(command, async (graph, killed) => {
    const same = [await dumpOf(graph), await exportOf(graph)]
    if (JSON.stringify(same) !== JSON.stringify([dump, lines])) wrong.push(killed)
  })
  expect(wrong).toEqual([])
})

namesWhatAKilledRestoreLeft(async () => `embedded:${newFolder()}`)
