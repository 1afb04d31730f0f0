import { hasCode, TurngraphError } from '../core/errors.ts'
import { findTranscripts, readChunks, resumeAt, transcriptFile } from './files.ts'
import type { TranscriptImport } from './import.ts'
import { type FileSource, type FilesImport, ImportReport, isOfFile, together } from './import-report.ts'
import type { TranscriptContents, TranscriptProgress, TranscriptSource } from './progress.ts'

/** Where transcripts go: a graph of this process, or a service. */
export type TranscriptStore<P extends TranscriptProgress = TranscriptProgress> = {
  /** A longer file takes several writes. */
  bytesAtOnce: number
  progress: (sources: readonly TranscriptSource[]) => Promise<P[]>
  write: (
    source: TranscriptSource,
    from: { known: P; offset: number; chunks: AsyncIterable<Buffer> },
  ) => Promise<TranscriptImport>
  /** Writes what was gathered. @returns transcripts that somebody else read on meanwhile: they are to be read again */
  flush: () => Promise<TranscriptSource[]>
  /** All is written: what is derived from all transcripts is brought up to date once. */
  done: (project: string) => Promise<void>
  contents: (sources: readonly TranscriptSource[]) => Promise<TranscriptContents>
}

export type FilesOptions = {
  project: string
  onProgress?: ((done: number, total: number) => void) | undefined
}

/** Whose progress is asked for at once. */
const FILES_AT_ONCE = 100

/**
 * Imports all transcripts below some paths. What was read before is not read again; importing again changes nothing.
 *
 * @throws `invalid_request` where a path does not exist
 */
export async function importFiles<P extends TranscriptProgress>(
  store: TranscriptStore<P>,
  paths: readonly string[],
  { project, onProgress }: FilesOptions,
): Promise<FilesImport> {
  const began = performance.now()
  const { files, skipped, unread } = await findTranscripts(paths).catch((error: unknown) => {
    throw notThere(error)
  })
  const report = new ImportReport(skipped)
  for (let i = 0; i < files.length; i += FILES_AT_ONCE) {
    onProgress?.(i, files.length)
    const some = await Promise.all(
      files
        .slice(i, i + FILES_AT_ONCE)
        .map((file) => report.unlessUnreadable(file, () => transcriptFile(file))),
    )
    const found = some.filter((file) => file !== null).map((file) => ({ project, ...file }))
    await importSome(store, found, report)
  }
  for (let left = await store.flush(); left.length > 0; left = await store.flush()) {
    // Hooks of the same sessions were quicker: what they read need not be read again.
    await importSome(store, report.sourcesOf(left), report)
  }
  // Also where nothing was new: whoever read it may have been killed before this.
  await store.done(project)
  onProgress?.(files.length, files.length)
  return {
    files: files.length + report.notTranscripts,
    ...(await store.contents(report.sources)),
    ...report.figures(),
    unread,
    seconds: Math.round(performance.now() - began) / 1000,
  }
}

async function importSome<P extends TranscriptProgress>(
  store: TranscriptStore<P>,
  sources: readonly FileSource[],
  report: ImportReport,
): Promise<void> {
  const known = await store.progress(sources)
  for (const [i, source] of sources.entries()) {
    const own = known[i]
    if (own === undefined) continue
    await report.unlessUnreadable(source.path, async () =>
      report.add(source, await importFile(store, source, own)),
    )
  }
}

/** Reads on where it was left; a line that is longer than a write takes a longer one. */
async function importFile<P extends TranscriptProgress>(
  store: TranscriptStore<P>,
  source: FileSource,
  first: P,
): Promise<TranscriptImport> {
  let known = first
  let offset = await resumeAt(source, known)
  let whole: TranscriptImport | null = null
  for (let most = store.bytesAtOnce; ; ) {
    let sent = 0
    const chunks = counted(readChunks(source.path, offset, most), (bytes) => {
      sent += bytes
    })
    const read = await store.write(source, { known, offset, chunks }).catch((error: unknown) => {
      if (hasCode(error, 'turn_conflict')) return null
      throw error
    })
    if (read === null) {
      // A hook of the same session was quicker: what it read need not be read again.
      known = (await store.progress([source]))[0] ?? known
      offset = await resumeAt(source, known)
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
  redactions: before.redactions + after.redactions,
  unknown: together(before.unknown, after.unknown),
  unknownSubtypes: together(before.unknownSubtypes, after.unknownSubtypes),
  unknownFields: together(before.unknownFields, after.unknownFields),
})

function notThere(error: unknown): unknown {
  if (!isOfFile(error)) return error
  const message = `path: ${error.path} cannot be read (${error.code})`
  return new TurngraphError('invalid_request', message, {
    hint: 'Name a folder of transcripts, or one of them; Claude Code keeps its own in ~/.claude/projects.',
    details: { problems: [{ path: 'path', message: `${error.path} cannot be read (${error.code})` }] },
    cause: error,
  })
}
