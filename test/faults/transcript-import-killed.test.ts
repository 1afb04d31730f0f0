import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { clientStore } from '../../src/client/transcript-store.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import { memory } from '../support/engines.ts'
import { clientOf } from '../support/records.ts'
import {
  brokenTurns,
  bytesOf,
  differences,
  NO_DIFFERENCES,
  reportsOf,
  sessionOf,
  turn,
} from '../support/transcript-import.ts'
import { instant, linesOf, result, type Written } from '../support/written-transcript.ts'
import { KILLED_BOUND_MS, killedAtSteps, newFolder } from './harness/killed-at-steps.ts'

const PROJECT = 'killed'

const LONG = ['Grep', 'Read', 'Read', 'Read', 'Edit', 'Bash']
const OTHER = ['Bash', 'Bash', 'Read', 'Bash', 'Bash', 'Edit']

/** Two sessions and an agent, in several transactions. Only the first of them has the pattern of a desire. */
function writeTranscripts(): string {
  const folder = newFolder()
  const [first, second] = [sessionOf(1), sessionOf(2)]
  const agents = path.join(folder, second, 'subagents')
  mkdirSync(agents, { recursive: true })
  const early = Array.from({ length: 4 }, (_, i) => turn(`early${i}`, OTHER, { from: 20 * i }))
  const many = Array.from({ length: 90 }, (_, i) =>
    turn(`t${i}`, LONG, { from: 100 + 20 * i, errors: { 5: `no ${i}` } }),
  )
  writeFileSync(path.join(folder, `${first}.jsonl`), bytesOf(turn('u', OTHER)))
  const started: Written = {
    ...result('task.0', {}, { toolUseResult: { agentId: 'a1' } }),
    uuid: 'done',
    timestamp: instant(95),
  }
  const task = [...turn('task', ['Task'], { from: 90, pending: [0] }), started]
  writeFileSync(
    path.join(folder, `${second}.jsonl`),
    bytesOf(...early, task, ...many, turn('open', LONG, { from: 3000, ends: false })),
  )
  writeFileSync(path.join(agents, 'agent-a1.jsonl'), linesOf(turn('side', LONG)))
  return folder
}

test('an importing command, killed with -9 at any step and repeated, equals one import', {
  timeout: KILLED_BOUND_MS,
}, async () => {
  const folder = writeTranscripts()
  const reference = await memory.open()
  onTestFinished(() => reference.close())
  await importFiles(clientStore(clientOf(reference, PROJECT)), [folder], { project: PROJECT })
  const answers = await reportsOf(clientOf(reference, PROJECT))

  const wrong: string[] = []
  const args = ['import', 'transcripts', folder, '--project', PROJECT]
  await killedAtSteps({ args, key: PROJECT, commits: 2 }, async (graph, killed) => {
    const found = {
      broken: await brokenTurns(graph),
      ...(await differences(graph, reference)),
      answers: await reportsOf(clientOf(graph, PROJECT)),
    }
    if (JSON.stringify(found) !== JSON.stringify({ broken: [], ...NO_DIFFERENCES, answers }))
      wrong.push(`${killed}: ${JSON.stringify({ ...found, answers: undefined })}`)
  })
  expect(wrong).toEqual([])
})
