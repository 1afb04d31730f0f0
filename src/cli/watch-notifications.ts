/** Reports changes below paths by the notifications of the operating system. */
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FSWatcher } from 'chokidar'
import { IGNORED_FOLDERS, isArtifactName } from '../artifacts/folders.ts'

type Followed = { inode: number; watcher: FSWatcher }

/** Collects notifications of changes. Network file systems send none, so the caller must look at intervals, too. */
export class ChangeNotifications {
  readonly #followed = new Map<string, Followed>()
  readonly #onTrouble: (error: Error) => void
  #changed = new Set<string>()
  #change = new AbortController()

  constructor(onTrouble: (error: Error) => void) {
    this.#onTrouble = onTrouble
  }

  /** Follows the existing paths. Follows a path again if its folder was replaced. */
  async follow(paths: readonly string[]): Promise<void> {
    const { watch } = await import('chokidar')
    for (const given of paths) {
      const found = await stat(given).catch(() => null)
      const followed = this.#followed.get(given)
      if (followed?.inode === found?.ino) continue
      this.#followed.delete(given)
      await followed?.watcher.close()
      const root = found?.isDirectory() ? await realpath(given).catch(() => null) : null
      if (found === null || root === null) continue
      const watcher = watch(root, {
        ignoreInitial: true,
        followSymlinks: false,
        ignored: (file, stats) => {
          const name = path.basename(file)
          return stats?.isFile() ? !isArtifactName(name) : file !== root && IGNORED_FOLDERS.has(name)
        },
      })
      watcher.on('all', (event, file) => {
        this.#changed.add(event === 'addDir' || event === 'unlinkDir' ? file : path.dirname(file))
        this.#change.abort()
      })
      // Each folder beyond the limit of the machine causes an error. Reports only the first one.
      watcher.once('error', (error) => {
        watcher.on('error', () => {})
        this.#onTrouble(error instanceof Error ? error : new Error(String(error)))
      })
      this.#followed.set(given, { inode: found.ino, watcher })
    }
  }

  take(): ReadonlySet<string> {
    const changed = this.#changed
    this.#changed = new Set()
    this.#change = new AbortController()
    return changed
  }

  async next(mostMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const onAbort = () => this.#change.abort()
    signal.addEventListener('abort', onAbort)
    await sleep(mostMs, undefined, { signal: this.#change.signal }).catch(() => {})
    signal.removeEventListener('abort', onAbort)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#followed.values()].map(({ watcher }) => watcher.close()))
  }
}
