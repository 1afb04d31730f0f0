// Tracks whether the service and its store answer, and notifies subscribers of a change.

export type Reach = 'ready' | 'store unavailable' | 'not reachable'

const LOOK_MS = 5_000

export class ServiceStatus {
  reach: Reach = 'ready'
  /** Number of recoveries. Components repeat their calls when it changes. */
  recoveries = 0
  #isTokenRefused = false
  readonly #listeners = new Set<() => void>()

  note(reach: Reach): void {
    if (reach === this.reach) return
    this.reach = reach
    if (reach === 'ready') this.recoveries++
    for (const listener of this.#listeners) listener()
  }

  /** Repeats the calls once, after the token is first refused. If the token has expired, the page then asks for another one. */
  noteRefusedToken(): void {
    if (this.#isTokenRefused) return
    this.#isTokenRefused = true
    this.recoveries++
    for (const listener of this.#listeners) listener()
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Checks the service every few seconds while the page is visible. */
  watch(): () => void {
    const look = async () => {
      if (document.visibilityState === 'visible') this.note(await readReach())
    }
    const timer = setInterval(look, LOOK_MS)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }
}

/** `/readyz` needs no token. */
async function readReach(): Promise<Reach> {
  try {
    const response = await fetch('/readyz', { credentials: 'omit', cache: 'no-store' })
    return response.ok ? 'ready' : 'store unavailable'
  } catch {
    return 'not reachable' // the failure is the answer
  }
}
