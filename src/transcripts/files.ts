/** Finds transcripts as files, the session of each, and reads their bytes. */
import { createHash } from 'node:crypto'
import {
  closeSync,
  type Dirent,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { type FileHandle, open, readdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { TurngraphError } from '../core/errors.ts'
import { name } from '../core/fields.ts'
import { storedName } from '../core/keys.ts'
import { systemCode } from '../core/system-code.ts'
import { asText, isCompaction } from './content.ts'
import { parseObject, type TranscriptRecord } from './line-records.ts'
import type { TranscriptProgress } from './progress.ts'
import { atifSession, isAtif } from './readers/atif.ts'
import { type CodexSession, isRollout, readCodexSession } from './readers/codex-session.ts'
import { type Counted, Tally } from './reading-counts.ts'
import { parseFileName } from './transcript.ts'

export type SkippedFile = { file: string; reason: string }

type FoundTranscripts = {
  files: string[]
  skipped: SkippedFile[]
  /** Number of files whose names are not those of transcripts, by extension. */
  unread: Counted
}

/** Finds all `*.jsonl` files and ATIF documents (`*.json`) at or below some paths, in the order of their names. */
export async function findTranscripts(paths: readonly string[]): Promise<FoundTranscripts> {
  const files: string[] = []
  const skipped: SkippedFile[] = []
  const unread = new Tally()
  for (const given of paths) {
    const root = realpathSync.native(given)
    const isFolder = statSync(root).isDirectory()
    const found: string[] = isFolder ? [] : [root]
    for await (const entry of isFolder ? listBelow(root, skipped) : []) {
      const file = path.join(entry.parentPath, entry.name)
      if (file.endsWith('.jsonl') || (entry.isFile() && (await isTrajectory(file)))) found.push(file)
      else if (isUnread(entry)) unread.add(path.extname(entry.name) || '(none)')
    }
    for (const file of found.sort()) {
      const reason = reasonToSkip(file)
      if (reason === null) files.push(file)
      else skipped.push({ file, reason })
    }
  }
  return { files: [...new Set(files)], skipped, unread: unread.counted() }
}

/** Lists everything below a folder. Skips a folder below it that cannot be read or that was removed. */
async function* listBelow(folder: string, skipped: SkippedFile[], isRoot = true): AsyncGenerator<Dirent> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    const code = systemCode(error)
    if (isRoot || code === null) throw error
    if (code !== 'ENOENT') skipped.push({ file: folder, reason: `it cannot be read (${code})` })
    return []
  })
  for (const entry of entries) {
    yield entry
    if (entry.isDirectory()) yield* listBelow(path.join(folder, entry.name), skipped, false)
  }
}

/** Checks for an unread file. Hidden files do not count, nor does metadata of agents, which is read with their transcripts. */
const isUnread = (entry: Dirent): boolean =>
  !entry.isDirectory() && !entry.name.startsWith('.') && !/\.(jsonl|meta\.json)$/.test(entry.name)

const isTrajectory = async (file: string): Promise<boolean> =>
  isDocument(file) && !file.endsWith('.meta.json') && isAtif(await readStart(file).catch(() => ''))

export const isDocument = (file: string): boolean => file.endsWith('.json')

/** Replaces the newlines of a document by blanks, in place: it becomes one line, and each byte keeps its place. */
export function joinLines(bytes: Buffer): Buffer {
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) bytes[at] = BLANK
  return bytes
}

const NEWLINE = 0x0a
const BLANK = 0x20

function reasonToSkip(file: string): string | null {
  const { agentId } = parseFileName(file)
  if (agentId !== null && isCompaction(agentId)) return 'it is an agent that compacts a conversation'
  // A link may lead out of the given folder, or to the same file twice.
  const found = describeLink(file)
  if (found === null) return 'it cannot be read'
  return found.isFile() ? null : 'it is no file'
}

function describeLink(file: string): Stats | null {
  try {
    return lstatSync(file)
  } catch {
    return null
  }
}

export type TranscriptFile = {
  path: string
  sessionId: string
  inode: number
  parentStepId: string | null
}

