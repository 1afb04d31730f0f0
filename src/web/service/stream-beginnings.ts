// Delays calls until the event streams have begun, so that the page misses no change between an answer and the first event.

/** Maximum wait for a stream. After a longer wait the calls run, and repeat when the stream begins. */
const PATIENCE_MS = 500

export class StreamBeginnings {
  readonly #awaited = new Set<Promise<void>>()

  /** Registers a stream that begins. Returns a function that ends the wait, and returns true if the wait had not ended. */
  expect(): () => boolean {
    let isAwaited = true
    let release = () => {}
    const beginning = new Promise<void>((resolve) => {
      release = resolve
    })
    this.#awaited.add(beginning)
    const end = () => {
      const wasAwaited = isAwaited
      isAwaited = false
      clearTimeout(timer)
      this.#awaited.delete(beginning)
      release()
      return wasAwaited
    }
    const timer = setTimeout(end, PATIENCE_MS)
    return end
  }

  /** Waits for all registered streams. The first await lets the later effects of the same view register theirs. */
  async settled(): Promise<void> {
    await Promise.resolve()
    await Promise.all(this.#awaited)
  }
}
