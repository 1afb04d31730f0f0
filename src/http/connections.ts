// Bounds the open connections of a server in number and in time, and closes them when the service ends.
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may take to send what it asks, or to ask again. */
export const CONNECTION_OPTIONS = {
  // Longer than the 60 s of most load balancers: they, not we, should end an idle connection.
  keepAliveTimeout: 65_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Four names of 1 KiB, percent-encoded, and a cursor fit into a request line.
  maxHeaderSize: 32 * 1024,
} as const

/** The files that the process opens in addition to connections: the graph, its log, a pool of Neo4j connections. */
const OTHER_FILES = 128
const FEWEST = 16

/** How many connections a server may take: what is asked for, within the process's limit of open files. */
export function connectionBound(asked: number, openFiles: number | null): number {
  if (openFiles === null) return asked
  return Math.min(asked, Math.max(openFiles - OTHER_FILES, FEWEST))
}

/** The process's limit of open files (`ulimit -n`); null if the system has none, or does not report it. */
export function openFileLimit(): number | null {
  Object.assign(process.report, { excludeNetwork: true }) // otherwise it looks up the names of all peers
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const soft = Number(userLimits?.open_files?.soft)
  return Number.isFinite(soft) ? soft : null
}

/**
 * Keeps at most `most` connections of the server open. Call it before anything listens to requests. One more replaces a connection without a request under way: first
 * one that never sent a whole request, then the one that has waited longest. If all have a request under way, the new one
 * is closed. `server.maxConnections` alone closes the new one always, so silent clients lock everybody out until they
 * time out.
 *
 * @returns a function that stops the server: it waits at most `boundMs` for the requests under way
 */
export function boundConnections(server: Server, most: number): (boundMs: number) => Promise<void> {
  let isClosing = false
  const [open, silent, idle] = [new Set<Socket>(), new Set<Socket>(), new Set<Socket>()]
  const underWay = new Set<ServerResponse>()
  const forget = (socket: Socket) => [open, silent, idle].map((sockets) => sockets.delete(socket))
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    silent.add(socket)
    socket.once('close', () => forget(socket))
    if (open.size <= most) return
    const [longest = socket] = silent.size > 1 ? silent : idle
    forget(longest)
    longest.destroy()
  })
  server.on('request', ({ socket }, res) => {
    silent.delete(socket)
    idle.delete(socket)
    underWay.add(res)
    if (isClosing) res.setHeader('Connection', 'close')
    res.once('close', () => {
      underWay.delete(res)
      if (isClosing) socket.destroySoon()
      else if (open.has(socket)) idle.add(socket)
    })
  })
  return async (boundMs) => {
    isClosing = true
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const res of underWay) if (!res.headersSent) res.setHeader('Connection', 'close')
    // Node counts a connection that has sent nothing yet as busy, so `server.close` waits for it.
    for (const socket of [...silent, ...idle]) socket.destroy()
    const bound = setTimeout(() => server.closeAllConnections(), boundMs)
    await closed
    clearTimeout(bound)
  }
}
