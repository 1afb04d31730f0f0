import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commandExecutor } from './command-executor.ts'
import type { AttemptOutcome, AttemptTask } from './executor.ts'

/** Tests with real processes: their environment, their results and their end. */
describe('the command executor', () => {
  const folder = (): string => {
    const made = mkdtempSync(path.join(tmpdir(), 'turngraph-command-'))
    onTestFinished(() => rmSync(made, { recursive: true, force: true }))
    return made
  }

  const run = (
    script: string,
    { signal = new AbortController().signal, timeoutMs = 20_000, env = ['PATH'], cwd = folder() } = {},
  ): Promise<AttemptOutcome> =>
    commandExecutor({ argv: [process.execPath, '-e', script], cwd, env, timeoutMs })(taskWith(signal))

  const taskWith = (signal: AbortSignal): AttemptTask => ({
    worldSlug: 'w',
    attemptId: 'a-1',
    attemptedTurn: 3,
    sequence: 1,
    continuation: async () => ({ player: contextFor('player'), coach: contextFor('coach') }),
    isRetry: async () => false,
    signal,
  })

  test('gives one JSON object to standard input and takes one record from standard output', async () => {
    const outcome = await run(`
      let text = ''
      process.stdin.on('data', (chunk) => { text += chunk }).on('end', () => {
        const { world_slug, attempt_id, attempted_turn, continuation } = JSON.parse(text)
        const { player, coach } = continuation
        console.log(JSON.stringify({ player_summary: [world_slug, attempt_id, attempted_turn, player.role, coach.role, player.current_turn].join(' ') }))
      })`)
    expect(outcome).toEqual({ turn: { player_summary: 'w a-1 3 player coach 3' } })
  })

  test('any other exit fails the attempt, with the last 4 KiB of standard error', async () => {
    expect(await run(`console.error('no network'); process.exit(3)`)).toEqual({
      failed: 'the command ended with exit code 3: no network',
    })
    const { failed } = (await run(
      `process.stderr.write('x'.repeat(9000) + 'the end', () => process.exit(1))`,
    )) as {
      failed: string
    }
    expect(failed).toMatch(/x the end$|xthe end$/)
    expect(failed.length).toBeLessThan(4_200)
    expect(await run(`process.kill(process.pid, 'SIGKILL')`)).toEqual({
      failed: 'the command was ended by SIGKILL',
    })
  })

  test('a command that fails may report its usage on standard output', async () => {
    const write = (text: string) =>
      run(`process.stdout.write(${JSON.stringify(text)}, () => process.exit(1))`)
    const failed = 'the command ended with exit code 1'
    expect(await write('{"usage": {"tokens": 1200}, "note": "gave up"}')).toEqual({
      failed,
      usedTokens: 1_200,
    })
    for (const text of ['', 'done', '{"usage": {"tokens": -1}}', 'null'])
      expect(await write(text)).toEqual({ failed })
  })

  test('standard output that is not JSON fails the attempt', async () => {
    expect(await run(`console.log('done')`)).toEqual({
      failed: expect.stringContaining('standard output is not one turn record as JSON'),
    })
    expect(await run(`process.stdout.write(Buffer.from([0x22, 0xff, 0x22]))`)).toEqual({
      failed: expect.stringContaining('standard output is not one turn record as JSON'),
    })
    expect(await run('')).toEqual({ failed: expect.stringContaining('standard output') })
  })

  test('output is capped at 1 MiB', async () => {
    expect(await run(`const more = () => process.stdout.write('x'.repeat(65536), more); more()`)).toEqual({
      failed: 'the command wrote more than 1048576 bytes',
    })
  })

  test('sees only the variables that the file names', async () => {
    process.env.TURNGRAPH_TEST_SEEN = 'seen'
    process.env.TURNGRAPH_TEST_HIDDEN = 'hidden'
    onTestFinished(() => {
      delete process.env.TURNGRAPH_TEST_SEEN
      delete process.env.TURNGRAPH_TEST_HIDDEN
    })
    const outcome = await run(`console.log(JSON.stringify(Object.keys(process.env).sort()))`, {
      env: ['TURNGRAPH_TEST_SEEN', 'TURNGRAPH_TEST_ABSENT'],
    })
    expect(outcome).toEqual({ turn: ['TURNGRAPH_TEST_SEEN'] })
  })

  test('the command is killed at its time-out', async () => {
    expect(await run(`setInterval(() => {}, 1000)`, { timeoutMs: 200 })).toEqual({
      failed: 'the command took longer than 200 ms',
    })
  })

  test('an abort kills the whole process group, including processes that ignore signals', async () => {
    const cwd = folder()
    const pids = path.join(cwd, 'pids')
    const stop = new AbortController()
    const child = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`
    const script = `
      const { spawn } = require('node:child_process')
      process.on('SIGTERM', () => {})
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' })
      require('node:fs').writeFileSync('pids.tmp', process.pid + ' ' + child.pid)
      require('node:fs').renameSync('pids.tmp', 'pids')
      setInterval(() => {}, 1000)`
    const outcome = run(script, { signal: stop.signal, cwd })
    while (!existsSync(pids)) await sleep(10)
    stop.abort(new Error('the turn run was cancelled'))
    expect(await outcome).toEqual({ failed: 'the turn run was cancelled' })
    for (const pid of readFileSync(pids, 'utf8').split(' ').map(Number)) {
      while (lives(pid)) await sleep(10)
    }
  })

  test('processes that a command leaves running end with it and do not delay the attempt', async () => {
    const cwd = folder()
    const script = `
      const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
      child.unref()
      require('node:fs').writeFileSync('pid', String(child.pid))
      console.log('{}')
      process.exit(0)`
    expect(await run(script, { cwd })).toEqual({ turn: {} })
    const pid = Number(readFileSync(path.join(cwd, 'pid'), 'utf8'))
    while (lives(pid)) await sleep(10)
  })

  test('processes that a command leaves in another process group do not delay the attempt', async () => {
    const cwd = folder()
    const script = `
      const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true })
      child.unref()
      require('node:fs').writeFileSync('pid', String(child.pid))
      console.log('{}')
      process.exit(0)`
    expect(await run(script, { cwd })).toEqual({ turn: {} })
    process.kill(Number(readFileSync(path.join(cwd, 'pid'), 'utf8')), 'SIGKILL')
  })

  test('a secret at the cut of standard error is masked before the cut', async () => {
    const secret = `ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`
    const said = `token ${secret} ${'b '.repeat(2_040)}`
    const { failed } = (await run(
      `process.stderr.write(${JSON.stringify(said)}, () => process.exit(1))`,
    )) as {
      failed: string
    }
    for (let length = 8; length < secret.length; length++) expect(failed).not.toContain(secret.slice(-length))
  })

  test('a program that does not exist fails the attempt', async () => {
    const settings = {
      argv: ['no-such-program-anywhere'] as [string],
      cwd: folder(),
      env: [],
      timeoutMs: 1_000,
    }
    const outcome = await commandExecutor(settings)(taskWith(new AbortController().signal))
    expect(outcome).toEqual({ failed: expect.stringMatching(/^the command cannot be started: .*ENOENT/) })
  })
})

/** Checks whether a process is alive. A zombie has ended, even if its parent has not read its status. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const contextFor = (role: 'player' | 'coach') => ({
  status: 'no_prior_turn' as const,
  taskKnown: true,
  context: null,
  role,
  worldSlug: 'w',
  currentTurn: 3,
  previousTurn: null,
  gap: false,
  prior: null,
  criteria: [],
  promisedNotJudged: [],
  triedBefore: [],
  lastJudged: null,
  promises: null,
  stall: null,
  issues: [],
  included: [],
  omitted: [],
  tokens: { budget: 2_000, used: 0 },
})
