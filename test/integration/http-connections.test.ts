import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { record, SwitchedGraph, start } from './http-start.ts'

test('300 silent clients do not keep a 301st with a token from being served', async () => {
  const { call, service } = await start({ TURNGRAPH_MAX_CONNECTIONS: '50' })
  const begun = ['', 'GET /v1/worlds HTTP/1.1\r\nHost: 127.0.0.1\r\n', 'POST /v1/tu']
  const silent = await Promise.all(
    Array.from({ length: 300 }, (_, i) => silentClient(service.port, begun[i % begun.length] ?? '')),
  )
  const closed = silent.filter(({ hasEnded }) => !hasEnded()).map(({ ended }) => ended)
  expect((await call('POST', '/v1/turns', { body: record() })).status).toBe(201)
  await Promise.race(closed) // at least one of the last fifty was closed to make room
})

test('a connection that must make room is closed, even if its client ignores that', async () => {
  const { service } = await start({ TURNGRAPH_MAX_CONNECTIONS: '1' })
  const ignoring = await silentClient(service.port, 'GET /v1/worlds HTTP/1.1\r\nHost: 127.0.0.1\r\n')
  await silentClient(service.port, '')
  await ignoring.ended
  ignoring.socket.write('X-More: of its headers\r\n')
  await ignoring.reset
})

test('a connection with an active request is never closed to make room', async () => {
  const graph = new SwitchedGraph()
  const { call, service } = await start({ TURNGRAPH_MAX_CONNECTIONS: '3' }, { graph })
  const { entered, letGo } = graph.hold()
  const underWay = call('GET', '/v1/worlds')
  await entered
  await Promise.all(Array.from({ length: 9 }, () => silentClient(service.port, '')))
  letGo()
  expect((await underWay).status).toBe(200)
})

test('if every connection has an active request, a further one is closed', async () => {
  const graph = new SwitchedGraph()
  const { call, service } = await start({ TURNGRAPH_MAX_CONNECTIONS: '1' }, { graph })
  const { entered, letGo } = graph.hold()
  const underWay = call('GET', '/v1/worlds')
  await entered
  const agent = new Agent()
  onTestFinished(() => agent.destroy())
  const refused = get(`${service.url}/healthz`, { agent })
  await expect(once(refused, 'response')).rejects.toMatchObject({ code: 'ECONNRESET' })
  letGo()
  expect((await underWay).status).toBe(200)
})

/** Connects, sends only `begun`, and does not close its side when the service does. */
async function silentClient(port: number, begun: string) {
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  let gone = false
  const reset = new Promise((resolve) => socket.on('error', resolve))
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      gone = true
      resolve()
    }
    socket.on('end', end).on('error', end).resume()
  })
  await once(socket, 'connect')
  socket.write(begun)
  return { socket, ended, reset, hasEnded: () => gone }
}
