// Holds the engine's bookmarks that a call brings, while its statements run.

/**
 * What a caller has seen, as the engine's bookmarks: a statement that carries them waits until its member of a cluster has
 * what they stand for. Each statement of a call goes on from what the one before saw, so a call never goes back in time,
 * whichever members answer it.
 */
export class CallerBookmarks {
  /** Whether a statement that only reads may go to any member; else the leader answers. */
  readonly #mayFollow: boolean
  readonly #current: Set<string>
  #discarded = false

  constructor(bookmarks: readonly string[], options: { mayFollow: boolean }) {
    this.#current = new Set(bookmarks)
    this.#mayFollow = options.mayFollow
  }

  get mayFollow(): boolean {
    return this.#mayFollow && this.#current.size > 0
  }

  get discarded(): boolean {
    return this.#discarded
  }

  all(): string[] {
    return [...this.#current]
  }

  /** A transaction that began with `before` has seen what `after` stands for. */
  advance(before: readonly string[], after: readonly string[]): void {
    if (after.length === 0) return
    for (const bookmark of before) this.#current.delete(bookmark)
    for (const bookmark of after) this.#current.add(bookmark)
  }

  /** The engine cannot read them: the rest of the call goes without. */
  discard(): void {
    this.#current.clear()
    this.#discarded = true
  }
}
