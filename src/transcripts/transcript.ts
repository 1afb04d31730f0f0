/** Reads one transcript: the session in its file name, then its lines as they arrive. */
import path from 'node:path'
import * as z from 'zod'
import { maskName, splitSessionId } from '../core/keys.ts'
import { LineSplitter } from '../core/lines.ts'
import { maskedName } from './content.ts'
import { emptyState } from './empty-state.ts'
import { type TranscriptRecord, wholeObject, wholeObjectsLength } from './line-records.ts'
import { recognizeReader, restoreReader, storedReader } from './readers/choose-reader.ts'
import { claudeCodeReader } from './readers/claude-code.ts'
import type { LineReader } from './readers/reader.ts'
import { ReadingCounts } from './reading-counts.ts'
import { newThread, Thread, type ThreadState, type ThreadsOfFile, threadState } from './thread.ts'
import type { TranscriptTurn } from './turn.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const AGENT_FILE = /^agent-(.+)$/

export type TranscriptName = {
  sessionId: string | null
  /** The subagent, if the file is its only thread. */
  agentId: string | null
}

/** Reads the session from a file name, if it is a UUID. Otherwise the session is the first `sessionId` in the file. */
export function parseFileName(file: string): TranscriptName {
  const name = path.basename(file, '.jsonl')
  const agentId = AGENT_FILE.exec(name)?.[1] ?? null
  if (agentId === null) return { sessionId: UUID.test(name) ? name : null, agentId }
  const folders = path.dirname(file).split(path.sep)
  const parent = folders[folders.lastIndexOf('subagents') - 1]
  return { sessionId: parent !== undefined && UUID.test(parent) ? parent : null, agentId }
}

type OnTurn = (thread: ThreadState, turn: TranscriptTurn) => void

export const transcriptState = storedReader.extend({
  sessionId: z.string().nullable(),
  threads: z.array(threadState),
  /** Id and session of the newest records of each sidechain within the file. They assign later records to their sidechain. */
  records: z.array(z.tuple([z.string(), z.string()])),
  /** Uuids of the newest records of the file's own thread. A record of another session may continue from one. */
  recent: z.array(z.string()),
  /** Other sessions whose records belong to the file's own thread. A resumed or forked session has some. */
  joined: z.array(z.string()),
})
export type TranscriptState = z.output<typeof transcriptState>

const NEW: TranscriptState = emptyState(transcriptState)

const copySteps = <S, T extends { steps: S[] }>(turn: T): T => ({
  ...turn,
  steps: turn.steps.map((step) => ({ ...step })),
})

const MAX_RECORDS = 512
const MAX_RECENT = 32
/** Maximum number of other sessions of a file. Records of further ones belong to the file's own session. */
const MAX_OTHER_SESSIONS = 64

/**
 * Reads one transcript from a position: chunks in, turns out. Only one line and the open turns are in memory.
 * @example
 * const transcript = new Transcript(parseFileName(file), { onTurn: (thread, turn) => store(thread.sessionId, turn) })
 * for await (const chunk of createReadStream(file)) transcript.push(chunk)
 * transcript.end()
 */
export class Transcript {
  readonly counts = new ReadingCounts()
  readonly #name: TranscriptName
  readonly #lines: LineSplitter
  readonly #threads = new Map<string, Thread>()
  readonly #shared: ThreadsOfFile
  readonly #records: Map<string, string>
  readonly #newest = new Map<string, string>()
  readonly #recent: string[]
  readonly #joined: Set<string>
  readonly #separate = new Set<string>()
  readonly #onTurn: OnTurn
  /** Null until a line shows which agent wrote the transcript. */
  #reader: LineReader | null
  #sessionId: string | null
  /** The prefix of the ids of its threads, as the caller names it. In the stored state the prefix is masked. */
  readonly #ownId: string
  readonly #maskedOwnId: string
  /** Records of a transcript without a name, until its session is known. */
  readonly #waiting: TranscriptRecord[] = []

