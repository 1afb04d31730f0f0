import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { callKey } from '../../src/transcripts/content.ts'
import { Transcript, type TranscriptName, type TranscriptState } from '../../src/transcripts/transcript.ts'
import type { TranscriptTurn } from '../../src/transcripts/turn.ts'
import { type IndependentTurn, readIndependently } from '../oracles/transcripts.ts'

/**
 * Transcripts for tests, in the forms of Claude Code, and the results of the streaming reader and of the
 * independent program, in one form.
 */

export type Written = Readonly<Record<string, unknown>>

export const SESSION = '0b5c1f7e-6a43-4c1d-9d55-3a1c2f0e8b11'

const text = (words: string) => ({ type: 'text', text: words })

export const user = (content: string | Written[], more: Written = {}): Written => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
})

const assistant = (content: Written[], message: Written, more: Written): Written => ({
  message: { role: 'assistant', model: 'claude-x', content, stop_reason: null, ...message },
  type: 'assistant',
  ...more,
})

/** @param message fields of the message itself, such as `stop_reason` */
export const says = (words: string, message: Written = {}, more: Written = {}): Written =>
  assistant([text(words)], message, more)

/** @param named each in the form `Tool id`: `calls(['Read a', 'Grep b'])` is one record with two blocks */
export const calls = (named: string | string[], message: Written = {}, more: Written = {}): Written =>
  assistant(
    [named].flat().map((each) => {
      const [name, id] = each.split(' ')
      return { type: 'tool_use', id, name, input: { type: 'user', command: '{"type":"user"}' } }
    }),
    message,
    more,
  )

/** @param block fields of the `tool_result` block: `content`, `is_error` */
export const result = (id: string, block: Written = {}, more: Written = {}): Written =>
  user([{ type: 'tool_result', tool_use_id: id, content: 'done', ...block }], more)

/** Makes a failed result with these words. */
export const failed = (id: string, content: unknown, more: Written = {}): Written =>
  result(id, { content, is_error: true }, more)

export const system = (subtype: string, more: Written = {}): Written => ({ type: 'system', subtype, ...more })

const at = (second: number): string => new Date(Date.UTC(2026, 0, 2) + second * 1000).toISOString()

/** Returns the time of the record at an index. */
export const instant = at

/** Puts records in order: the uuid is `r` and the index, and each is one second after the one before. */
export const placed = (records: readonly Written[]): Written[] =>
  records.map((record, i) => ({
    parentUuid: i === 0 ? null : `r${i - 1}`,
    isSidechain: false,
    sessionId: SESSION,
    version: '2.1.0',
    cwd: '/srv/app',
    ...record,
    uuid: 'uuid' in record ? record.uuid : `r${i}`,
    timestamp: 'timestamp' in record ? record.timestamp : at(i),
  }))

export const linesOf = (records: readonly Written[]): Buffer =>
  Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))

// ------------------------------------------------------------------------------------------- what is read

/** A turn in the common form of both programs. */
export type Told = Pick<
  TranscriptTurn,
  | 'id'
  | 'index'
  | 'kind'
  | 'status'
  | 'startedAt'
  | 'durationMs'
  | 'durationSource'
  | 'length'
  | 'pattern'
  | 'errors'
  | 'parallelSteps'
> & {
  steps: (readonly [id: string, tool: string, status: string, isParallel: boolean, error: string | null])[]
}

/** Turns by session; those of a session are in order. */
export type Sessions = Record<string, Told[]>

export type Reading = {
  sessions: Sessions
  /** How often turns were delivered. */
  handedOn: number
  badLines: number
  recoveredLines: number
  consumed: number
  transcript: Transcript
}

export type Way = {
  name?: TranscriptName
  /** Sizes of the chunks, repeated from the first after the last. */
  chunks?: readonly number[]
  /** Ends of the file at earlier reads. */
  cuts?: readonly number[]
  /**
   * True: the reader was killed at each cut, before its end, and only its turns and its state were stored.
   */
  isKilled?: boolean
}

const NAMED: TranscriptName = { sessionId: SESSION, agentId: null }

/**
 * Reads like an importer: at each cut the reader is discarded, its state is saved as JSON, and the next
 * reader receives the calls of all delivered turns. The result of an earlier stage for an open turn stays
 * until a later stage sees the turn.
 */
