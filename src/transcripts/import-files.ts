/** Imports the transcripts below some folders into a graph of this process or into a service. */
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { hasCode, TurngraphError } from '../core/errors.ts'
import { name } from '../core/fields.ts'
import { inChunks } from '../core/group-by.ts'
import { LineSplitter } from '../core/lines.ts'
import {
  describeOtherFormat,
  findTranscripts,
  isDocument,
  joinLines,
  readChunks,
  resumeAt,
  rolloutSession,
  type SkippedFile,
  type TranscriptFile,
  transcriptFile,
} from './files.ts'
import type { TranscriptImport } from './import.ts'
import { wholeObjectsLength } from './line-records.ts'
import {
  contentsOfTranscripts,
  type TranscriptContents,
  type TranscriptProgress,
  type TranscriptSource,
} from './progress.ts'
import { ReadingCounts, readingFigures } from './reading-counts.ts'

/** A transcript in a store: its position, and the function that writes what follows. */
export type OpenTranscript = TranscriptProgress & {
  write: (offset: number, chunks: AsyncIterable<Buffer>) => Promise<TranscriptImport>
}

/** The target of an import: a graph of this process, or a service. */
export type TranscriptStore = {
  /** Maximum bytes of a write. A longer file takes several writes. */
  bytesAtOnce: number
  open: (sources: readonly TranscriptSource[]) => Promise<OpenTranscript[]>
  /** Writes the pending parts. @returns transcripts that another import read further, which must be read again */
  flush: () => Promise<TranscriptSource[]>
  /** Called after all writes: updates once the data that is derived from all transcripts. */
  done: (project: string) => Promise<void>
  contents: (sources: readonly TranscriptSource[]) => Promise<TranscriptContents>
}

/** The result of an import of files (contract: transcripts.md, "Command line and REST"). */
export const filesImport = contentsOfTranscripts.extend({
  files: z.number().describe('files found'),
  bytes: z.number().describe('bytes read by this import'),
  ...readingFigures.shape,
  skippedFiles: z.number(),
  skipped: z.array(z.object({ file: z.string(), reason: z.string() })),
  unread: z.record(z.string(), z.number()).describe('files without the name of a transcript, by extension'),
  seconds: z.number(),
})
export type FilesImport = z.output<typeof filesImport>

export const plannedImport = filesImport
  .pick({ files: true, bytes: true, skippedFiles: true, skipped: true, unread: true })
  .extend({
    bytes: z.number().describe('bytes that an import would read'),
    changedFiles: z.number().describe('files that are new, or have more bytes than the last import read'),
  })
export type PlannedImport = z.output<typeof plannedImport>

type FilesOptions = {
  project: string
  onProgress?: ((done: number, total: number) => void) | undefined
}

const FILES_AT_ONCE = 100

/** Imports all transcripts below some paths. A repeated import changes nothing. @throws `not_found` if a path does not exist */
export async function importFiles(
  store: TranscriptStore,
  paths: readonly string[],
  { project, onProgress }: FilesOptions,
): Promise<FilesImport> {
  const began = performance.now()
  const { files, unread, seen, report } = await beginReport(paths)
  for (let i = 0; i < files.length; i += FILES_AT_ONCE) {
    onProgress?.(i, files.length)
    await importSome(store, await report.readSources(files.slice(i, i + FILES_AT_ONCE), project), report)
  }
  for (let left = await store.flush(); left.length > 0; left = await store.flush()) {
    // Hooks of the same sessions were faster. Their bytes need not be read again.
    const paths = new Set(left.map(({ path }) => path))
    await importSome(
      store,
      report.sources.filter(({ path }) => paths.has(path)),
      report,
    )
  }
  // Also without new bytes: a process that read them may have been killed before this call.
  await store.done(project)
  onProgress?.(files.length, files.length)
  return {
    files: seen,
    ...(await store.contents(report.sources)),
    bytes: report.bytes,
    ...report.counts.figures(),
    skippedFiles: report.skipped.length,
    skipped: report.skipped,
    unread,
    seconds: Math.round(performance.now() - began) / 1000,
  }
}

/** Counts the files and bytes that an import of these paths would read. @throws `not_found` if a path does not exist */
export async function planImport(
  store: Pick<TranscriptStore, 'open'>,
  paths: readonly string[],
  project: string,
): Promise<PlannedImport> {
  const { files, unread, seen, report } = await beginReport(paths)
  let changedFiles = 0
  for (const some of inChunks(files, FILES_AT_ONCE)) {
    const sources = await report.readSources(some, project)
    const opened = await store.open(sources)
    for (const [i, source] of sources.entries()) {
      const transcript = opened[i]
      if (transcript === undefined) continue
      const bytes = await report.unlessUnreadable(source.path, async () =>
        countNewBytes(source.path, await resumeAt(source, transcript)),
      )
      report.bytes += bytes ?? 0
      if (bytes !== null && bytes > 0) changedFiles++
    }
  }
  const { bytes, skipped } = report
  return { files: seen, changedFiles, bytes, skippedFiles: skipped.length, skipped, unread }
}

async function beginReport(paths: readonly string[]) {
  const { files, skipped, unread } = await findTranscripts(paths).catch((error: unknown) => {
    throw notThere(error)
  })
  return { files, unread, seen: files.length + skipped.length, report: new ImportReport(skipped) }
}

