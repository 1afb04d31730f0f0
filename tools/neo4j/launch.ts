// Starts the process of a server, and ends it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ClassArchive, classArchive } from './class-archive.ts'
import { renderConfiguration, type ServerConfiguration } from './configuration.ts'
import type { Distribution } from './distribution.ts'
import { isFree } from './free-port.ts'
import { guardAgainstOrphan } from './guard.ts'
import { untilReady } from './readiness.ts'

export interface LaunchOptions extends ServerConfiguration {
  readonly distribution: Distribution
  readonly url: string
  readonly password: string | undefined
  readonly jvmFlags: readonly string[]
  /** True if the folder is removed when this process dies. Such a server also leaves a class archive. */
  readonly temporary: boolean
}

export interface ServerProcess {
  readonly pid: number
  /** Sends the signal and waits for the end; SIGKILL follows if a SIGTERM has not worked within 60 s. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Lets the server outlive this process. */
  release(): void
}

const readyTimeoutMs = 120_000
const stopTimeoutMs = 60_000

/** Starts a server on a folder, which may already contain data, and returns when it answers queries. */
export async function launch(options: LaunchOptions): Promise<ServerProcess> {
  const { folder, port } = options
  if (!(await isFree(port))) throw new Error(`port ${port} is taken`)
  const log = join(folder, 'logs', 'console.log')
  const archive = classArchive(options.distribution, options.temporary)
  const child = await spawnServer(options, archive, log)
  const gone = new AbortController()
  child.once('exit', () => gone.abort())
  const server = serverProcess(child, archive, options.temporary ? folder : undefined)
  try {
    await untilReady(options, gone.signal, readyTimeoutMs)
    return server
  } catch (cause) {
    await server.end('SIGKILL')
    const reason = cause instanceof Error ? cause.message : String(cause)
    const tail = (await readFile(log, 'utf8')).trimEnd().split('\n').slice(-20).join('\n')
    const { number } = options.distribution.release
    throw new Error(`Neo4j ${number} did not start: ${reason}\nIts last words:\n${tail}`, { cause })
  }
}

async function spawnServer(
  options: LaunchOptions,
  archive: ClassArchive,
  log: string,
): Promise<ChildProcess> {
  const { folder, distribution } = options
  for (const name of ['conf', 'logs', 'plugins', 'import']) {
    await mkdir(join(folder, name), { recursive: true })
  }
  await writeFile(join(folder, 'conf', 'neo4j.conf'), renderConfiguration(options))
  const output = await open(log, 'w')
  try {
    // Detached, so that Ctrl+C in a terminal does not end the server: its owner does.
    const child = spawn(distribution.java, javaArguments(options, archive), {
      cwd: folder,
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    })
    await once(child, 'spawn')
    child.unref()
    return child
  } finally {
    await output.close()
  }
}

function javaArguments({ distribution, folder, jvmFlags }: LaunchOptions, archive: ClassArchive): string[] {
  const { release, lib } = distribution
  return [
    '-Xms256m',
    '-Xmx1g',
    '-XX:+UseG1GC',
    '-XX:-OmitStackTraceInFastThrow',
    '--add-opens=java.base/java.nio=ALL-UNNAMED',
    '--add-opens=java.base/java.io=ALL-UNNAMED',
    '--add-opens=java.base/sun.nio.ch=ALL-UNNAMED',
    '--add-opens=java.base/java.util.concurrent=ALL-UNNAMED',
    '-Dio.netty.tryReflectionSetAccessible=true',
    '-Djol.skipHotspotSAAttach=true',
    '-Dlog4j2.disable.jmx=true',
    '-Dfile.encoding=UTF-8',
    ...release.jvmFlags,
    ...archive.jvmFlags,
    ...jvmFlags,
    '-cp',
    join(lib, '*'),
    release.mainClass,
    `--home-dir=${folder}`,
    `--config-dir=${join(folder, 'conf')}`,
    '--console-mode',
  ]
}

function serverProcess(
  child: ChildProcess,
  archive: ClassArchive,
  temporaryFolder: string | undefined,
): ServerProcess {
  const { pid } = child
  if (pid === undefined) throw new Error('a spawned process has a pid')
  const release = guardAgainstOrphan(pid, temporaryFolder)
  child.once('exit', release)
  // Neo4j turns a SIGTERM into exit code 0; any other end leaves a partial archive, or one of a partial
  // start.
  const closed = once(child, 'exit').then(() => archive.publish(child.exitCode === 0))
  return {
    pid,
    release,
    async end(signal) {
      child.ref() // waiting for an unreferenced child would let this process end first
      child.kill(signal)
      const force = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
      await closed
      clearTimeout(force)
    },
  }
}
