// Limits the open connections of a server in number and in time, so that silent clients do not exclude others.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Time limits for a client that sends a request or keeps its connection for the next one. */
export const CONNECTION_OPTIONS = {
  // Longer than the 60 s of most load balancers, because a load balancer should close an idle connection first.
  keepAliveTimeout: 65_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // A request line has room for four percent-encoded names of 1 KiB and a cursor.
  maxHeaderSize: 32 * 1024,
} as const

/** Number of files that the process opens in addition to connections: the graph, its log, a pool of Neo4j connections. */
const OTHER_FILES = 128
const FEWEST = 16

/** Computes the maximum number of connections: the requested number, within the process's limit of open files. */
export function connectionBound(maxConnections: number, openFiles: number | null): number {
  if (openFiles === null) return maxConnections
  return Math.min(maxConnections, Math.max(openFiles - OTHER_FILES, FEWEST))
}

/** Reads the process's limit of open files (`ulimit -n`); null if the system does not report one. */
export function openFileLimit(): number | null {
  Object.assign(process.report, { excludeNetwork: true }) // otherwise it resolves the names of all peers
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const soft = Number(userLimits?.open_files?.soft)
  return Number.isFinite(soft) ? soft : null
}

/**
 * Keeps at most `most` connections open. A further connection replaces one without a request in progress; otherwise silent
 * clients would lock out all others until they time out. Connections that never sent a whole request are closed first, because a
 * client that reuses its connection may be about to send its next request. Connections with a request that is still arriving, or
 * with an answer that their client has not read, are closed last. Among equals, the longest idle one is closed. If every
 * connection waits for an answer, the new connection is closed.
 */
export function boundConnections(server: Server, most: number): void {
  const open = new Map<Socket, Set<ServerResponse>>()
  const silent = new Set<Socket>()
  const idle = new Set<Socket>()
  const forget = (socket: Socket) => [open, silent, idle].map((sockets) => sockets.delete(socket))
  server.on('connection', (socket: Socket) => {
    if (open.size >= most) {
      const [longest = socket] = [silent, idle].find(({ size }) => size > 0) ?? listWaiting(open)
      forget(longest)
      longest.destroy()
      if (longest === socket) return
    }
    const underWay = new Set<ServerResponse>()
    open.set(socket, underWay)
    silent.add(socket)
    socket.once('close', () => {
      forget(socket)
      // Node closes only the answer that it is sending. The answers that wait behind it would keep their memory.
      for (const res of underWay)
        if (res.socket === null) {
          res.destroy()
          res.emit('close')
        }
    })
  })
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const { socket } = req
    const underWay = open.get(socket)
    if (underWay === undefined) return
    silent.delete(socket)
    idle.delete(socket)
    underWay.add(res) // several if a client pipelines
    res.once('close', () => {
      underWay.delete(res)
      if (underWay.size === 0 && open.has(socket)) (req.complete ? idle : silent).add(socket)
    })
  })
}

/** Lists the connections that only wait for their clients, to send the rest of a request or to read an answer; the oldest first. */
const listWaiting = (open: ReadonlyMap<Socket, ReadonlySet<ServerResponse>>): Socket[] =>
  [...open].flatMap(([socket, underWay]) =>
    [...underWay].every((res) => res.writableEnded || !res.req.complete) ? [socket] : [],
  )

/** Tracks the requests in flight, so that a service can end without interrupting one. */
export class Drain {
  readonly #inFlight = new Set<ServerResponse>()
  #closing = false
  #onIdle: (() => void) | null = null

  around(answer: RequestListener): RequestListener {
    return (req, res) => {
      if (this.#closing) res.setHeader('Connection', 'close')
      this.#inFlight.add(res)
      res.once('close', () => {
        this.#inFlight.delete(res)
        if (this.#inFlight.size === 0) this.#onIdle?.()
      })
      answer(req, res)
    }
  }

  /** Accepts no new connection, waits for the answers in flight (at most `boundMs`), then closes the other connections. */
  async close(server: Server, boundMs: number): Promise<void> {
    this.#closing = true
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const res of this.#inFlight) if (!res.headersSent) res.setHeader('Connection', 'close')
    await this.#idle(boundMs)
    // Node counts a connection that has sent nothing as busy, so `close` might wait for it.
    server.closeAllConnections()
    await closed
  }

  #idle(boundMs: number): Promise<void> {
    if (this.#inFlight.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const bound = setTimeout(resolve, boundMs)
      this.#onIdle = () => {
        clearTimeout(bound)
        resolve()
      }
    })
  }
}
