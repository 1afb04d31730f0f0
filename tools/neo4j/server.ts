// Runs a server for the time of a process, as tests do.
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { provideDistribution } from './distribution.ts'
import { freePort } from './free-port.ts'
import { type LaunchOptions, launch } from './launch.ts'
import type { Neo4jVersion } from './releases.ts'

export interface Neo4jOptions {
  version: Neo4jVersion
  /** Where data and logs live; kept at stop(). Without one, a temporary folder that stop() removes. */
  folder?: string
  /** A free one by default. Always on the loopback. */
  port?: number
  /** Turns authentication on, for the user `neo4j` with this password (at least 8 characters). */
  password?: string
  /** Lines of neo4j.conf to set; an empty value removes the line, so that Neo4j's own default holds. */
  settings?: Record<string, string>
  /** Further flags of the JVM. */
  jvmFlags?: readonly string[]
}

export interface Neo4jServer {
  readonly url: string
  readonly port: number
  /** Of the process that runs, or ran last: restart() changes it. */
  readonly pid: number
  readonly folder: string
  readonly user: string
  /** Empty when authentication is off. */
  readonly password: string
  /** An orderly end; a temporary folder is removed. Harmless when repeated. */
  stop(): Promise<void>
  /** SIGKILL, as a crash would be. The folder stays, for restart(). */
  kill(): Promise<void>
  /** Starts again on the same folder and port, after an orderly end if it still runs. */
  restart(): Promise<void>
}

/**
 * Runs a real Neo4j and returns when it answers queries. It does not outlive this process.
 *
 * @example
 * const server = await startNeo4j({ version: 'lts' })
 * const driver = neo4j.driver(server.url)
 * // ...
 * await driver.close()
 * await server.stop()
 */
export async function startNeo4j(options: Neo4jOptions): Promise<Neo4jServer> {
  const launchOptions = await prepare(options)
  const { folder, port, url, temporary } = launchOptions
  const removeTemporary = async () => {
    if (temporary) await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  let running = await launch(launchOptions).catch(async (error: unknown) => {
    await removeTemporary()
    throw error
  })
  return {
    url,
    port,
    folder,
    user: 'neo4j',
    password: options.password ?? '',
    get pid() {
      return running.pid
    },
    async stop() {
      await running.end('SIGTERM')
      await removeTemporary()
    },
    kill: () => running.end('SIGKILL'),
    async restart() {
      await running.end('SIGTERM')
      running = await launch(launchOptions)
    },
  }
}

/** The part of a start that restart() does not repeat. */
export async function prepare(options: Neo4jOptions): Promise<LaunchOptions> {
  const distribution = await provideDistribution(options.version)
  const port = options.port ?? (await freePort())
  const temporary = options.folder === undefined
  const wanted = options.folder ?? (await mkdtemp(join(tmpdir(), 'turngraph-neo4j-')))
  await mkdir(wanted, { recursive: true })
  const folder = await realpath(wanted) // one name for it: the server is recognised by its folder
  return {
    distribution,
    port,
    url: `bolt://127.0.0.1:${port}`,
    folder,
    temporary,
    auth: options.password !== undefined,
    password: options.password,
    settings: { ...distribution.release.settings, ...options.settings },
    jvmFlags: options.jvmFlags ?? [],
  }
}
