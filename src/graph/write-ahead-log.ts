// Syncs the embedded engine's log to the disk.
import { readdirSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'

/**
 * Syncs the engine's log, `FILE.wal/wal_N.log`, before a write is acknowledged: Grafeo does not fsync at a
 * commit. The log may rotate at any time, so a sync covers each log that was or became active since the last
 * sync, and the folder if it contains a new name.
 */
export class WriteAheadLog {
  readonly #folder: string
  readonly #open = new Map<string, FileHandle>()
  #active: string | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  async sync(): Promise<void> {
    const names = this.#names().sort()
    const since = this.#active
    // An older log was synced while it was active; a missing log is already in a checkpoint.
    const unsynced = names.filter((name) => since === null || name >= since)
    let fresh = false
    for (const name of unsynced) {
      let handle = this.#open.get(name)
      if (handle === undefined) {
        handle = await this.#openLog(name)
        if (handle === undefined) continue
        fresh = true
      }
      await handle.datasync()
    }
    if (fresh) await this.#syncFolder()
    this.#active = names.at(-1) ?? null
    for (const [name, handle] of this.#open) {
      if (name === this.#active) continue
      this.#open.delete(name)
      await handle.close()
    }
  }

  async close(): Promise<void> {
    for (const handle of this.#open.values()) await handle.close()
    this.#open.clear()
  }

  /** Names of the log files, one or two: a synchronous read is faster than one in another thread. */
  #names(): string[] {
    return readdirSync(this.#folder).filter((name) => name.endsWith('.log'))
  }

  async #openLog(name: string): Promise<FileHandle | undefined> {
    try {
      const handle = await open(path.join(this.#folder, name), 'r+')
      await handle.chmod(0o600)
      this.#open.set(name, handle)
      return handle
    } catch (error) {
      // A checkpoint removed the file between the listing and the opening: its commits are in the main file.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }
}
