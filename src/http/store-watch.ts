/** Says in the log that the store is away, once and when the reason changes, and once that it is back. */
import { isDiskError, type TurngraphError } from '../core/errors.ts'
import type { Log } from '../platform/log.ts'

export class StoreWatch {
  readonly #log: Log
  readonly #store: string
  #reason: string | null = null
  /** A full disk answers what is read: only a write, which `/readyz` tries, says that there is room again. */
  #untilWritten = false
  #wasReady = false
  #stopped = false

  /** @param store its name in the sentence "waiting for …" */
  constructor(log: Log, store: string) {
    this.#log = log
    this.#store = store
  }

  /** Without a stack: what broke is outside this process, and each request that meets it says the same. */
  reportAway(error: TurngraphError): void {
    const { code, message } = error
    if (this.#stopped || this.#reason === message) return
    this.#reason = message
    this.#untilWritten = isDiskError(error)
    this.#log.warn({ code, reason: message }, `waiting for ${this.#store}`)
  }

  reportReady(): void {
    if (this.#reason !== null) {
      // At the level of the other line: a log that shows one shows both.
      this.#log.warn(`${this.#store} is ${this.#wasReady ? 'back' : 'ready'}`)
    }
    this.#reason = null
    this.#wasReady = true
  }

  /** A statement was answered. Before the schema is current that does not make the store ready. */
  reportAnswer(): void {
    if (this.#wasReady && this.#reason !== null && !this.#untilWritten) this.reportReady()
  }

  /** A service that ends closes its graph: that is no news. */
  stop(): void {
    this.#stopped = true
  }
}
