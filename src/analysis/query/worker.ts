// The program of the process that runs queries. It takes orders from its parent and answers each of them.
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { asTurngraphError, type ErrorBody, TurngraphError } from '../../core/errors.ts'
import type { Neo4jOptions, Params } from '../../graph/port.ts'
import type { Bounds, Reader, Rows } from './reader.ts'
import { refuseByPlan } from './refuse.ts'

/** An order to the process: the first one names the graph to open, each further one is a query. */
export type Order =
  | { open: { engine: 'neo4j'; options: Neo4jOptions } | { engine: 'embedded'; file: string } }
  | { query: string; params: Params; bounds: Bounds }

/** The answer to an order. `tooMuchMemory` comes without an order and is the last message. */
export type Answer =
  | { opened: true }
  | { answered: Rows & { elapsedMs: number } }
  | { failed: ErrorBody['error'] }
  | { tooMuchMemory: true }

/** Memory that the process may use in addition to the opened graph. */
const MEMORY_BYTES = 512 * 1024 * 1024
const LOOK_EVERY_MS = 20

let reader: Reader | null = null
let fullMemory = Number.POSITIVE_INFINITY

/** Serves only if the process was started with this file. A module that imports the file is not affected. */
const [, started, folder] = process.argv
if (started === fileURLToPath(import.meta.url) && folder !== undefined) serve(folder)

/** Answers orders. The engine writes its files to `folder`, which is removed when the process ends. */
function serve(folder: string): void {
  process.on('message', (order: Order) => {
    answerTo(order).then(
      (answer) => send(answer),
      (error: unknown) => send({ failed: asTurngraphError(error).toWire().error }),
    )
  })
  // The parent is gone, perhaps before this process could listen, and cannot remove the folder.
  const end = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    process.exit(0)
  }
  process.on('disconnect', end)
  if (!process.connected) end()
  // A terminal sends these signals to all of its processes, but only the parent decides when to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  // An engine allocates the memory of a query outside of V8's heap, so V8's limit does not apply.
  setInterval(() => {
    if (process.memoryUsage.rss() < fullMemory) return
    fullMemory = Number.POSITIVE_INFINITY
    send({ tooMuchMemory: true })
  }, LOOK_EVERY_MS).unref()
}

async function answerTo(order: Order): Promise<Answer> {
  if ('open' in order) {
    await reader?.close()
    reader = await openReader(order.open)
    fullMemory = process.memoryUsage.rss() + MEMORY_BYTES
    return { opened: true }
  }
  if (reader === null) throw new TurngraphError('internal', 'The process of queries was not opened.')
  const began = performance.now()
  const { query, params, bounds } = order
  const plan = await reader.plan(query, params, bounds)
  refuseByPlan(reader.engine, plan)
  const timeoutMs = Math.max(1, Math.round(bounds.timeoutMs - (performance.now() - began)))
  const rows = await reader.run(query, params, { ...bounds, timeoutMs }, plan.bookmarks)
  const elapsedMs = Math.round(performance.now() - began)
  return { answered: { ...rows, elapsedMs } }
}

async function openReader(source: Extract<Order, { open: unknown }>['open']): Promise<Reader> {
  if (source.engine === 'neo4j') return new (await import('./neo4j-reader.ts')).Neo4jReader(source.options)
  return new (await import('./embedded-reader.ts')).EmbeddedReader(source.file)
}

function send(answer: Answer): void {
  process.send?.(answer)
}
