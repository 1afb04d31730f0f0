// Runs a server for the lifetime of a process, as tests do.
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { provideDistribution } from './distribution.ts'
import { freePort } from './free-port.ts'
import { type LaunchOptions, launch } from './launch.ts'
import type { Neo4jVersion } from './releases.ts'

export interface Neo4jOptions {
  version: Neo4jVersion
  /** Folder of data and logs; kept at stop(). The default is a temporary folder, which stop() removes. */
  folder?: string
  /** A port on the loopback; the default is a free one. */
  port?: number
  /** Enables authentication for the user `neo4j` with this password (at least 8 characters). */
  password?: string
  /** Lines of neo4j.conf to set; an empty value removes the line, so that Neo4j's own default applies. */
  settings?: Record<string, string>
  /** Additional flags of the JVM. */
  jvmFlags?: readonly string[]
}

export interface Neo4jServer {
  readonly url: string
  readonly port: number
  /** The id of the current process, or of the last one: restart() changes it. */
  readonly pid: number
  readonly folder: string
  readonly user: string
  /** Empty if authentication is off. */
  readonly password: string
  /** Stops the server normally and removes a temporary folder. A repeated call does nothing. */
  stop(): Promise<void>
  /** Sends SIGKILL, like a crash. The folder stays for restart(). */
  kill(): Promise<void>
  /** Starts the server again on the same folder and port. Stops it normally first if it still runs. */
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

/** Prepares a start: restart() does not repeat this part. */
export async function prepare(options: Neo4jOptions): Promise<LaunchOptions> {
  const distribution = await provideDistribution(options.version)
  const port = options.port ?? (await freePort())
  const temporary = options.folder === undefined
  const wanted = options.folder ?? (await mkdtemp(join(tmpdir(), 'turngraph-neo4j-')))
  await mkdir(wanted, { recursive: true })
  const folder = await realpath(wanted) // one canonical name: the server is recognized by its folder
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
