import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler } from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { boundBodies } from './json-body.ts'

const LIMIT = 1_000

/** Creates a JSON body of the given size. */
const bodyOfBytes = (bytes: number): Buffer => Buffer.from(`[${' '.repeat(bytes - 2)}]`)

test('a body without others is accepted, whatever its size', async () => {
  const { send } = await admittingUpTo(10)
  expect(await send(bodyOfBytes(900))).toBe(200)
  expect(await send(bodyOfBytes(900))).toBe(200)
})

test.each<[string, Buffer, OutgoingHttpHeaders, number]>([
  ['of a length that fits beside it', bodyOfBytes(400), {}, 200],
  ['of a length that does not', bodyOfBytes(401), {}, 503],
  ['without a length that fits', bodyOfBytes(400), { 'transfer-encoding': 'chunked' }, 200],
  ['without a length that does not', bodyOfBytes(401), { 'transfer-encoding': 'chunked' }, 503],
])('beside a body that is worked on, one %s is answered %4$i', async (_how, body, headers, status) => {
  const { send, sendHeld } = await admittingUpTo(1_300)
  const letGo = await sendHeld(bodyOfBytes(900))
  expect(await send(body, headers)).toBe(status)
  await letGo()
  expect(await send(body, headers)).toBe(200)
})

test('declared bodies that are not sent do not count, and the received part of a body counts until the request ends', async () => {
  const { send, begin } = await admittingUpTo(1_300)
  for (let clients = 0; clients < 10; clients++) begin('/', { 'content-length': 1_000 })
  expect(await send(bodyOfBytes(900))).toBe(200)
  const begun = begin('/', { 'content-length': 1_000 })
  await new Promise((resolve) => begun.write(bodyOfBytes(999), resolve))
  expect(await send(bodyOfBytes(2))).toBe(200) // arrives after the other bodies
  expect(await send(bodyOfBytes(900))).toBe(503)
  begun.destroy()
  await expect.poll(() => send(bodyOfBytes(900)), { timeout: 30_000 }).toBe(200)
})

/** Starts a service that admits bodies up to a total size. It answers at once, except `/held`. */
async function admittingUpTo(budget: number) {
  const held: ServerResponse[] = []
  const app = express()
  app.use(boundBodies(budget)(LIMIT))
  app.post('/held', (_req, res) => void held.push(res))
  app.post('/', (_req, res) => void res.end())
  const refuse: ErrorRequestHandler = ({ status }: { status: number }, _req, res, _next) =>
    void res.status(status).end()
  app.use(refuse)
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const begin = (path: string, given: OutgoingHttpHeaders) => {
    const headers = { 'content-type': 'application/json', ...given }
    const sending = request({ port, host: '127.0.0.1', path, method: 'POST', headers, agent: false })
    sending.on('error', () => {}) // the service closes the connection after its answer
    sending.flushHeaders()
    return sending
  }
  return {
    begin,
    async send(body: Buffer, given: OutgoingHttpHeaders = {}): Promise<number> {
      const length = 'transfer-encoding' in given ? {} : { 'content-length': body.length }
      const sending = begin('/', { ...length, ...given })
      sending.end(body)
      const [response] = await once(sending, 'response')
      const closed = once(response, 'close')
      sending.destroy()
      await closed
      return response.statusCode
    },
    async sendHeld(body: Buffer): Promise<() => Promise<void>> {
      const sending = begin('/held', { 'content-length': body.length })
      sending.end(body)
      await expect.poll(() => held.length, { timeout: 30_000 }).toBe(1)
      return async () => {
        const gone = once(held[0] ?? server, 'close')
        sending.destroy()
        await gone
      }
    },
  }
}
