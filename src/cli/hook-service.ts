/** Calls the running service from a hook. Loads no package and no graph, because either takes longer than a hook may take. */
import { type IncomingMessage, request } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { parseJson } from '../core/parse-json.ts'
import { readOwnFile, UntrustedFile } from '../platform/data-folder/own-file.ts'
import { isAlive } from '../platform/is-alive.ts'
import { isLoopback } from '../platform/loopback.ts'
import { isServiceAddress, knowsToken } from '../platform/service-proof.ts'

type HookService = { url: string; token: string | null; waitMs: number; late: AbortSignal }

/** Error of a service that did not answer or answered with an error. The message gives the reason to the user. */
export class NoAnswer extends Error {}

/** A hook has 200 ms in all, and Node itself takes about 50 of them to start. */
export const WAIT_MS = 150

/** Time limit at the start of a session. It is longer: a session starts once, and an agent without memory repeats work. */
export const START_WAIT_MS = 2_000

/**
 * Finds the service of TURNGRAPH_URL, otherwise the one of the data folder, and the token of commands. A service on a loopback
 * address must first prove that it knows the token (src/platform/service-proof.ts). @throws NoAnswer
 */
export async function findService(
  dataFolder: string,
  environment: NodeJS.ProcessEnv,
  defaultWaitMs: number,
): Promise<HookService> {
  const waitMs = Number(environment.TURNGRAPH_HOOK_WAIT_MS) || defaultWaitMs
  const began = performance.now()
  const late = AbortSignal.timeout(waitMs)
  const ownToken = readOwn(path.join(dataFolder, 'token'))?.trim() ?? null
  const named = environment.TURNGRAPH_URL?.replace(/\/+$/, '') || null
  const url = named ?? servedAt(dataFolder)
  if (!isServiceAddress(url))
    throw new NoAnswer('TURNGRAPH_URL must be an address without a user and a password')
  const token = environment.TURNGRAPH_TOKEN || ownToken
  const isAuthOff = named !== null && environment.TURNGRAPH_AUTH === 'off'
  if (isLoopback(new URL(url).hostname) && !isAuthOff) {
    const known = named === null ? (ownToken ?? token) : token
    if (known === null) throw new NoAnswer(`there is no token for ${url}`)
    const leftMs = Math.max(1, Math.floor(waitMs - (performance.now() - began)))
    await requireProof(url, known, { isLocal: named === null, timeoutMs: leftMs }, waitMs)
  }
  return { url, token, waitMs, late }
}

async function requireProof(
  url: string,
  token: string,
  options: { isLocal: boolean; timeoutMs: number },
  waitMs: number,
): Promise<void> {
  const isKnown = await knowsToken(url, token, options).catch((cause: unknown) => {
    const isLate = cause instanceof Error && ['AbortError', 'TimeoutError'].includes(cause.name)
    const why = isLate ? `did not answer within ${waitMs} ms` : 'cannot be reached'
    throw new NoAnswer(`${url} ${why}`, { cause })
  })
  if (!isKnown) throw new NoAnswer(`the token may be wrong: ${url} did not prove that it knows this token`)
}

function servedAt(dataFolder: string): string {
  const text = readOwn(path.join(dataFolder, 'server.json'))
  const { pid, url } = Object(text === null ? null : parseJson(text)) as Record<string, unknown>
  const isUsable = typeof pid === 'number' && typeof url === 'string' && URL.canParse(url) && isAlive(pid)
  if (!isUsable) throw new NoAnswer(`no service runs on ${dataFolder} (start one with \`turngraph serve\`)`)
  if (isLoopback(new URL(url).hostname)) return url
  throw new NoAnswer(`server.json in ${dataFolder} names ${url}, which is not on this machine`)
}

/** Returns the JSON answer of a route. The time limit applies to all requests of the hook together. @throws NoAnswer */
export async function askService(
  { url, token, waitMs, late }: HookService,
  route: string,
  fields: Readonly<Record<string, string | number>>,
): Promise<unknown> {
  const query = new URLSearchParams()
  for (const [field, value] of Object.entries(fields)) query.set(field, String(value))
  const { status, body } = await get(`${url}${route}?${query}`, token, late).catch((cause: unknown) => {
    const why = late.aborted ? `did not answer within ${waitMs} ms` : 'cannot be reached'
    throw new NoAnswer(`${url} ${why}`, { cause })
  })
  if (status === 200 && body !== undefined) return body
  const { message } = Object(Object(body).error) as { message?: unknown }
  throw new NoAnswer(typeof message === 'string' ? message : `${url} answered ${status}`)
}

async function get(address: string, token: string | null, signal: AbortSignal) {
  const send = address.startsWith('https:') ? (await import('node:https')).request : request
  const headers = { accept: 'application/json', ...(token !== null && { authorization: `Bearer ${token}` }) }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    send(address, { headers, agent: false, signal }, resolve).on('error', reject).end()
  })
  return { status: response.statusCode, body: parseJson(await text(response)) }
}

function readOwn(file: string): string | null {
  try {
    return readOwnFile(file, '')
  } catch (error) {
    const why = error instanceof UntrustedFile ? error.message : `${file} cannot be read`
    throw new NoAnswer(why, { cause: error })
  }
}
