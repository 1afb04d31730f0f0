import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { openGraph } from '../../src/graph/open.ts'
import { startService } from '../../src/http/service.ts'
import { loadConfig } from '../../src/platform/config.ts'
import { readServerFile } from '../../src/platform/data-folder/server-file.ts'
import { createLog } from '../../src/platform/log.ts'
import { cli } from '../faults/harness/service-process.ts'
import { type Ran, runInProcess } from './in-process.ts'

export type { Ran } from './in-process.ts'

type Environment = Record<string, string>
type Given = {
  environment?: Environment
  input?: string
  cwd?: string
  stdin?: 'pipe' | number | Socket
  stdout?: 'pipe' | number
  /** A command that replaces itself by the started one: `exec "$@"`. */
  wrapper?: readonly string[]
}

/** Waits until a process has ended. A zombie has ended, too. */
export async function untilGone(pid: string): Promise<void> {
  expect(Number(pid)).toBeGreaterThan(1)
  for (;;) {
    try {
      if (/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return
    } catch {
      return
    }
    await sleep(20)
  }
}

/** Creates a folder for this test, which is deleted after it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-e2e-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

/** Prefix of a command that removes root's permission to read and write every file. */
export const AS_OTHERS =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []

/** Splits a command into the arguments of `turngraph`; null if it needs a shell. */
export function splitArguments(command: string): string[] | null {
  const words = /^(?:npx )?turngraph((?: +(?:'[^']*'|"[^"$`\\\\]*"|[\w./:,=@%+-]+))*)$/.exec(command)?.[1]
  return words?.match(/'[^']*'|"[^"]*"|[^ ]+/g)?.map((word) => word.replace(/^(['"])(.*)\1$/, '$2')) ?? null
}

function environmentOf(data: string, environment: Environment): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(TURNGRAPH_.*|DISPLAY|WAYLAND_DISPLAY)$/.test(name), // with a display, `open` opens a browser
  )
  return { ...Object.fromEntries(inherited), TURNGRAPH_DATA: path.join(data, 'graph'), ...environment }
}

/** Returns the command line of a user whose data folder is `data`, without our own environment. */
export function commandsOn(data: string) {
  const start = (args: readonly string[], given: Given = {}): ChildProcess => {
    const { environment = {}, cwd = data, stdin = 'pipe', stdout = 'pipe', wrapper = [] } = given
    const env = environmentOf(data, environment)
    const [command = '', ...rest] = [...wrapper, process.execPath, cli, ...args]
    return spawn(command, rest, { cwd, env, stdio: [stdin, stdout, 'pipe'] })
  }
  const spawned = (args: readonly string[], given: Given = {}): Promise<Ran> => {
    const child = start(args, given)
    child.stdin?.end(given.input ?? '')
    return ended(child)
  }
  return {
    folder: path.join(data, 'graph'),
    start,
    spawn: spawned,
    /**
     * Runs a command in the process of the tests, which takes a tenth of the time of a new process. A command that needs
     * a process of its own uses `spawn`.
     */
    run(args: readonly string[], given: Given = {}): Promise<Ran> {
      const { environment = {}, cwd = data, input, stdin, stdout, wrapper } = given
      return stdin === undefined && stdout === undefined && wrapper === undefined
        ? runInProcess(args, { environment: environmentOf(data, environment), input, cwd })
        : spawned(args, given)
    },
    /**
     * Starts the service of `serve` on a free port in the process of the tests, and closes it at the end of the test. A test
     * that needs a separate process uses `serve`.
     */
    async startService(environment: Environment = {}): Promise<{ url: string }> {
      const config = loadConfig({ ...environmentOf(data, environment), TURNGRAPH_PORT: '0' })
      const service = await startService({
        config,
        graph: await openGraph(config.store),
        log: createLog('silent'),
      })
      onTestFinished(() => service.close())
      return { url: service.url }
    },
    /** Starts `serve` on a free port and waits until it can be reached. */
    async serve(args: readonly string[] = [], environment: Environment = {}) {
      const child = start(['serve', '--port', '0', ...args], { environment })
      const end = ended(child)
      onTestFinished(() => void child.kill('SIGKILL'))
      const url = await untilServed(child, path.join(data, 'graph'))
      return { child, end, url }
    },
  }
}

async function ended(child: ChildProcess): Promise<Ran> {
  const { stdout, stderr } = child
  if (stderr === null) throw new Error('the command has no pipes')
  const [out, err] = await Promise.all([
    stdout === null ? '' : text(stdout),
    text(stderr),
    once(child, 'close'),
  ])
  return { code: child.exitCode ?? null, stdout: out, stderr: err }
}

async function untilServed(child: ChildProcess, folder: string): Promise<string> {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}`)
    const named = readServerFile(folder)
    if (named !== null && named.pid === child.pid) {
      const ready = await fetch(`${named.url}/readyz`).catch(() => null)
      if (ready?.status === 200) return named.url
    }
    await sleep(50)
  }
  throw new Error('serve was not ready within 30 s')
}
