import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { boundConnections, connectionBound } from './connections.ts'

test('connections stay below the limit of open files, and some are always taken', () => {
  expect(connectionBound(1000, 1024)).toBe(896)
  expect(connectionBound(1000, 20_000)).toBe(1000)
  expect(connectionBound(1000, 100)).toBe(16)
  expect(connectionBound(8, 100)).toBe(8)
  expect(connectionBound(1000, null)).toBe(1000)
})

test('an answer that never comes is waited for up to the bound, then cut off', async () => {
  const server = createServer()
  const closeServer = boundConnections(server, 10)
  const arrived = once(server, 'request')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const cutOff = new Promise<Error>((resolve) => get({ port, host: '127.0.0.1' }).on('error', resolve))
  await arrived
  const started = performance.now()
  await closeServer(100)
  expect(performance.now() - started).toBeGreaterThan(90)
  expect(await cutOff).toMatchObject({ code: 'ECONNRESET' })
})

test('a connection that never sent a whole request gives way before one that waits between two', async () => {
  const { open } = await boundedTo(3)
  const [waiting, unfinished, silent] = [await open(), await open(), await open()]
  await waiting.ask('/')
  await unfinished.send('POST / HTTP/1.1\r\nHost: x\r\n')
  await open()
  await unfinished.ended
  await open()
  await silent.ended
  await waiting.ask('/')
})

test('a connection that waits between two requests gives way where there is no other', async () => {
  const { open } = await boundedTo(1)
  const waiting = await open()
  await waiting.ask('/')
  const next = await open()
  await waiting.ended
  await next.ask('/')
})

test('a connection that has closed makes room: no other gives way to the next', async () => {
  const { open, closedAtServer } = await boundedTo(2)
  const [silent, closing] = [await open(), await open()]
  closing.socket.destroy()
  await closedAtServer()
  const next = await open()
  await next.ask('/')
  await silent.ask('/')
})

/** A server with bounded connections that answers at once, but `/slow` when it may finish. */
async function boundedTo(most: number) {
  const server = createServer()
  boundConnections(server, most)
  server.on('request', (_req, res) => res.end('ok'))
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
    open: async () => {
      const taken = once(server, 'connection')
      const client = await clientOf(port)
      await taken
      return client
    },
    /** Resolves once the server has noticed that the first connection which closes has closed. */
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
