/** Keeps the bookmarks that a client was answered, by project, so that its reads have all that it wrote. */

/** More at once are as many writes under way: from then on the leader is asked, which has everything. */
const MOST_OF_PROJECT = 32
/** More text would grow past the 32 KiB that the service takes as headers. */
const MOST_CHARACTERS = 8 * 1024
const MOST_PROJECTS = 1_000

/**
 * The bookmarks of a client. An answer stands for what its request brought, too: it replaces that, and not what other
 * answers have brought meanwhile, which may stand for more.
 */
export class ClientBookmarks {
  /** By project, the one that was used last at the end; null: too many or too long, so that none is sent any more. */
  readonly #byProject = new Map<string, Set<string> | null>()

  /** What a request brings. */
  of(project: string): string[] {
    return [...(this.#byProject.get(project) ?? [])]
  }

  /** @param sent what the request has brought; @param answered null where the answer has none */
  keep(project: string, sent: readonly string[], answered: string | null): void {
    const ofProject = this.#byProject.get(project)
    if (answered === null || ofProject === null) return
    const left = [...(ofProject ?? [])].filter((bookmark) => !sent.includes(bookmark))
    const bookmarks = new Set([...left, answered])
    const isTooMuch = bookmarks.size > MOST_OF_PROJECT || [...bookmarks].join(', ').length > MOST_CHARACTERS
    this.#byProject.delete(project)
    this.#byProject.set(project, isTooMuch ? null : bookmarks)
    if (this.#byProject.size <= MOST_PROJECTS) return
    // Without its bookmarks a project's reads are answered by the leader.
    const [oldest = ''] = this.#byProject.keys()
    this.#byProject.delete(oldest)
  }
}
