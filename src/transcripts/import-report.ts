import type { SkippedFile, TranscriptFile } from './files.ts'
import type { TranscriptImport } from './import.ts'
import type { TranscriptContents, TranscriptSource } from './progress.ts'
import { type Counted, Tally } from './tally.ts'

/** What an import of files did (contract: transcripts.md, "Command line and REST"). */
export type FilesImport = TranscriptContents & {
  files: number
  /** Newly read. */
  bytes: number
  badLines: number
  recoveredLines: number
  redactions: number
  skippedFiles: number
  skipped: SkippedFile[]
  unread: Counted
  unknown: Counted
  unknownSubtypes: Counted
  unknownFields: Counted
  seconds: number
}

export type FileSource = TranscriptSource & TranscriptFile

/** What an import has met so far. */
export class ImportReport {
  readonly sources: FileSource[] = []
  readonly notTranscripts: number
  bytes = 0
  #badLines = 0
  #recoveredLines = 0
  #redactions = 0
  readonly #skipped: SkippedFile[]
  readonly #unknown = new Tally()
  readonly #unknownSubtypes = new Tally()
  readonly #unknownFields = new Tally()

  constructor(skipped: readonly SkippedFile[]) {
    this.#skipped = [...skipped]
    this.notTranscripts = skipped.length
  }

  add(source: FileSource, read: TranscriptImport): void {
    this.bytes += read.bytes
    this.#badLines += read.badLines
    this.#recoveredLines += read.recoveredLines
    this.#redactions += read.redactions
    this.#unknown.addAll(read.unknown)
    this.#unknownSubtypes.addAll(read.unknownSubtypes)
    this.#unknownFields.addAll(read.unknownFields)
    if (read.sessions > 0) this.sources.push(source)
    else if (read.skippedThreads > 0) this.#skip(source.path, 'its agent only warmed up')
  }

  /** One file that cannot be read, or is none, stops no other. */
  async unlessUnreadable<T>(file: string, read: () => Promise<T | null>): Promise<T | null> {
    try {
      const found = await read()
      if (found === null) this.#skip(file, 'no session is named in it')
      return found
    } catch (error) {
      if (!isOfFile(error)) throw error
      this.#skip(file, `it cannot be read (${error.code})`)
      return null
    }
  }

  sourcesOf(some: readonly TranscriptSource[]): FileSource[] {
    const paths = new Set(some.map(({ path }) => path))
    return this.sources.filter(({ path }) => paths.has(path))
  }

  figures() {
    return {
      bytes: this.bytes,
      badLines: this.#badLines,
      recoveredLines: this.#recoveredLines,
      redactions: this.#redactions,
      skippedFiles: this.#skipped.length,
      skipped: this.#skipped,
      unknown: this.#unknown.counted(),
      unknownSubtypes: this.#unknownSubtypes.counted(),
      unknownFields: this.#unknownFields.counted(),
    }
  }

  #skip(file: string, reason: string): void {
    this.#skipped.push({ file, reason })
  }
}

export function together(...some: readonly Counted[]): Counted {
  const tally = new Tally()
  for (const counted of some) tally.addAll(counted)
  return tally.counted()
}

export const isOfFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'path' in error
