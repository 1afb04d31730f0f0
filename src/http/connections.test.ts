import { once } from 'node:events'
import { createServer, get, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { boundConnections, connectionBound, Drain } from './connections.ts'

test('the number of connections stays below the limit of open files, with a minimum', () => {
  expect(connectionBound(1000, 1024)).toBe(896)
  expect(connectionBound(1000, 20_000)).toBe(1000)
  expect(connectionBound(1000, 100)).toBe(16)
  expect(connectionBound(8, 100)).toBe(8)
  expect(connectionBound(1000, null)).toBe(1000)
})

test('a close waits for a hanging answer up to its limit, then interrupts it', async () => {
  const drain = new Drain()
  let entered = () => {}
  const arrived = new Promise<void>((resolve) => {
    entered = resolve
  })
  const server = createServer(drain.around(() => entered()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const cutOff = new Promise<Error>((resolve) => get({ port, host: '127.0.0.1' }).on('error', resolve))
  await arrived
  const started = performance.now()
  await drain.close(server, 100)
  expect(performance.now() - started).toBeGreaterThan(90)
  expect(await cutOff).toMatchObject({ code: 'ECONNRESET' })
})

test('a connection without a whole request is replaced before one that waits between two requests', async () => {
  const { open } = await boundedTo(3)
  const [waiting, unfinished, silent] = [await open(), await open(), await open()]
  await waiting.ask('/')
  await unfinished.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n') // answered before its body arrives
  await unfinished.answered(1)
  await open()
  await silent.ended
  await open()
  await unfinished.ended
  await waiting.ask('/')
})

test('a connection that waits between two requests is replaced if there is no other', async () => {
  const { open } = await boundedTo(1)
  const waiting = await open()
  await waiting.ask('/')
  const next = await open()
  await waiting.ended
  await next.ask('/')
})

test('a connection is replaced only after all of its pipelined requests are answered', async () => {
  const { open, finish } = await boundedTo(1)
  const pipelining = await open()
  await pipelining.send('GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  await pipelining.answered(1)
  const refused = await open()
  await refused.ended
  finish()
  await pipelining.answered(2)
})

test('a connection whose client does not read its answers is replaced if there is no other', async () => {
  const { open } = await boundedTo(1)
  const unread = await open()
  await unread.send('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2))
  await unread.answered(1)
  unread.socket.pause()
  const next = await open()
  await next.ask('/')
})

test('a connection whose request does not arrive completely is replaced if there is no other', async () => {
  const { open, slow } = await boundedTo(1)
  const unfinished = await open()
  await unfinished.send('POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n')
  await expect.poll(() => slow.length).toBe(1)
  const next = await open()
  await next.ask('/')
})

test('all answers of a closed connection are closed, also those that wait for an earlier one', async () => {
  const { open, slow } = await boundedTo(1)
  const pipelining = await open()
  await pipelining.send('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3))
  await expect.poll(() => slow.length).toBe(3)
  const closed = slow.map((res) => once(res, 'close'))
  pipelining.socket.destroy()
  await Promise.all(closed)
  for (const res of slow) res.write('too late')
})

test('a closed connection makes room, so the next connection replaces no other', async () => {
  const { open, closedAtServer } = await boundedTo(2)
  const [silent, closing] = [await open(), await open()]
  closing.socket.destroy()
  await closedAtServer()
  const next = await open()
  await next.ask('/')
  await silent.ask('/')
})

/** Size of an answer that does not fit in the buffers of the operating system. */
const LARGE_BYTES = 64 * 1024 * 1024

/** Starts a server with bounded connections that answers at once, except `/slow`, which it answers on request. */
async function boundedTo(most: number) {
  const slow: ServerResponse[] = []
  const answer: RequestListener = (req, res) => {
    if (req.url === '/slow') slow.push(res)
    else res.end(req.url === '/large' ? Buffer.alloc(LARGE_BYTES) : 'ok')
  }
  const server = createServer(answer)
  boundConnections(server, most)
  const closed = new Promise<void>((resolve) => {
    server.on('connection', (socket: Socket) => socket.once('close', () => resolve()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    slow,
    open: async () => {
      const taken = once(server, 'connection')
      const client = await clientOf(port)
      await taken
      return client
    },
    finish: () => slow.map((res) => res.end('ok')),
    /** Resolves when the server has noticed that a connection closed. */
    closedAtServer: () => closed,
  }
}

async function clientOf(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const ended = new Promise<void>((resolve) => {
    socket.once('close', () => resolve()).on('error', () => resolve())
  })
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk
  })
  await once(socket, 'connect')
  const count = () => said.split('HTTP/1.1 200').length - 1
  const answered = async (times: number) => {
    while (count() < times) await once(socket, 'data')
  }
  const send = async (text: string) => void socket.write(text)
  return {
    socket,
    ended,
    send,
    answered,
    ask: async (path: string) => {
      const before = count()
      await send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      await answered(before + 1)
    },
  }
}
