// Lets calls wait until the streams that tell of later changes have begun, so that no change is missed in between.

/** A stream that takes longer holds up nothing: what changed until it begins is asked for again then. */
const PATIENCE_MS = 500

export class StreamBeginnings {
  readonly #awaited = new Set<Promise<void>>()

  /** A stream begins. Answers what ends the wait for it: true where calls still waited. */
  expect(): () => boolean {
    let isAwaited = true
    let release = () => {}
    const begun = new Promise<void>((resolve) => {
      release = resolve
    })
    this.#awaited.add(begun)
    const end = () => {
      const wasAwaited = isAwaited
      isAwaited = false
      clearTimeout(timer)
      this.#awaited.delete(begun)
      release()
      return wasAwaited
    }
    const timer = setTimeout(end, PATIENCE_MS)
    return end
  }

  /** The effects of a view run one after another: a stream that is expected by a later one is waited for, too. */
  async settled(): Promise<void> {
    await Promise.resolve()
    await Promise.all(this.#awaited)
  }
}
