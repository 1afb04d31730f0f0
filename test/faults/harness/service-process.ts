import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TurngraphClient } from '../../../src/client/client.ts'
import { httpClient } from '../../../src/client/http.ts'
import { readServerFile } from '../../../src/platform/data-folder/server-file.ts'
import { guardAgainstOrphan } from '../../../tools/neo4j/guard.ts'
import { type Later, until } from './scenario.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The command line in the form that users run. */
export const cli = path.join(root, 'dist', 'bin', 'main.js')

/** A service in a separate process, started like a user's, on a free loopback port. */
export type ServiceProcess = {
  readonly url: string
  readonly pid: number
  readonly client: TurngraphClient
  /** Sends SIGKILL; resolves when the process is gone and all its output has arrived. */
  kill(): Promise<void>
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
  /** Sends SIGSTOP and SIGCONT, to simulate a frozen container or a sleeping laptop. */
  freeze(): void
  thaw(): void
  /**
   * Returns the end of the standard error output that has arrived. A log line may arrive after the answer to the
   * request that caused it. All lines have arrived after {@link stop}.
   */
  output(): string
}

export type ServiceOptions = {
  dataFolder: string
  environment?: Record<string, string>
  /** The port. Default: a free one. */
  port?: number
  /** A command that runs the service, and becomes it: `exec "$@"`. */
  wrapper?: readonly string[]
  /** Called with each new output to standard error. */
  onOutput?: (text: string) => void
}

const STARTS_WITHIN_MS = 60_000

/** Resolves when it listens, which does not mean that its store answers: {@link untilReady}. */
export async function startServiceProcess(options: ServiceOptions): Promise<ServiceProcess> {
  const child = spawnCli(['serve', '--port', String(options.port ?? 0)], options, options.wrapper)
  const output = tailOf(child)
  if (options.onOutput !== undefined) child.stderr?.on('data', options.onOutput)
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  const lift = guardAgainstOrphan(pid, undefined)
  const gone = once(child, 'close').then(lift)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const end = async (signal: NodeJS.Signals) => {
    if (!hasEnded()) child.kill(signal)
    await gone
    return child.exitCode
  }
  try {
    const { url } = await until('the service listens', STARTS_WITHIN_MS, async () => {
      if (hasEnded()) throw new Error(`the service ended while starting:\n${output()}`)
      const named = readServerFile(options.dataFolder)
      return named?.pid === pid ? named : null
    })
    return {
      url,
      pid,
      client: httpClient({ url }),
      kill: async () => void (await end('SIGKILL')),
      stop: () => end('SIGTERM'),
      freeze: () => void child.kill('SIGSTOP'),
      thaw: () => void child.kill('SIGCONT'),
      output,
    }
  } catch (error) {
    await end('SIGKILL')
    throw error
  }
}

/** Runs `work` with a ready service, and stops the service afterwards. */
export async function withService<T>(
  options: ServiceOptions,
  work: (service: ServiceProcess) => Promise<T>,
): Promise<T> {
  const service = await startServiceProcess(options)
  try {
    await untilReady(service)
    return await work(service)
  } finally {
    await service.stop()
  }
}

/** Runs a command to its end. */
export async function runCli(
  args: readonly string[],
  options: ServiceOptions,
): Promise<{ exitCode: number | null; output: string }> {
  const child = spawnCli(args, options)
  const output = tailOf(child)
  await once(child, 'close')
  return { exitCode: child.exitCode, output: output() }
}

export function spawnCli(
  args: readonly string[],
  { dataFolder, environment }: ServiceOptions,
  wrapper: readonly string[] = [],
): ChildProcess {
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, cli, ...args]
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TURNGRAPH_'))
  return spawn(command, rest, {
    cwd: root,
    env: {
      ...Object.fromEntries(inherited),
      TURNGRAPH_DATA: dataFolder,
      TURNGRAPH_AUTH: 'off',
      TURNGRAPH_LOG: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

const KEPT = 16_384

export function tailOf(child: ChildProcess): () => string {
  let tail = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = `${tail}${text}`.slice(-KEPT)
  })
  return () => tail
}

export const untilReady = (service: ServiceProcess, boundMs = 60_000): Promise<unknown> =>
  until(`the service at ${service.url} is ready`, boundMs, () => isReady(service))

export async function isReady({ url }: ServiceProcess): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => null)
  await response?.body?.cancel()
  return response?.ok === true
}

/** Makes a folder that is removed with its scenario. */
export function folderOfScenario(later: Later): string {
  const { folder, remove } = temporaryFolder()
  later(remove)
  return folder
}

export function temporaryFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-chaos-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }) }
}