  constructor(
    name: TranscriptName,
    {
      offset = 0,
      state = NEW,
      seen = [],
      started = [],
      onTurn,
    }: {
      offset?: number
      state?: TranscriptState
      seen?: Iterable<string>
      started?: Iterable<string>
      onTurn: OnTurn
    },
  ) {
    this.#name = name
    this.#onTurn = onTurn
    this.#reader = restoreReader(state)
    this.#sessionId = name.sessionId ?? state.sessionId
    this.#shared = {
      pending: new Map(),
      seen: new Set(seen),
      started: new Set(started),
      onTurn: (thread, turn) => this.#turn(thread, turn),
    }
    this.#ownId = name.agentId === null ? (name.sessionId ?? '') : `${name.sessionId ?? ''}/${name.agentId}`
    this.#maskedOwnId = maskName(this.#ownId)
    this.#records = new Map(state.records.map(([uuid, id]) => [uuid, this.#unmaskId(id)]))
    for (const [uuid, sessionId] of this.#records) this.#newest.set(sessionId, uuid)
    this.#recent = [...state.recent]
    this.#joined = new Set(state.joined)
    this.#lines = new LineSplitter(offset, (bytes, start, end) => this.#line(bytes, start, end))
    for (const thread of state.threads)
      this.#add({ ...structuredClone(thread), sessionId: this.#unmaskId(thread.sessionId) })
    for (const id of this.#threads.keys()) {
      const { session } = splitSessionId(id)
      if (session !== this.#sessionId) this.#separate.add(session)
    }
  }

  get consumed(): number {
    return this.#lines.consumed
  }

  get tail(): Buffer {
    return this.#lines.tail
  }

  get sessionId(): string | null {
    return this.#sessionId
  }

  get agent(): string {
    return (this.#reader ?? claudeCodeReader).agent
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk)
  }

  /** Ends the input. A last line without a newline counts if it is one whole object; otherwise it is left for the next time. */
  end(): void {
    this.#lines.end(wholeObjectsLength)
    for (const record of this.#waiting.splice(0)) this.#record(record)
    for (const { state, counts } of this.#threads.values()) if (counts) this.#release(state)
    this.counts.badLines += this.#lines.overlong
    this.#lines.overlong = 0
  }

  sessions(): { thread: ThreadState; open: TranscriptTurn | null }[] {
    return this.#sessions().map((thread) => ({ thread: thread.state, open: thread.openTurn() }))
  }

  threads(): ThreadState[] {
    return this.#sessions().map(({ state }) => state)
  }

  #sessions(): Thread[] {
    return [...this.#threads.values()].filter(({ counts }) => counts)
  }

  /** Number of threads that only warm up or compact. */
  get skipped(): number {
    return [...this.#threads.values()].filter(({ counts }) => !counts).length
  }

  /** Returns the state at the current position. The caller may change its steps and must not keep it. */
  state(): TranscriptState {
    return {
      agent: this.#reader?.agent ?? null,
      reader: this.#reader?.state() ?? null,
      sessionId: this.#sessionId === null ? null : maskName(this.#sessionId),
      threads: [...this.#threads.values()].map(({ state }) => ({
        ...state,
        sessionId: this.#maskId(state.sessionId),
        open: state.open === null ? null : copySteps(state.open),
        unsettled: state.unsettled.map(copySteps),
        held: state.held.map(copySteps),
      })),
      records: [...this.#records].map(([uuid, id]) => [uuid, this.#maskId(id)]),
      recent: [...this.#recent],
      joined: [...this.#joined],
    }
  }

  #maskId(id: string): string {
    return id.startsWith(this.#ownId) ? this.#maskedOwnId + id.slice(this.#ownId.length) : id
  }

  #unmaskId(id: string): string {
    return id.startsWith(this.#maskedOwnId) ? this.#ownId + id.slice(this.#maskedOwnId.length) : id
  }

  #line(bytes: Buffer, start: number, end: number): void {
    if (this.#sessionId === null) this.#findSession(wholeObject(bytes.subarray(start, end)))
    this.#reader ??= recognizeReader(bytes.subarray(start, end))
    const reader = this.#reader ?? claudeCodeReader
    reader.readLine(bytes, start, end, this.counts, (record) => {
      if (this.#sessionId === null) this.#findSession(record)
      if (this.#sessionId === null) this.#waiting.push(record)
      else this.#record(record)
    })
  }

  /** Finds the session of a transcript without a name: the first session that a record names. */
  #findSession(record: TranscriptRecord | null): void {
    this.#sessionId = maskedName(record?.sessionId)
    if (this.#sessionId === null) return
    for (const record of this.#waiting.splice(0)) this.#record(record)
  }

  #record(record: TranscriptRecord): void {
    this.#findThread(record).read(record)
  }

  #findThread(record: TranscriptRecord): Thread {
    const { agentId } = this.#name
    const own = this.#sessionId ?? '(no session)'
    if (agentId !== null) return this.#thread(`${own}/${agentId}`, true)
    const [uuid, parent] = [maskedName(record.uuid), maskedName(record.parentUuid)]
    const session = this.#findOwner(record, own, parent)
    if (record.isSidechain !== true) {
      if (session === own && uuid !== null) this.#rememberRecent(uuid)
      return this.#thread(session, false)
    }
    const agent = maskedName(record.agentId)
    const id =
      agent !== null
        ? `${session}/${agent}`
        : ((parent === null ? undefined : this.#records.get(parent)) ?? `${session}/${uuid ?? ''}`)
    if (uuid !== null) this.#rememberRecord(uuid, id)
    return this.#thread(id, true)
  }

  /**
   * Returns the session of a record: that of the file, or another one if its id and its parent chain both differ (contract:
   * truth.md, section 8). A resumed session begins with the records that it continues from, whatever their session.
   */
  #findOwner({ sessionId, type }: TranscriptRecord, own: string, parent: string | null): string {
    if (sessionId === own) return own // the usual case, without masking both
    const other = maskedName(sessionId)
    if (other === null || other === maskName(own) || this.#joined.has(other)) return own
    const isConnected = this.#recent.length === 0 || (parent !== null && this.#recent.includes(parent))
    if (this.#separate.has(other)) return isConnected ? own : other
    const isFull = this.#separate.size + this.#joined.size >= MAX_OTHER_SESSIONS
    if (isFull) return own
    if (isConnected) this.#joined.add(other)
    else if (type === 'user' || type === 'assistant') this.#separate.add(other)
    return this.#separate.has(other) ? other : own
  }

  #rememberRecent(uuid: string): void {
    this.#recent.push(uuid)
    if (this.#recent.length > MAX_RECENT) this.#recent.shift()
  }

  /** Remembers the newest record of each thread, and some of the newest of all. They assign later records to threads. */
  #rememberRecord(uuid: string, sessionId: string): void {
    this.#records.delete(uuid)
    this.#records.set(uuid, sessionId)
    this.#newest.set(sessionId, uuid)
    if (this.#records.size <= MAX_RECORDS + this.#newest.size) return
    for (const [old, of] of this.#records) {
      if (this.#newest.get(of) === old) continue
      this.#records.delete(old)
      return
    }
  }

  #thread(sessionId: string, sidechain: boolean): Thread {
    return this.#threads.get(sessionId) ?? this.#add(newThread(sessionId, sidechain))
  }

  #add(state: ThreadState): Thread {
    const thread = new Thread(state, this.#shared)
    this.#threads.set(state.sessionId, thread)
    return thread
  }

  #turn({ state, counts }: Thread, turn: TranscriptTurn): void {
    state.held.push(turn)
    if (counts) this.#release(state)
  }

  #release(state: ThreadState): void {
    for (const turn of state.held.splice(0)) this.#onTurn(state, turn)
  }
}
