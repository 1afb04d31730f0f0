import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { httpClient } from '../../../src/client/http.ts'
import { allPages } from '../harness/pages.ts'
import { holds, inScope, type Scenario, until } from '../harness/scenario.ts'
import { folderOfScenario, startServiceProcess, untilReady } from '../harness/service-process.ts'

const FILES = 200
const SILENT = 300
const WORLD = 'many-connections'

/** Beginnings of requests by the silent clients, which then neither write, nor read, nor answer an end. */
const BEGUN = [
  '',
  'GET /v1/wor',
  'GET /v1/worlds HTTP/1.1\r\nHost: 127.0.0.1\r\n',
  'POST /v1/turns HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"feat',
  'this is not HTTP\r\n\r\n',
]

/**
 * Opens more connections without a token than the service may open files, round after round, without closing
 * any. A client with a token is still served, and its captures are stored at the end.
 */
export const manyConnections: Scenario = ({ rounds, log }) =>
  inScope(async (later) => {
    const folder = folderOfScenario(later)
    const service = await startServiceProcess({
      dataFolder: folder,
      environment: { TURNGRAPH_AUTH: 'token' },
      wrapper: ['sh', '-c', `ulimit -n ${FILES}; exec "$@"`, 'sh'],
    })
    later(() => service.kill())
    await untilReady(service)
    await until('a low limit is reported at the start', 60_000, async () =>
      service.output().includes(`this process may open ${FILES} files, so it takes`),
    )
    const token = readFileSync(path.join(folder, 'token'), 'utf8').trim()
    const client = httpClient({ url: service.url, token })
    const figures = { rounds, connections: 0, acknowledged: 0, slowestMs: 0, mostFiles: 0 }
    const port = Number(new URL(service.url).port)
    for (let round = 1; round <= rounds; round++) {
      const silent = await Promise.all(Array.from({ length: SILENT }, (_, i) => silentClient(port, i)))
      figures.connections += silent.length
      const began = performance.now()
      await client.captureTurnState({
        featureId: 'FEAT-1',
        taskId: 'TASK-1',
        worldSlug: WORLD,
        turnNumber: round,
        playerSummary: `Round ${round}`,
      })
      figures.acknowledged++
      figures.slowestMs = Math.max(figures.slowestMs, Math.round(performance.now() - began))
      figures.mostFiles = Math.max(figures.mostFiles, openFiles(service.pid))
      holds(figures.mostFiles < FILES, 'the service stays below its limit of files', figures)
      for (const socket of silent) socket.destroy()
      if (round % 10 === 0)
        log(`round ${round}: ${figures.acknowledged} captures, slowest ${figures.slowestMs} ms`)
    }
    const stored = await allPages((cursor) => client.listTurns({ worldSlug: WORLD, cursor }))
    holds(stored.length === figures.acknowledged, 'acknowledged means stored', figures)
    return figures
  })

async function silentClient(port: number, index: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {}) // the service may reset it to protect itself
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  socket.write(BEGUN[index % BEGUN.length] ?? '')
  return socket
}

/** Returns the number of open files on Linux, and 0 on other systems. */
function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}
