/** Finds the server that serves a data folder. */
import { readServerFile } from '../platform/data-folder/server-file.ts'
import { isAlive } from './is-alive.ts'

export type Server = { pid: number; url: string; ready: boolean }

const ANSWERS_WITHIN_MS = 2_000

/**
 * The server that `server.json` names, if it lives: its process and its address must both answer. A kill -9
 * leaves the file behind, and its process id or port may belong to somebody else by now.
 */
export async function runningServer(dataFolder: string): Promise<Server | null> {
  const named = readServerFile(dataFolder)
  if (named === null || !isAlive(named.pid)) return null
  const { pid, url } = named
  if (!(await isServing(url))) return null
  return { pid, url, ready: (await askStatus(`${url}/readyz`)) === 200 }
}

/** Whether a service answers at an address. */
export const isServing = async (url: string): Promise<boolean> => (await askStatus(`${url}/healthz`)) === 200

async function askStatus(url: string): Promise<number | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
    await response.body?.cancel()
    return response.status
  } catch {
    return null // nobody answers there: the same as no server
  }
}