/** Counts the bytes after a position that an import would read. It leaves a last line that was cut off for the next time. */
async function countNewBytes(file: string, from: number): Promise<number> {
  if (from === 0) return (await stat(file)).size
  const lines = new LineSplitter(from, () => {})
  for await (const chunk of readLines(file, from, Number.POSITIVE_INFINITY)) lines.push(chunk)
  lines.end(wholeObjectsLength)
  return lines.consumed - from
}

/** @throws an error of the system if a path does not exist */
export const countTranscripts = async (paths: readonly string[]): Promise<number> =>
  (await findTranscripts(paths)).files.length

export async function findRollouts(sessions: string, folder: string): Promise<string[]> {
  const real = await realpath(folder)
  const { files } = await findTranscripts([sessions])
  const found: string[] = []
  for (const file of files) {
    const { cwd = null } = (await rolloutSession(file).catch(() => null)) ?? {}
    if (cwd === null) continue
    const place = path.relative(real, await realpath(cwd).catch(() => path.resolve(cwd)))
    if (place !== '..' && !place.startsWith(`..${path.sep}`) && !path.isAbsolute(place)) found.push(file)
  }
  return found
}

async function importSome(
  store: TranscriptStore,
  sources: readonly FileSource[],
  report: ImportReport,
): Promise<void> {
  const opened = await store.open(sources)
  for (const [i, source] of sources.entries()) {
    const transcript = opened[i]
    if (transcript === undefined) continue
    await report.unlessUnreadable(source.path, async () =>
      report.add(source, await importFile(store, source, transcript)),
    )
  }
}

/** Reads a file from its last position. A line that is longer than a write takes a longer write. */
async function importFile(
  store: TranscriptStore,
  source: FileSource,
  opened: OpenTranscript,
): Promise<TranscriptImport> {
  let transcript = opened
  let offset = await resumeAt(source, transcript)
  let bytes = 0
  const counts = new ReadingCounts()
  for (let most = store.bytesAtOnce; ; ) {
    const reading = new CountedReading(readLines(source.path, offset, most))
    const read = await transcript.write(offset, reading.chunks()).catch((error: unknown) => {
      if (hasCode(error, 'turn_conflict')) return null
      throw reading.error ?? error
    })
    if (read === null) {
      // A hook of the same session was faster. Its bytes need not be read again.
      transcript = (await store.open([source]))[0] ?? transcript
      offset = await resumeAt(source, transcript)
      continue
    }
    bytes += read.bytes
    counts.add(read)
    if (reading.bytes < most) return { ...read, ...counts.figures(), bytes }
    if (read.offset === offset) most *= 2
    offset = read.offset
  }
}

/** Reads the bytes of a transcript. A document becomes one line. */
async function* readLines(file: string, from: number, most: number): AsyncGenerator<Buffer> {
  for await (const chunk of readChunks(file, from, most)) yield isDocument(file) ? joinLines(chunk) : chunk
}

/** Counts the bytes that are read, and keeps an error of reading, because the client reports only that the request failed. */
class CountedReading {
  bytes = 0
  error: unknown
  readonly #chunks: AsyncIterable<Buffer>

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks
  }

  async *chunks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#chunks) {
        this.bytes += chunk.length
        yield chunk
      }
    } catch (error) {
      this.error = error
      throw error
    }
  }
}

type FileSource = TranscriptSource & TranscriptFile

class ImportReport {
  readonly sources: FileSource[] = []
  readonly counts = new ReadingCounts()
  bytes = 0
  readonly skipped: SkippedFile[]

  constructor(skipped: SkippedFile[]) {
    this.skipped = skipped
  }

  add(source: FileSource, read: TranscriptImport): void {
    this.bytes += read.bytes
    this.counts.add(read)
    if (read.sessions > 0) this.sources.push(source)
    else if (read.skippedThreads > 0)
      this.skipped.push({ file: source.path, reason: 'its agent only warmed up' })
  }

  /** Reads the start of each file. Opens one file at a time, because each open file holds a buffer and the reads are synchronous. */
  async readSources(files: readonly string[], project: string): Promise<FileSource[]> {
    const sources: FileSource[] = []
    for (const path of files) {
      const file = await this.unlessUnreadable(path, () => transcriptFile(path))
      if (file === null) continue
      const problem = name.safeParse(file.sessionId).error?.issues[0]?.message
      if (problem === undefined) sources.push({ project, ...file })
      else this.skipped.push({ file: path, reason: `the name of its session ${problem}` })
    }
    return sources
  }

  /** Skips a file that cannot be read or is not a transcript, so that the import continues. */
  async unlessUnreadable<T>(file: string, read: () => Promise<T | null>): Promise<T | null> {
    try {
      const found = await read()
      if (found === null) {
        const reason = (await describeOtherFormat(file)) ?? 'it names no session of Claude Code or Codex'
        this.skipped.push({ file, reason })
      }
      return found
    } catch (error) {
      if (!isOfFile(error)) throw error
      this.skipped.push({ file, reason: `it cannot be read (${error.code})` })
      return null
    }
  }
}

const isOfFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'path' in error

function notThere(error: unknown): unknown {
  if (!isOfFile(error)) return error
  return new TurngraphError('not_found', `${error.path} cannot be read (${error.code}).`, {
    hint: 'Name a folder of transcripts, or one of them; Claude Code keeps its own in ~/.claude/projects, Codex in ~/.codex/sessions.',
    cause: error,
  })
}
