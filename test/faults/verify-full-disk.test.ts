import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandsOn, untilGone } from '../e2e/command.ts'
import { newFolder, PROCESS_TEST_MS } from './harness/in-test.ts'
import { canMount, mountSmallDisk } from './harness/small-disk.ts'

/** Tests `turngraph verify` with a command that fills the disk of the data folder. */

const mountable = canMount()
if (!mountable) console.log('Left out: full disks. This machine does not let us mount one.')

const TURN = { feature_id: 'FEAT-1', task_id: 'TASK-1', turn_number: 1, player_summary: 'It is done' }

/** Creates a data folder on a small disk, with one turn and an added verification. */
async function recordedOnSmallDisk() {
  const disk = await mountSmallDisk()
  onTestFinished(() => disk.remove())
  const cwd = newFolder()
  const user = commandsOn(disk.folder)
  const verify = (...command: string[]) =>
    user.run(
      [
        ...['verify', '--feature', 'FEAT-1', '--task', 'TASK-1', '--criterion', 'AC-001'],
        ...['--timeout', '3s', '--', ...command],
      ],
      { cwd },
    )
  const listStored = async () => {
    const { code, stdout } = await user.run(['export'], { cwd })
    expect(code).toBe(0)
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { verifications } = records.find(({ kind }) => kind === 'turn')
    return (verifications as { status: string }[]).map(({ status }) => status)
  }
  expect((await user.run(['capture'], { cwd, input: JSON.stringify(TURN) })).code).toBe(0)
  expect((await verify('true')).code).toBe(0)
  return { disk, folder: user.folder, pids: path.join(cwd, 'pids'), verify, listStored }
}

const ENDS: [what: string, after: string][] = [
  ['ends', ''],
  ['writes until its time-out', 'while :; do cat /dev/zero >> "$1"; sleep 0.1; done'],
]

test.skipIf(!mountable).each(ENDS)(
  'verify prints one error and ends the process group of a command that fills the disk and %s, and the next verify works',
  { timeout: PROCESS_TEST_MS },
  async (_what, after) => {
    const { disk, folder, pids, verify, listStored } = await recordedOnSmallDisk()
    const ballast = path.join(disk.folder, 'ballast')
    const script = `sleep 1000 & echo $! > "$0"; echo $$ >> "$0"; exec 2> /dev/null; cat /dev/zero > "$1"; ${after}`
    const { code, stdout, stderr } = await verify('sh', '-c', script, pids, ballast)
    expect({ code, stdout }).toEqual({
      code: 7,
      stdout: expect.stringMatching(/^✗ AC-001: rejected, [^\n]*\n$/),
    })
    const [started, ...failure] = stderr.trimEnd().split('\n')
    expect(started).toMatch(/^Runs AC-001: sh -c /)
    expect(failure).toEqual([
      `error: No space left in ${folder}. The observations could not be kept in ${folder}/unrecorded either.`,
      expect.stringMatching(/^hint: .* run the same command again\.$/),
    ])
    for (const pid of readFileSync(pids, 'utf8').trim().split('\n')) await untilGone(pid)
    const kept = path.join(folder, 'unrecorded')
    expect(existsSync(kept) ? readdirSync(kept) : []).toEqual([])
    disk.makeRoom()
    expect(await listStored()).toEqual(['verified'])
    expect((await verify('false')).code).toBe(10)
    expect(await listStored()).toEqual(['verified', 'rejected'])
  },
)
