/** Knows the runs of the conversation: the current root and the runs below it, except those in a tool or a retriever. */
export class ConversationRuns {
  #root: string | null = null
  /** The root of each run; `null` if the run does not belong to the conversation. */
  #rootByRun = new Map<string, string | null>()
  /** Runs of the root before. An aborted run often continues for a while, and must not be mistaken for a new root. */
  #earlier = new Map<string, string | null>()

  get root(): string | null {
    return this.#root
  }

  /** Returns true if the parent of a run is unknown: callbacks may be given to a part of a larger program. */
  isAlone(parent: string | undefined): boolean {
    return parent === undefined || !(this.#rootByRun.has(parent) || this.#earlier.has(parent))
  }

  isPart(run: string | undefined): boolean {
    return run !== undefined && this.#root !== null && this.#rootByRun.get(run) === this.#root
  }

  /** Starts a new root. Only two roots are stored, so that a tracker may live long. */
  plant(root: string): void {
    this.#earlier = this.#rootByRun
    this.#rootByRun = new Map([[root, root]])
    this.#root = root
  }

  uproot(): void {
    this.#root = null
  }

  add(run: string, parent: string | undefined): void {
    this.#rootByRun.set(run, this.isPart(parent) ? this.#root : null)
  }

  setAside(run: string): void {
    this.#rootByRun.set(run, null)
  }
}
