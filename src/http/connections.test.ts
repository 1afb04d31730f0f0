import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { connectionBound, Drain } from './connections.ts'

test('connections stay below the limit of open files, and some are always taken', () => {
  expect(connectionBound(1000, 1024)).toBe(896)
  expect(connectionBound(1000, 20_000)).toBe(1000)
  expect(connectionBound(1000, 100)).toBe(16)
  expect(connectionBound(8, 100)).toBe(8)
  expect(connectionBound(1000, null)).toBe(1000)
})

test('an answer that never comes is waited for up to the bound, then cut off', async () => {
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
