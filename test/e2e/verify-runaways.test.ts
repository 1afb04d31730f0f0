import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandsOn, temporaryFolder, untilGone } from './command.ts'

/** `turngraph verify` with commands that do not end: each ends with its process group, and the result is a rejection. */

const SPECIFICATION = `---
id: TASK-1
feature_id: FEAT-1
---
## Acceptance Criteria

- [ ] AC-001: The program ends
`

const TURN = { feature_id: 'FEAT-1', task_id: 'TASK-1', turn_number: 1, player_summary: 'It ends' }

/** Drops the output that `verify` passes on, because it is endless. */
const WITHOUT_STDERR = ['sh', '-c', 'exec "$@" 2>/dev/null', 'sh']

type Observation = { exit_code: number | null; signal: string | null; output_tail: string }

/** Runs a script of the shell for the criterion, with a time-out of one second. */
async function verifyScript(script: string) {
  const folder = temporaryFolder()
  writeFileSync(path.join(folder, 'TASK-1.md'), SPECIFICATION)
  const user = commandsOn(temporaryFolder())
  expect((await user.run(['specify', 'TASK-1.md'], { cwd: folder })).code).toBe(0)
  expect((await user.run(['capture'], { input: JSON.stringify(TURN) })).code).toBe(0)
  const { code, stdout } = await user.run(
    [
      ...['verify', '--feature', 'FEAT-1', '--task', 'TASK-1', '--criterion', 'AC-001'],
      ...['--timeout', '1s', '--json', '--', 'sh', '-c', script],
    ],
    { cwd: folder, wrapper: WITHOUT_STDERR },
  )
  const [recorded, ...others] = JSON.parse(stdout).recorded.verifications
  expect(others).toEqual([])
  const { status, observation } = recorded as { status: string; observation: Observation }
  expect({ code, status }).toEqual({ code: 10, status: 'rejected' })
  const pids = () => readFileSync(path.join(folder, 'pids'), 'utf8').trim().split('\n')
  return { folder, observation, pids }
}

test('the children of a command that forks without end are gone after its time-out', async () => {
  const child = `sh -c "trap '' TERM HUP; echo \\$\\$ >> pids; while :; do sleep 1; done" &`
  const script = `trap '' TERM; i=0; while [ $i -lt 20 ]; do ${child} i=$((i+1)); done; wait`
  const { observation, pids } = await verifyScript(script)
  expect(observation.signal).toBe('SIGKILL')
  expect(pids().length).toBeGreaterThan(0)
  for (const pid of pids()) await untilGone(pid)
})

test('a command that writes files without end is gone after its time-out', async () => {
  const writer = 'while :; do head -c 100000 /dev/zero > big; done'
  const { folder, pids } = await verifyScript(`sh -c 'echo $$ > pids; ${writer}' & wait`)
  for (const pid of pids()) await untilGone(pid)
  expect(statSync(path.join(folder, 'big')).size).toBeLessThanOrEqual(100_000)
})

test.runIf(process.platform === 'linux')(
  'a command that finds the disk full is rejected with its message',
  async () => {
    const { observation } = await verifyScript('LC_ALL=C cat /dev/zero > /dev/full')
    expect(observation).toMatchObject({ exit_code: 1, signal: null })
    expect(observation.output_tail).toContain('No space left on device')
  },
)
