// Waits until external workers end their attempts.
import type { AttemptRef, TurnRunStore } from './turn-run-store.ts'

const POLL_MS = 500

type Waiting = AttemptRef & { resolve: () => void }

/** Waits until attempts end. A single statement asks for all twice a second. Attempts that end here are reported immediately. */
export class AttemptWatch {
  readonly #store: TurnRunStore
  readonly #onError: (error: unknown) => void
  readonly #waiting = new Map<string, Waiting>()
  #timer: NodeJS.Timeout | null = null

  constructor(store: TurnRunStore, onError: (error: unknown) => void) {
    this.#store = store
    this.#onError = onError
  }

  /** Resolves when the attempt has ended, or when {@link ended} is called. */
  until(attempt: AttemptRef): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(attempt.attemptId, { ...attempt, resolve })
      this.#schedule()
    })
  }

  ended(attemptId: string): void {
    this.#waiting.get(attemptId)?.resolve()
    this.#waiting.delete(attemptId)
  }

  #schedule(): void {
    if (this.#timer !== null || this.#waiting.size === 0) return
    this.#timer = setTimeout(() => void this.#ask(), POLL_MS).unref()
  }

  async #ask(): Promise<void> {
    try {
      for (const id of await this.#store.endedAmong([...this.#waiting.values()])) this.ended(id)
    } catch (error) {
      this.#onError(error)
    }
    this.#timer = null
    this.#schedule()
  }
}
