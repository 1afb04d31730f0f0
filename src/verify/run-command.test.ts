import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type CommandEnd, type CommandToRun, runCommand } from './run-command.ts'

const LONG_MS = 600_000

const sh = (script: string, options: Partial<CommandToRun> = {}) =>
  runCommand({
    argv: ['sh', '-c', script],
    cwd: '.',
    timeoutMs: LONG_MS,
    signal: new AbortController().signal,
    ...options,
  })

const ended = async (script: string, options: Partial<CommandToRun> = {}): Promise<CommandEnd> => {
  const end = await sh(script, options)
  if ('notStarted' in end) throw new Error(end.notStarted)
  return end
}

/** Waits until a process has ended. A zombie has ended, too. */
async function untilGone(pid: string): Promise<void> {
  expect(Number(pid)).toBeGreaterThan(1)
  for (;;) {
    try {
      const [, state] = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      if (state === 'Z' || state === 'X') return
    } catch {
      return
    }
    await sleep(20)
  }
}

const firstPid = ({ outputTail }: CommandEnd): string => /\d+/.exec(outputTail)?.[0] ?? ''

test('a command ends with its exit code, its output and the digest of all of it', async () => {
  const end = await ended('echo out; echo err >&2; exit 3')
  expect(end).toMatchObject({ exitCode: 3, signal: null, hasTimedOut: false })
  expect(end.outputTail.split('\n').sort()).toEqual(['err', 'out'])
  const output = 'x'.repeat(3_000_000)
  const long = await ended(`head -c ${output.length} /dev/zero | tr '\\0' x`)
  expect(long.outputTail).toBe('x'.repeat(2048))
  expect(long.outputDigest).toBe(`sha256:${createHash('sha256').update(output).digest('hex')}`)
})

test('no shell reads the arguments of a command', async () => {
  const end = await runCommand({
    argv: ['echo', '$(id)', '; exit 4', '*'],
    cwd: '/',
    timeoutMs: LONG_MS,
    signal: new AbortController().signal,
  })
  expect(end).toMatchObject({ exitCode: 0, outputTail: '$(id) ; exit 4 *' })
})

test('a process that a command leaves behind in its group ends with it', async () => {
  const end = await ended('sleep 1000 & echo $!; exit 0')
  expect(end.exitCode).toBe(0)
  await untilGone(firstPid(end))
})

test('a command that never ends gets SIGTERM at its time-out', async () => {
  const end = await ended('exec sleep 1000', { timeoutMs: 300 })
  expect(end).toMatchObject({ exitCode: null, signal: 'SIGTERM', hasTimedOut: true })
})

test('a command that exits with 0 after its time-out has still timed out', async () => {
  const end = await ended(`trap 'exit 0' TERM; sleep 1000 & wait`, { timeoutMs: 5_000 })
  expect(end).toMatchObject({ exitCode: 0, signal: null, hasTimedOut: true })
})

test('a command that fills its output waits for the reader, and takes no memory', async () => {
  const stuck = new Writable({ write: () => {} }) // never ready for more
  const end = await ended('echo $$ >&2; exec yes', { timeoutMs: 500, output: stuck })
  expect(end.hasTimedOut).toBe(true)
  expect(Buffer.byteLength(end.outputTail)).toBeLessThanOrEqual(2048)
  expect(stuck.writableLength).toBeLessThan(2 * 1024 * 1024)
  const read = await ended('exec yes', { timeoutMs: 300 })
  expect(read).toMatchObject({ hasTimedOut: true, signal: 'SIGTERM' })
  expect(Buffer.byteLength(read.outputTail)).toBeLessThanOrEqual(2048)
})

test('a slow reader gets the whole output of a command', async () => {
  let size = 0
  const slow = new Writable({
    highWaterMark: 1024,
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length
      setTimeout(done, 5)
    },
  })
  const end = await ended(`head -c 5000000 /dev/zero | tr '\\0' x`, { output: slow })
  await new Promise((resolve) => slow.end(resolve))
  expect({ size, exitCode: end.exitCode }).toEqual({ size: 5_000_000, exitCode: 0 })
})

test('a command whose reader closes its output early still ends', async () => {
  const end = await ended('yes | head -n 1')
  expect(end.exitCode).toBe(0)
})

/** Aborts as soon as a command has printed this number of lines, which name its processes. */
function stopAfter(lines: number): { signal: AbortSignal; output: Writable; pids: () => string[] } {
  const stop = new AbortController()
  let printed = ''
  const pids = () => printed.split('\n').slice(0, -1)
  const output = new Writable({
    write(chunk, _encoding, done) {
      printed += String(chunk)
      if (pids().length >= lines) stop.abort(new Error('stopped'))
      done()
    },
  })
  return { signal: stop.signal, output, pids }
}

test('an abort ends a command and its children, although they ignore SIGTERM', async () => {
  const { pids, ...options } = stopAfter(2)
  const child = `sh -c "trap '' TERM; echo \\$\\$; while :; do sleep 1; done"`
  await expect(sh(`trap '' TERM; ${child} & echo $$; while :; do sleep 1; done`, options)).rejects.toThrow(
    'stopped',
  )
  expect(pids()).toHaveLength(2)
  for (const pid of pids()) await untilGone(pid)
  await expect(sh('true', { signal: options.signal })).rejects.toThrow('stopped')
})

test('a program that does not exist, and a folder that does not, are reported as not started', async () => {
  const notStarted = { notStarted: 'the program, or the folder, does not exist' }
  const signal = new AbortController().signal
  const run = (argv: string[], cwd = '.') => runCommand({ argv, cwd, timeoutMs: LONG_MS, signal })
  expect(await run(['no-such-program-of-turngraph'])).toEqual(notStarted)
  expect(await run(['true'], '/no/such/folder')).toEqual(notStarted)
  expect(await run(['./package.json'])).toEqual({ notStarted: 'the file is not executable' })
  expect(await run(['echo', 'a\0b'])).toMatchObject({ notStarted: expect.stringContaining('null bytes') })
})

test('the tail of an output has no secrets and no commands to a terminal', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const { outputTail } = await ended(`printf '\\033[31mred\\033[0m token ${secret}\\n'`)
  expect(outputTail).toMatch(/^red token /)
  expect(outputTail).not.toContain(secret)
})

test('a command does not get the access of this process to the service', async () => {
  vi.stubEnv('TURNGRAPH_TOKEN', 'token-of-an-observer')
  vi.stubEnv('TURNGRAPH_NEO4J_PASSWORD', 'password-of-the-graph')
  vi.stubEnv('TURNGRAPH_PROJECT', 'shop')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { outputTail } = await ended('echo "[$TURNGRAPH_TOKEN$TURNGRAPH_NEO4J_PASSWORD] $TURNGRAPH_PROJECT"')
  expect(outputTail).toBe('[] shop')
})
