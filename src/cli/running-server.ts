/** Finds the server that serves a data folder. */
import { TurngraphError } from '../core/errors.ts'
import type { Config } from '../platform/config.ts'
import { readServerFile } from '../platform/data-folder/server-file.ts'
import { readTokenFile } from '../platform/data-folder/token-file.ts'
import { isAlive } from '../platform/is-alive.ts'
import { isLoopback } from '../platform/loopback.ts'
import { knowsToken } from '../platform/service-proof.ts'

export type Server = { pid: number; url: string; ready: boolean }

const ANSWERS_WITHIN_MS = 2_000

/**
 * Finds the server that `server.json` names. Its process must live and prove that it knows the token of the folder: a kill -9
 * leaves the file behind, and another program may use the port by now.
 */
export async function runningServer({
  dataFolder,
  token: given,
}: Pick<Config, 'dataFolder' | 'token'>): Promise<Server | null> {
  const named = readServerFile(dataFolder)
  if (named === null || !isAlive(named.pid)) return null
  const { pid, url } = named
  const token = readTokenFile(dataFolder) ?? given
  if (token === null || !(await isProven(url, token))) return null
  return { pid, url, ready: (await askStatus(`${url}/readyz`)) === 200 }
}

async function isProven(url: string, token: string): Promise<boolean> {
  try {
    return await knowsToken(url, token, { isLocal: true, timeoutMs: ANSWERS_WITHIN_MS })
  } catch {
    return false // no answer at the address
  }
}

/**
 * Makes sure that a service on a loopback address knows the token before the command sends data: any program of this machine can
 * take the port of a service that ended.
 * @throws `unauthorized` if the service does not know the token, `store_unavailable` if the address does not answer
 */
export async function requireProof(
  { auth }: Pick<Config, 'auth'>,
  url: string,
  token: string | null,
): Promise<void> {
  if (auth === 'off' || !isLoopback(new URL(url).hostname)) return
  const checkedToken = token ?? crypto.randomUUID() // without a token, the request only checks that the address answers
  const isKnown = await knowsToken(url, checkedToken, { isLocal: false, timeoutMs: ANSWERS_WITHIN_MS }).catch(
    (cause: unknown) => {
      throw new TurngraphError('store_unavailable', `The service at ${url} cannot be reached.`, {
        hint: 'Start it (`turngraph serve`), or set TURNGRAPH_URL to where it is.',
        cause,
      })
    },
  )
  if (isKnown) return
  if (token === null) {
    throw new TurngraphError('unauthorized', `There is no token for ${url}, so no data was sent to it.`, {
      hint: 'Set TURNGRAPH_TOKEN, or TURNGRAPH_AUTH=off if that service needs no token.',
    })
  }
  throw new TurngraphError(
    'unauthorized',
    `The token may be wrong: ${url} did not prove that it knows this token, so no data was sent to it.`,
    { hint: 'Check TURNGRAPH_URL and TURNGRAPH_TOKEN.' },
  )
}

async function askStatus(url: string): Promise<number | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
    await response.body?.cancel()
    return response.status
  } catch {
    return null // no answer at the address counts as no server
  }
}
