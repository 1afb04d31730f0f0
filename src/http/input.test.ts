import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler } from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { boundBodies } from './input.ts'

const LIMIT = 1_000

test('a body that is alone is worked on, whatever its size', async () => {
  const { send } = await admittingUpTo(10)
  expect(await send({ 'content-length': 900 })).toBe(200)
  expect(await send({ 'content-length': 900 })).toBe(200)
})

test.each<[string, OutgoingHttpHeaders, number]>([
  ['of a length that fits beside it', { 'content-length': 400 }, 200],
  ['of a length that does not', { 'content-length': 401 }, 503],
  ['without a length, which may be as long as is allowed', { 'transfer-encoding': 'chunked' }, 503],
  ['that is compressed, likewise', { 'content-length': 40, 'content-encoding': 'gzip' }, 503],
])('beside a body that is worked on, one %s: %j is answered %i', async (_how, headers, status) => {
  const { send, sendHeld } = await admittingUpTo(1_300)
  const letGo = await sendHeld({ 'content-length': 900 })
  expect(await send(headers)).toBe(status)
  await letGo()
  expect(await send(headers)).toBe(200)
})

/** A service that admits bodies of so many bytes at a time, and answers before they came, but for `/held`. */
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
  const begin = (path: string, headers: OutgoingHttpHeaders) => {
    const sending = request({ port, host: '127.0.0.1', path, method: 'POST', headers, agent: false })
    sending.on('error', () => {}) // it is cut off once it is answered
    sending.flushHeaders()
    return sending
  }
  return {
    async send(headers: OutgoingHttpHeaders): Promise<number> {
      const sending = begin('/', headers)
      const [response] = await once(sending, 'response')
      const closed = once(response, 'close')
      sending.destroy()
      await closed
      return response.statusCode
    },
    async sendHeld(headers: OutgoingHttpHeaders): Promise<() => Promise<void>> {
      const sending = begin('/held', headers)
      await expect.poll(() => held.length, { timeout: 30_000 }).toBe(1)
      return async () => {
        const gone = once(held[0] ?? server, 'close')
        sending.destroy()
        await gone
      }
    },
  }
}
