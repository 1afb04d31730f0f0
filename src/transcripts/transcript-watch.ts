/** Imports new bytes of the transcripts below some paths: each look continues in the files that changed. */
import { stat } from 'node:fs/promises'
import { hasCode } from '../core/errors.ts'
import { isGone } from '../core/system-code.ts'
import { findTranscripts } from './files.ts'
import { type FilesImport, importFiles, type TranscriptStore } from './import-files.ts'

export class TranscriptWatch {
  readonly #paths: readonly string[]
  readonly #project: string
  #imported = new Map<string, string>()

  constructor(paths: readonly string[], project: string) {
    this.#paths = paths
    this.#project = project
  }

  /** @returns null if nothing changed */
  async look(store: TranscriptStore): Promise<FilesImport | null> {
    const found = await Promise.all(this.#paths.map((path) => readStamp(path)))
    const paths = this.#paths.filter((_, i) => found[i] !== null)
    try {
      const { files } = await findTranscripts(paths)
      const stamps = new Map<string, string>()
      for (const file of files) stamps.set(file, (await readStamp(file)) ?? '')
      const changed = files.filter((file) => this.#imported.get(file) !== stamps.get(file))
      if (changed.length === 0) return null
      const report = await importFiles(store, changed, { project: this.#project })
      this.#imported = stamps
      return report
    } catch (error) {
      // A file or folder disappeared between two calls. The next look ignores it.
      if (hasCode(error, 'not_found') || isGone(error)) return null
      throw error
    }
  }
}

async function readStamp(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null)
  return found === null ? null : `${found.mtimeMs} ${found.size} ${found.ino}`
}
