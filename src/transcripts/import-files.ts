import { TurngraphError } from '../errors.ts'
import {
  findTranscripts,
  readChunks,
  resumeAt,
  type SkippedFile,
  type TranscriptFile,
  transcriptFile,
} from './files.ts'
import type { TranscriptImport, TranscriptProgress, TranscriptSource } from './import.ts'
import { Tally } from './tally.ts'

/** Where transcripts go: a graph of this process, or a service. */
export type TranscriptStore = {
  progress: (source: TranscriptSource) => Promise<TranscriptProgress>
  write: (
    source: TranscriptSource,
    offset: number,
    chunks: AsyncIterable<Buffer>,
  ) => Promise<TranscriptImport>
  /** All is written: what is derived from all transcripts is brought up to date once. */
  done: (project: string) => Promise<void>
  contents: (sources: readonly TranscriptSource[]) => Promise<Contents>
}

/** What the graph holds of some transcripts. */
export type Contents = { sessions: number; turns: number; steps: number }

/** What an import of files did (contract: transcripts.md, "Command line and REST"). */
export type FilesImport = Contents & {
  files: number
  /** Newly read. */
  bytes: number
  badLines: number
  recoveredLines: number
  skippedFiles: number
  skipped: SkippedFile[]
  unknown: Record<string, number>
  unknownSubtypes: Record<string, number>
  unknownFields: Record<string, number>
  seconds: number
}

export type FilesOptions = {
  project: string
  onProgress?: ((done: number, total: number) => void) | undefined
}

/** One request's worth: a longer file takes several, each resumable. */
const BYTES_AT_ONCE = 32 * 1024 * 1024

/**
 * Imports all transcripts below some paths. What was read before is not read again; importing again changes nothing.
 *
 * @throws `invalid_request` where a path does not exist
 */
export async function importFiles(
  store: TranscriptStore,
  paths: readonly string[],
  { project, onProgress }: FilesOptions,
): Promise<FilesImport> {
  const began = performance.now()
  const { files, skipped } = await findTranscripts(paths).catch((error: unknown) => {
    throw notThere(error)
  })
  const found = files.length + skipped.length
  const sources: TranscriptSource[] = []
  const sums = { bytes: 0, badLines: 0, recoveredLines: 0 }
  const tallies = { unknown: new Tally(), unknownSubtypes: new Tally(), unknownFields: new Tally() }
  for (const [i, path] of files.entries()) {
    onProgress?.(i, files.length)
    try {
      const file = await transcriptFile(path)
      if (file === null) {
        skipped.push({ file: path, reason: 'no session is named in it' })
        continue
      }
      const source = { project, ...file }
      const { sessions, skippedThreads, ...read } = await importFile(store, file, source)
      for (const name of ['bytes', 'badLines', 'recoveredLines'] as const) sums[name] += read[name]
      for (const name of ['unknown', 'unknownSubtypes', 'unknownFields'] as const) {
        for (const [key, times] of read[name]) tallies[name].add(key, times)
      }
      if (sessions > 0) sources.push(source)
      else if (skippedThreads > 0) skipped.push({ file: path, reason: 'its agent only warmed up' })
    } catch (error) {
      if (!isOfFile(error)) throw error
      skipped.push({ file: path, reason: `it cannot be read (${error.code})` })
    }
  }
  if (sums.bytes > 0) await store.done(project)
  onProgress?.(files.length, files.length)
  return {
    files: found,
    ...(await store.contents(sources)),
    ...sums,
    skippedFiles: skipped.length,
    skipped,
    unknown: Object.fromEntries(tallies.unknown.entries()),
    unknownSubtypes: Object.fromEntries(tallies.unknownSubtypes.entries()),
    unknownFields: Object.fromEntries(tallies.unknownFields.entries()),
    seconds: Math.round(performance.now() - began) / 1000,
  }
}

/** Reads on where it was left; a line that is longer than a request takes a longer one. */
async function importFile(
  store: TranscriptStore,
  file: TranscriptFile,
  source: TranscriptSource,
): Promise<TranscriptImport> {
  let offset = await resumeAt(file, await store.progress(source))
  let whole: TranscriptImport | null = null
  for (let most = BYTES_AT_ONCE; ; ) {
    let sent = 0
    const chunks = counted(readChunks(file.path, offset, most), (bytes) => {
      sent += bytes
    })
    const read = await store.write(source, offset, chunks).catch((error: unknown) => {
      if (error instanceof TurngraphError && error.code === 'turn_conflict') return null
      throw error
    })
    if (read === null) {
      // A hook of the same session was quicker: what it read need not be read again.
      offset = await resumeAt(file, await store.progress(source))
      continue
    }
    whole = whole === null ? read : added(whole, read)
    if (sent < most) return whole
    if (read.offset === offset) most *= 2
    offset = read.offset
  }
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onBytes(chunk.length)
    yield chunk
  }
}

const added = (before: TranscriptImport, after: TranscriptImport): TranscriptImport => ({
  ...after,
  bytes: before.bytes + after.bytes,
  badLines: before.badLines + after.badLines,
  recoveredLines: before.recoveredLines + after.recoveredLines,
  unknown: [...before.unknown, ...after.unknown],
  unknownSubtypes: [...before.unknownSubtypes, ...after.unknownSubtypes],
  unknownFields: [...before.unknownFields, ...after.unknownFields],
})

const isOfFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'path' in error

function notThere(error: unknown): unknown {
  if (!isOfFile(error)) return error
  const message = `path: ${error.path} cannot be read (${error.code})`
  return new TurngraphError('invalid_request', message, {
    hint: 'Name a folder of transcripts, or one of them; Claude Code keeps its own in ~/.claude/projects.',
    details: { problems: [{ path: 'path', message: `cannot be read (${error.code})` }] },
    cause: error,
  })
}
