/**
 * Tells which of LangChain's runs are part of the conversation: the root run at work and what runs below it, but for
 * what runs inside a tool or a retriever.
 */
export class ConversationRuns {
  #root: string | null = null
  /** The root of each run, `null` where it is no part of the conversation. */
  #rootByRun = new Map<string, string | null>()
  /** Of the root before: what is aborted often goes on for a while, and must not be taken for a new root. */
  #earlier = new Map<string, string | null>()

  get root(): string | null {
    return this.#root
  }

  /** A run whose parent was never heard of stands alone: callbacks may be given to a part of a larger program. */
  isAlone(parent: string | undefined): boolean {
    return parent === undefined || !(this.#rootByRun.has(parent) || this.#earlier.has(parent))
  }

  isPart(run: string | undefined): boolean {
    return run !== undefined && this.#root !== null && this.#rootByRun.get(run) === this.#root
  }

  /** Only two roots are remembered, so that a tracker may live long. */
  plant(root: string): void {
    this.#earlier = this.#rootByRun
    this.#rootByRun = new Map([[root, root]])
    this.#root = root
  }

  uproot(): void {
    this.#root = null
  }

  /** Takes in a run below `parent`. */
  add(run: string, parent: string | undefined): void {
    this.#rootByRun.set(run, this.isPart(parent) ? this.#root : null)
  }

  /** What runs below is not part of the conversation. */
  setAside(run: string): void {
    this.#rootByRun.set(run, null)
  }
}
