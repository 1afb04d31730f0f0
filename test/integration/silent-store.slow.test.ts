/** A server that speaks Bolt, but does not answer: a frozen Neo4j, a proxy without a backend, a database that was replaced. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Neo4jReader } from '../../src/analysis/query/neo4j-reader.ts'
import { Queries } from '../../src/analysis/query/queries.ts'
import { Neo4jGraph } from '../../src/graph/neo4j.ts'

/** Text and map of PackStream. */
const text = (value: string) => Buffer.concat([Buffer.from([0xd0, value.length]), Buffer.from(value)])
const map = (entries: [string, Buffer][]) =>
  Buffer.concat([
    Buffer.from([0xa0 + entries.length]),
    ...entries.flatMap(([key, value]) => [text(key), value]),
  ])

/** SUCCESS with the metadata that the driver needs from any message of a statement without columns. */
function success(bookmark: string): Buffer {
  const metadata: [string, Buffer][] = [
    ['server', text('Neo4j/5.26.0')],
    ['connection_id', text('1')],
    ['fields', Buffer.from([0x90])],
    ['bookmark', text(bookmark)],
  ]
  const message = Buffer.concat([Buffer.from([0xb1, 0x70]), map(metadata)])
  return Buffer.concat([Buffer.from([0, message.length]), message, Buffer.from([0, 0])])
}

/** Encodes the message FAILURE for a transaction that an administrator terminated. */
function terminated(): Buffer {
  const metadata: [string, Buffer][] = [
    ['code', text('Neo.TransientError.Transaction.Terminated')],
    ['message', text('The transaction has been terminated.')],
  ]
  const message = Buffer.concat([Buffer.from([0xb1, 0x7f]), map(metadata)])
  return Buffer.concat([Buffer.from([0, message.length]), message, Buffer.from([0, 0])])
}

type Behavior = {
  answersLogins: boolean
  bookmark: string
  waitsFor?: string
  terminates?: string
  runs?: number
}

/**
 * Starts a server of Bolt 5.4. It never answers a message that contains the text `waitsFor`. It answers a message that contains the
 * text `terminates` with a failure, and counts such messages in `runs`.
 */
async function startServer(behavior: Behavior): Promise<string> {
  const speak = (socket: Socket) => {
    let received = Buffer.alloc(0)
    let isGreeted = false
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    if (!behavior.answersLogins) return
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      if (!isGreeted && received.length >= 20) {
        isGreeted = true
        received = received.subarray(20)
        socket.write(Buffer.from([0, 0, 4, 5]))
      }
      while (isGreeted && received.length > 2) {
        const end = received.readUInt16BE() + 4 // a message is one chunk here, between its length and two zeros
        if (received.length < end) return
        if (behavior.waitsFor !== undefined && received.subarray(0, end).includes(behavior.waitsFor))
          return void socket.removeAllListeners('data')
        const ends =
          behavior.terminates !== undefined && received.subarray(0, end).includes(behavior.terminates)
        if (ends) behavior.runs = (behavior.runs ?? 0) + 1
        received = received.subarray(end)
        socket.write(ends ? terminated() : success(behavior.bookmark))
      }
    })
  }
  const server = createServer(speak).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `bolt://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function open(behavior: Behavior, poolSize: number): Promise<Neo4jGraph> {
  const url = await startServer(behavior)
  const graph = new Neo4jGraph({ url, user: 'neo4j', password: null, database: 'neo4j', poolSize })
  onTestFinished(() => graph.close())
  return graph
}

/** Moves the clock of the adapter. */
function skipTime(ms: number): void {
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
  onTestFinished(() => clock.mockRestore())
}

test('a store whose logins were never answered is used again soon after it answers', async () => {
  const server = { answersLogins: false, bookmark: 'B:1' }
  const graph = await open(server, 1)
  await expect(graph.health()).rejects.toMatchObject({ code: 'store_unavailable' })
  server.answersLogins = true
  skipTime(30_000)
  await expect(graph.health()).rejects.toMatchObject({ code: 'store_unavailable' }) // the pool is full of logins
  expect(await graph.health()).toMatchObject({ engine: 'neo4j' })
})

test('a database that was replaced by an older copy is used again soon', async () => {
  const server: Behavior = { answersLogins: true, bookmark: 'B:2' }
  const graph = await open(server, 50)
  await graph.health()
  Object.assign(server, { bookmark: 'B:1', waitsFor: 'B:2' }) // the server waits until its database has the commit
  await expect(graph.health()).rejects.toMatchObject({ code: 'timeout' })
  skipTime(30_000)
  await expect(graph.health()).rejects.toMatchObject({ code: 'timeout' })
  expect(await graph.health()).toMatchObject({ engine: 'neo4j' })
})

const optionsOf = (url: string) => ({ url, user: 'neo4j', password: null, database: 'neo4j' })

test('a query that an administrator terminates is not repeated', async () => {
  const server: Behavior = { answersLogins: true, bookmark: 'B:1', terminates: 'EXPLAIN' }
  const reader = new Neo4jReader(optionsOf(await startServer(server)))
  onTestFinished(() => reader.close())
  const bounds = { limit: 1, maxBytes: 1_000, timeoutMs: 20_000 }
  await expect(reader.plan('RETURN 1', {}, bounds)).rejects.toMatchObject({
    code: 'timeout',
    message: 'Neo4j terminated the query.',
  })
  expect(server.runs).toBe(1)
})

test('queries work again as soon as a store answers logins again', async () => {
  const server: Behavior = { answersLogins: false, bookmark: 'B:1' }
  const queries = new Queries({ source: { engine: 'neo4j', options: optionsOf(await startServer(server)) } })
  onTestFinished(() => queries.close())
  const ask = () => queries.ask({ query: 'RETURN 1 AS one', params: {}, limit: 1, timeoutMs: 60_000 })
  for (let tries = 0; tries < 2; tries++)
    await expect(ask()).rejects.toMatchObject({ code: 'store_unavailable' })
  server.answersLogins = true
  // The server sends no plan, so the reader rejects the query as one that may write.
  await expect(ask()).rejects.toMatchObject({ code: 'invalid_request' })
})
