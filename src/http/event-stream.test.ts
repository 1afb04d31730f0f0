import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HEARTBEAT_MS } from '../operations/events.ts'
import { keepStreamAlive } from './event-stream.ts'

test('nothing is written to a stream that has ended but still waits for its connection', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const answers: ServerResponse[] = []
  const server = createServer((_req, res) => void answers.push(res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2))
  await expect.poll(() => answers.length).toBe(2)
  const [, waiting] = answers as [ServerResponse, ServerResponse]
  const errors: unknown[] = []
  waiting.on('error', (error) => errors.push(error))
  keepStreamAlive(waiting)
  waiting.end()
  await vi.advanceTimersByTimeAsync(3 * HEARTBEAT_MS)
  await new Promise((resolve) => setImmediate(resolve))
  expect(errors).toEqual([])
})