/** Describes a file that is not a transcript of a known agent; null if it may be one. */
export async function describeOtherFormat(file: string): Promise<string | null> {
  const start = await readStart(file)
  if (start === '') return 'it is empty'
  const isWhole = !start.includes('\n') && !/^\{"(?:type|uuid|parentUuid|sessionId)"/.test(start)
  const ofJson = isWhole ? ONE_DOCUMENT : null
  return recognizeFormat(start) ?? (/^[{[]/.test(start) ? ofJson : `it is plain text, ${NO_TRANSCRIPT}`)
}

async function readStart(file: string): Promise<string> {
  return decodeStart(await readStartBytes(file))
}

async function readStartBytes(file: string): Promise<Buffer> {
  for await (const chunk of readChunks(file, 0, FIRST_BYTES)) return chunk
  return Buffer.alloc(0)
}

const decodeStart = (bytes: Buffer): string =>
  bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim()

/** Checks whether the first line is a record of Claude Code. Most transcripts are recognized by it, without decoding the rest. */
function beginsWithSession(start: Buffer): boolean {
  const end = start.indexOf(NEWLINE)
  const record = end < 0 ? null : parseObject(start.toString('latin1', 0, end))
  return typeof record?.sessionId === 'string' && record.loglines === undefined
}

const FIRST_BYTES = 64 * 1024
const NO_TRANSCRIPT = 'no transcript of ~/.claude/projects'
const ONE_DOCUMENT = `it is one JSON document, ${NO_TRANSCRIPT}`

/** Names the format of a text that begins like a file of another program; null for a transcript or an unknown format. */
function recognizeFormat(start: string): string | null {
  const lines = start.split('\n')
  const records: TranscriptRecord[] = []
  for (const line of lines.slice(0, 20)) {
    const record = parseObject(line)
    if (record === null) continue
    records.push(record)
    if (typeof record.sessionId !== 'string') continue
    return lines.length === 1 && record.loglines !== undefined ? ONE_DOCUMENT : null
  }
  if (records.some(({ type, session_id }) => typeof type === 'string' && typeof session_id === 'string'))
    return `it is the stream of \`claude -p --output-format stream-json\`, ${NO_TRANSCRIPT}`
  if (records.some(({ type, thread_id }) => type === 'thread.started' && typeof thread_id === 'string'))
    return 'it is the stream of `codex exec --json`, no transcript of ~/.codex/sessions'
  if (
    records.length > 0 &&
    records.some(({ loglines, messages, type }) => type === undefined && (loglines ?? messages) !== undefined)
  )
    return ONE_DOCUMENT
  if (/^\[\s*(?:[[{\]]|$)/.test(start)) return `it is a JSON array, ${NO_TRANSCRIPT}`
  if (records.length > 0) return null
  if (/^\{\s*(?:"|$)/.test(start) && lines.length > 1 && !/\{"(?:type|uuid|parentUuid)"/.test(start))
    return ONE_DOCUMENT
  return null
}

/** Finds the session of a transcript file; null if the file names no session. */
export async function transcriptFile(file: string): Promise<TranscriptFile | null> {
  const { sessionId, agentId } = parseFileName(file)
  const bytes = agentId === null ? await readStartBytes(file) : Buffer.alloc(0)
  if (sessionId !== null && beginsWithSession(bytes)) return describeFile(file, sessionId, null)
  const start = decodeStart(bytes)
  if (isDocument(file) && isAtif(start)) return describeFile(file, nameTrajectory(start, file), null)
  if (isRollout(start)) return describeFile(file, nameRollout(await rolloutSession(file), file), null)
  // A log of another program may also be named after its session.
  if (sessionId !== null && agentId === null && recognizeFormat(start) !== null) return null
  const session = sessionId ?? (await firstSessionId(file))
  if (session === null) return null
  if (agentId === null) return describeFile(file, session, null)
  return describeFile(file, `${session}/${agentId}`, startedBy(file))
}

/** Names the session of a trajectory: by its own name, otherwise by its file and folder. */
const nameTrajectory = (start: string, file: string): string =>
  asName(
    atifSession(start) ??
      `${path.basename(path.dirname(path.resolve(file)))}-${path.basename(file, '.json')}`,
  )

/** Describes a file. Synchronous, because an import waited for a tenth of its time when each call switched to a thread. */
function describeFile(
  file: string,
  sessionId: string | null,
  parentStepId: string | null,
): TranscriptFile | null {
  if (sessionId === null) return null
  return { path: realpathSync.native(file), sessionId, inode: statSync(file).ino, parentStepId }
}

const MAX_META_BYTES = 64 * 1024
const FIRST_LINES = 4 * 1024 * 1024

async function firstSessionId(file: string): Promise<string | null> {
  for await (const line of firstLines(file)) {
    const sessionId = asText(parseObject(line)?.sessionId)
    if (sessionId !== null) return asName(sessionId)
  }
  return null
}

export async function rolloutSession(file: string): Promise<CodexSession | null> {
  for await (const line of firstLines(file)) {
    const record = parseObject(line)
    const session = record === null ? null : readCodexSession(record)
    if (session !== null) return session
  }
  return null
}

/** Names the session of a rollout: by its first record, otherwise by the end of the file name. */
function nameRollout(session: CodexSession | null, file: string): string | null {
  if (session === null) return ROLLOUT_ID.exec(path.basename(file))?.[1] ?? null
  const { id, parentId } = session
  return parentId === null ? asName(id) : `${asName(parentId)}/${asName(id)}`
}

const ROLLOUT_ID = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i

async function* firstLines(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of readChunks(file, 0, FIRST_LINES)) {
    const lines = `${rest}${chunk.toString('utf8')}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  yield rest
}

/** Makes a session's name safe for paths and keys. Other programs may write any characters. */
const asName = (sessionId: string): string => {
  const name = storedName(sessionId.replaceAll('/', '-'))
  return RESERVED.has(name) ? `session-${name}` : name
}

/** Names with a special meaning in addresses. */
const RESERVED: ReadonlySet<string> = new Set(['.', '..', 'import', 'count'])

/** Reads the call that started an agent. Newer versions write it in a file next to the agent's transcript. */
function startedBy(file: string): string | null {
  const beside = `${file.slice(0, -'.jsonl'.length)}.meta.json`
  const found = describeLink(beside)
  if (found === null || !found.isFile() || found.size > MAX_META_BYTES) return null
  try {
    const id = name.safeParse(parseObject(readFileSync(beside, 'utf8').replace(/^\uFEFF/, ''))?.toolUseId)
    return id.success ? id.data : null
  } catch {
    return null
  }
}

const CHUNK_BYTES = 1024 * 1024

/** The unused buffer, if any. A new buffer for every file of some KB would fill memory faster than it is collected. */
let spare: Buffer | null = null

/**
 * Reads the bytes of a file from a position. Each chunk overwrites the previous one. Reads synchronously: four switches to a
 * thread for each small file took a third of the total time.
 */
export async function* readChunks(file: string, from: number, most: number): AsyncGenerator<Buffer> {
  const descriptor = openSync(file, 'r')
  const isWhole = most >= CHUNK_BYTES
  const buffer = isWhole ? (spare ?? Buffer.allocUnsafe(CHUNK_BYTES)) : Buffer.allocUnsafe(most)
  if (isWhole) spare = null
  try {
    let left = most
    for (let at = from; left > 0; ) {
      const bytesRead = readSync(descriptor, buffer, 0, Math.min(buffer.length, left), at)
      if (bytesRead === 0) return
      at += bytesRead
      left -= bytesRead
      // Lets other requests and the current transaction proceed.
      await setImmediate()
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    if (isWhole) spare = buffer
    closeSync(descriptor)
  }
}

/** Returns the position to continue at. If the bytes before it changed, the file is read from the start. */
export async function resumeAt(
  file: TranscriptFile,
  { offset, inode, tail }: TranscriptProgress,
): Promise<number> {
  if (offset === 0 || tail === null || inode !== file.inode) return 0
  const handle = await open(file.path, 'r')
  try {
    if ((await handle.stat()).size < offset) return 0
    return (await hashBefore(handle, offset, tail.bytes, isDocument(file.path))) === tail.sha256 ? offset : 0
  } finally {
    await handle.close()
  }
}

async function hashBefore(
  handle: FileHandle,
  offset: number,
  bytes: number,
  joins: boolean,
): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, offset - bytes)
  const found = buffer.subarray(0, bytesRead)
  return createHash('sha256')
    .update(joins ? joinLines(found) : found)
    .digest('hex')
}

/**
 * Resolves a path that a service was asked to read. After all links are followed, it must be below a folder that the operator
 * named.
 * @throws `forbidden` for every other path, whether it exists or not
 */
export async function importRoot(given: string, roots: readonly string[]): Promise<string> {
  const found = await realpath(given).catch(() => null)
  for (const root of roots) {
    const real = await realpath(root).catch(() => null)
    if (found === null || real === null) continue
    if (found === real || found.startsWith(real.endsWith(path.sep) ? real : `${real}${path.sep}`))
      return found
  }
  throw new TurngraphError(
    'forbidden',
    `path: ${given} is not below a folder that this service imports from.`,
    {
      hint: 'Its operator names them in TURNGRAPH_IMPORT_ROOTS. `turngraph import transcripts` sends your own files.',
      details: { problems: [{ path: 'path', message: 'is not below TURNGRAPH_IMPORT_ROOTS' }] },
    },
  )
}
