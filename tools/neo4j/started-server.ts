// Stores the servers that the command line has started.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { Neo4jVersion } from './releases.ts'
import { isErrno, signal } from './signal.ts'

const StartedServer = z.object({ pid: z.int().positive(), url: z.string(), folder: z.string() })

/** A server that the command line has started, as stored for `stop` and `status`. */
export type StartedServer = z.infer<typeof StartedServer>

const thisCheckout = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Returns the data folder. Each checkout has separate servers: otherwise two clones would write into one
 * graph, and the `stop` of one would end the server of the other. Each version has a separate folder: a newer
 * server migrates the data, and the older one could not read it afterwards.
 */
export function dataFolder(version: Neo4jVersion, checkout = thisCheckout): string {
  return join(checkout, '.neo4j', version)
}

/** Returns the server of this version that the command line has started, if it still runs. */
export function startedServer(version: Neo4jVersion): StartedServer | undefined {
  const path = stateFile(version)
  if (!existsSync(path)) return undefined
  const server = StartedServer.parse(JSON.parse(readFileSync(path, 'utf8')))
  return runs(server) ? server : undefined
}

export async function remember(version: Neo4jVersion, server: StartedServer): Promise<void> {
  const path = stateFile(version)
  await writeFile(`${path}.${process.pid}`, `${JSON.stringify(server)}\n`)
  await rename(`${path}.${process.pid}`, path) // a concurrent `status` never reads a partial file
}

/** Ends exactly this server, and returns when its process is gone. */
export async function endStarted(version: Neo4jVersion, server: StartedServer): Promise<void> {
  const forceAt = Date.now() + 60_000
  if (runs(server)) signal(server.pid, 'SIGTERM')
  while (runs(server)) {
    if (Date.now() > forceAt) signal(server.pid, 'SIGKILL')
    await sleep(100)
  }
  await rm(stateFile(version), { force: true })
}

/**
 * A pid is no proof: after a reboot, another process may have it. Only our server has this folder as its
 * home.
 */
function runs({ pid, folder }: StartedServer): boolean {
  return commandLine(pid).includes(` --home-dir=${folder} `)
}

/**
 * Returns the command line of a process; empty if it has ended, even if its parent has not waited for it yet.
 */
function commandLine(pid: number): string {
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    } catch (error) {
      if (isErrno(error, 'ENOENT') || isErrno(error, 'ESRCH')) return '' // ESRCH: it ended between open and read
      throw error
    }
  }
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout
}

function stateFile(version: Neo4jVersion): string {
  return `${dataFolder(version)}.json`
}