export function read(
  bytes: Buffer,
  { name = NAMED, chunks = [65_536], cuts = [], isKilled = false }: Way = {},
): Reading {
  const stored = new Map<string, Map<string, TranscriptTurn>>()
  const store = (session: string, turn: TranscriptTurn) => {
    const turns = stored.get(session) ?? new Map<string, TranscriptTurn>()
    stored.set(session, turns.set(turn.id, turn))
  }
  const seen = new Set<string>()
  const started = new Set<string>()
  const told = { handedOn: 0, badLines: 0, recoveredLines: 0 }
  let offset = 0
  let state: TranscriptState | null = null
  let transcript: Transcript | null = null
  for (const end of [...cuts, bytes.length]) {
    transcript = new Transcript(name, {
      offset,
      seen,
      started,
      ...(state === null ? {} : { state }),
      onTurn(thread, turn) {
        told.handedOn++
        store(thread.sessionId, structuredClone(turn))
        started.add(turn.id)
        for (const { response, id } of turn.steps) seen.add(callKey(response, id))
      },
    })
    pushInChunks(transcript, bytes.subarray(offset, end), chunks)
    if (!isKilled || end === bytes.length) {
      transcript.end()
      for (const { thread, open } of transcript.sessions()) {
        if (!stored.has(thread.sessionId)) stored.set(thread.sessionId, new Map())
        if (open !== null) store(thread.sessionId, open)
      }
    }
    told.badLines += transcript.counts.badLines
    told.recoveredLines += transcript.counts.recoveredLines
    offset = transcript.consumed
    state = JSON.parse(JSON.stringify(transcript.state())) as TranscriptState
  }
  if (transcript === null) throw new Error('no stage')
  const sessions = [...stored].map(([id, turns]) => [id, [...turns.values()].map(asTold)] as const)
  return { sessions: inOrder(sessions), ...told, consumed: offset, transcript }
}

/** Pushes all chunks in one buffer that is overwritten each time, as a caller may do. */
function pushInChunks(transcript: Transcript, bytes: Buffer, sizes: readonly number[]): void {
  const chunk = Buffer.alloc(Math.max(...sizes))
  for (let from = 0, i = 0; from < bytes.length; i++) {
    const size = Math.min(sizes[i % sizes.length] ?? 1, bytes.length - from)
    bytes.copy(chunk, 0, from, from + size)
    transcript.push(chunk.subarray(0, size))
    chunk.fill(0x7d)
    from += size
  }
}

const asTold = (turn: TranscriptTurn): Told => ({
  ...factsOf(turn),
  steps: turn.steps.map(({ id, tool, status, parallelGroup, error }) => [
    id,
    tool,
    status,
    parallelGroup !== null,
    error,
  ]),
})

const asToldIndependently = (turn: IndependentTurn): Told => ({
  ...factsOf(turn as unknown as TranscriptTurn),
  steps: turn.steps.map(({ id, tool, status, isParallel, message }) => [
    id,
    tool,
    status,
    isParallel,
    message,
  ]),
})

const factsOf = ({
  id,
  index,
  kind,
  status,
  startedAt,
  durationMs,
  durationSource,
  length,
  pattern,
  errors,
  parallelSteps,
}: TranscriptTurn): Omit<Told, 'steps'> => ({
  id,
  index,
  kind,
  status,
  startedAt,
  durationMs,
  durationSource,
  length,
  pattern,
  errors,
  parallelSteps,
})

const inOrder = (sessions: Iterable<readonly [string, Told[]]>): Sessions =>
  Object.fromEntries(
    [...sessions]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, turns]) => [id, turns.sort((a, b) => a.index - b.index)]),
  )

/** Returns the result of the independent program for a file. */
export function independently(file: string) {
  const { sessions, badLines, recoveredLines, pendingBytes } = readIndependently(file)
  return {
    sessions: inOrder(sessions.map(({ sessionId, turns }) => [sessionId, turns.map(asToldIndependently)])),
    badLines,
    recoveredLines,
    pendingBytes,
  }
}

/** Returns the result of the independent program for bytes without a file. */
export function independentlyOf(bytes: Buffer, fileName = `${SESSION}.jsonl`) {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-transcript-'))
  try {
    const file = path.join(folder, fileName)
    writeFileSync(file, bytes)
    return independently(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// -------------------------------------------------------------------------------------------- in few words

/** Returns the turns of the file's own session. */
export const turnsOf = (records: readonly Written[]): Told[] =>
  read(linesOf(placed(records))).sessions[SESSION] ?? []

/** Returns all sessions, each turn as `id kind status: pattern`. */
export const outline = ({ sessions }: Pick<Reading, 'sessions'>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(sessions).map(([id, turns]) => [id, turns.map(inWords)]))

export const inWords = ({ id, kind, status, pattern }: Told): string =>
  `${id} ${kind} ${status}${pattern === null ? '' : `: ${pattern}`}`
