import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as nodeRequest } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import type { Graph } from '../../src/graph/port.ts'
import { type Service, startService } from '../../src/http/service.ts'
import { loadConfig } from '../../src/platform/config.ts'
import { createLog } from '../../src/platform/log.ts'

/** `body` is the parsed JSON, or the text. */
type Answer = { status: number; headers: Headers; body: ReturnType<JSON['parse']> }

export type Started = {
  service: Service
  graph: Graph
  dataFolder: string
  /** The token of the data folder, or an empty string if TURNGRAPH_AUTH is off. */
  token: string
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
}

export type AtEnd = (end: () => Promise<void> | void) => void

type CallOptions = { body?: unknown; headers?: Record<string, string>; token?: string | null }

/** Starts a real service on a free loopback port, with a graph in memory. It ends with the test, or at `atEnd`. */
export async function start(
  environment: Record<string, string> = {},
  {
    graph = EmbeddedGraph.open({ folder: null }) as Graph,
    atEnd = onTestFinished as AtEnd,
    dataFolder = newFolder(atEnd),
    log = createLog('silent'),
  } = {},
): Promise<Started> {
  const config = loadConfig({
    TURNGRAPH_STORE: 'embedded:memory',
    TURNGRAPH_DATA: dataFolder,
    TURNGRAPH_PORT: '0',
    ...environment,
  })
  const service = await startService({ config, graph, log })
  atEnd(() => service.close())
  const token = config.auth === 'off' ? '' : readFileSync(path.join(dataFolder, 'token'), 'utf8').trim()
  const call = (method: string, route: string, options: CallOptions = {}) =>
    callAt(`${service.url}${route}`, method, { token, ...options })
  return { service, graph, dataFolder, token, call }
}

/** Ends the things that the tests of a suite share after the last test, in the opposite order of their starts. */
export function atEndOfSuite(): AtEnd {
  const ends: Parameters<AtEnd>[0][] = []
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return (end) => void ends.unshift(end)
}

/** Starts a service for all tests of a suite that only read it, because filling it takes longer than a test. */
export function useService(
  fill: (started: Started) => Promise<unknown>,
  environment: Record<string, string> = {},
): () => Started {
  const atEnd = atEndOfSuite()
  let started: Started | null = null
  beforeAll(async () => {
    started = await start(environment, { atEnd })
    await fill(started)
  })
  return () => {
    if (started === null) throw new Error('the service is not started')
    return started
  }
}

export function newFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-http-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file for TURNGRAPH_TOKENS. */
export function tokensFile(
  entries: { name: string; token: string; scopes: string[]; project?: string }[],
): string {
  const file = path.join(newFolder(), 'tokens.json')
  const listed = entries.map(({ token, ...entry }) => ({
    ...entry,
    sha256: createHash('sha256').update(token).digest('hex'),
  }))
  writeFileSync(file, JSON.stringify(listed))
  return file
}

/** Sends a request. A string body is sent unchanged, any other as JSON. */
async function callAt(url: string, method: string, { body, headers, token }: CallOptions): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    body: json && text !== '' ? JSON.parse(text) : text,
  }
}

/** Sends a request with this Host header, which fetch does not allow. */
export function callWithHost(
  started: Started,
  host: string,
  headers: Record<string, string> = {},
  route = '/v1/worlds',
): Promise<number> {
  return new Promise((resolve, reject) => {
    nodeRequest(`${started.service.url}${route}`, { headers: { host, ...headers }, agent: false }, (res) => {
      res.resume()
      resolve(res.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

/** Creates a minimal valid record. */
export const record = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  feature_id: 'FEAT-1',
  task_id: 'TASK-1',
  turn_number: 1,
  player_summary: 'Built it',
  ...fields,
})

/** The real graph behind a switch, which simulates an outage of the store. */
export class SwitchedGraph implements Graph {
  readonly engine = 'embedded'
  #graph: Graph = EmbeddedGraph.open({ folder: null })
  /** Awaited before each statement. If it throws, the store is away; if it waits, the store is slow. */
  gate: () => Promise<void> = async () => {}

  /** Blocks the next statement until `letGo` is called. Later statements pass. */
  hold(): { entered: Promise<void>; letGo: () => void } {
    let letGo = () => {}
    const entered = new Promise<void>((seen) => {
      this.gate = () => {
        this.gate = async () => {}
        seen()
        return new Promise((resolve) => {
          letGo = resolve
        })
      }
    })
    return { entered, letGo: () => letGo() }
  }

  get source() {
    return this.#graph.source
  }

  async read(...args: Parameters<Graph['read']>) {
    await this.gate()
    return this.#graph.read(...args)
  }
  async readLong(...args: Parameters<Graph['readLong']>) {
    await this.gate()
    return this.#graph.readLong(...args)
  }
  async write(...args: Parameters<Graph['write']>) {
    await this.gate()
    return this.#graph.write(...args)
  }
  async transact<T>(work: Parameters<Graph['transact']>[0], deadline?: number) {
    await this.gate()
    return this.#graph.transact(work, deadline) as Promise<T | null>
  }
  async schema(...args: Parameters<Graph['schema']>) {
    await this.gate()
    return this.#graph.schema(...args)
  }
  async health() {
    await this.gate()
    return this.#graph.health()
  }
  close() {
    return this.#graph.close()
  }
  async replaceByEmpty() {
    await this.#graph.close()
    this.#graph = EmbeddedGraph.open({ folder: null })
  }
}
