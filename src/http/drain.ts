import type { RequestListener, Server, ServerResponse } from 'node:http'

/** Knows the requests in flight, so that a service can end without cutting one off. */
export class Drain {
  readonly #inFlight = new Set<ServerResponse>()
  #closing = false
  #onIdle: (() => void) | null = null

  /** Wraps what answers requests. */
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

  /** Takes no new connection, waits for the answers in flight (at most `boundMs`), then ends what is left. */
  async close(server: Server, boundMs: number): Promise<void> {
    this.#closing = true
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const res of this.#inFlight) if (!res.headersSent) res.setHeader('Connection', 'close')
    await this.#idle(boundMs)
    // Node counts a connection that has sent nothing yet as busy, so `close` alone might wait for it.
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
