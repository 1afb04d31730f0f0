/**
 * Asks the running service from a hook. Loads no package, and no command that opens the graph itself: either takes
 * longer to load than a hook may take.
 */
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { parseJson } from '../core/parse-json.ts'
import { systemCode } from '../core/system-code.ts'
import { isAlive } from './is-alive.ts'

type HookService = { url: string; token: string | null; waitMs: number }

/** Nobody answered, or the answer is no help: the message says why, for the user. */
export class NoAnswer extends Error {}

/** A hook has 200 ms in all; Node itself takes about 50 of them to start; a machine that is slower is given more. */
const WAIT_MS = 150

/**
 * The service of TURNGRAPH_URL, else the one that runs on the data folder, with the token that commands use.
 *
 * @throws NoAnswer
 */
export function findService(dataFolder: string, environment: NodeJS.ProcessEnv): HookService {
  const url = environment.TURNGRAPH_URL || servedAt(dataFolder)
  const token = environment.TURNGRAPH_TOKEN || readIfThere(path.join(dataFolder, 'token'))?.trim()
  const waitMs = Number(environment.TURNGRAPH_HOOK_WAIT_MS) || WAIT_MS
  return { url: url.replace(/\/+$/, ''), token: token ?? null, waitMs }
}

function servedAt(dataFolder: string): string {
  const named = readIfThere(path.join(dataFolder, 'server.json'))
  const { pid, url } = Object(named === null ? null : parseJson(named)) as Record<string, unknown>
  // Where its process is gone, the port may be somebody else's, who must not be shown the token.
  if (typeof pid === 'number' && typeof url === 'string' && isAlive(pid)) return url
  throw new NoAnswer(`no service runs on ${dataFolder} (start one with \`turngraph serve\`)`)
}

/** What a service is asked by one hook: all of it within the time of one. */
export class Questions {
  readonly #service: HookService
  readonly #late: AbortSignal

  constructor(service: HookService) {
    this.#service = service
    this.#late = AbortSignal.timeout(service.waitMs)
  }

  /**
   * The JSON that a route answers.
   *
   * @throws NoAnswer
   */
  async ask(route: string, fields: Readonly<Record<string, string | number>>): Promise<unknown> {
    const query = new URLSearchParams()
    for (const [field, value] of Object.entries(fields)) query.set(field, String(value))
    const { status, body } = await this.#get(`${route}?${query}`)
    if (status === 200 && body !== undefined) return body
    const { message } = Object(Object(body).error) as { message?: unknown }
    throw new NoAnswer(typeof message === 'string' ? message : `${this.#service.url} answered ${status}`)
  }

  async #get(address: string): Promise<{ status: number | undefined; body: unknown }> {
    const { url, waitMs } = this.#service
    try {
      const response = await this.#send(`${url}${address}`)
      return { status: response.statusCode, body: parseJson(await text(response)) }
    } catch (cause) {
      if (cause instanceof NoAnswer) throw cause
      const why = this.#late.aborted ? `did not answer within ${waitMs} ms` : 'cannot be reached'
      throw new NoAnswer(`${url} ${why}`, { cause })
    }
  }

  async #send(address: string): Promise<IncomingMessage> {
    const { token } = this.#service
    const send = address.startsWith('https:') ? (await import('node:https')).request : request
    const headers = {
      accept: 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    }
    return new Promise((resolve, reject) => {
      send(address, { headers, agent: false, signal: this.#late }, resolve).on('error', reject).end()
    })
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw new NoAnswer(`${file} cannot be read`, { cause: error })
  }
}
