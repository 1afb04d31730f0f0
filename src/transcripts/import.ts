/** Reads a transcript from a byte on and writes its turns into the graph. */
import { createHash } from 'node:crypto'
import { TurngraphError } from '../core/errors.ts'
import {
  projectKey,
  sessionKey,
  splitSessionId,
  storedName,
  storedPath,
  transcriptFileKey,
} from '../core/keys.ts'
import { countMasks } from '../core/scrub/scrub.ts'
import { type Graph, type Step, toStep } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { ERROR_TEXT_RULES } from '../rules/tool-error.ts'
import { readWorktree } from '../rules/worktree.ts'
import { type Part, TranscriptBatch } from './batch.ts'
import {
  type KnownProgress,
  NOTHING_READ,
  readOneProgress,
  readSeen,
  type TranscriptProgress,
  type TranscriptSource,
} from './progress.ts'
import type { ReadingFigures } from './reading-counts.ts'
import { scrubErrors, scrubState } from './scrub-errors.ts'
import { newestRecordMs, type StoredTurn, sessionParams, storedTurn } from './statement-params.ts'
import { Transcript } from './transcript.ts'
import type { TranscriptTurn } from './turn.ts'

const linkTurns = statement('transcripts/link-turns')

/** What an import read. */
export type TranscriptImport = ReadingFigures & {
  /** From where to go on. */
  offset: number
  bytes: number
  sessions: number
  skippedThreads: number
}

/** For an import of many: the progress that was read for all at once, and a batch that is flushed at the end. */
type ImportParts = { known?: KnownProgress; batch?: TranscriptBatch }

/**
 * Reads a transcript from a byte on and writes its turns, some hundred steps at a time, each time with how far that
 * brings it: killed anywhere, it goes on from there. Reading it again changes nothing.
 *
 * @param offset where the chunks begin: what `readOneProgress` said, or 0 for all of it anew
 * @throws `turn_conflict` where the transcript was read up to another byte, `store_unavailable`, `timeout`
 * @example
 * const { offset } = await readOneProgress(graph, source)
 * await importTranscript(graph, source, offset, createReadStream(file, { start: offset }))
 */
export async function importTranscript(
  graph: Graph,
  source: TranscriptSource,
  offset: number,
  chunks: AsyncIterable<Buffer>,
  parts: ImportParts = {},
): Promise<TranscriptImport> {
  const progress = parts.known ?? (await readOneProgress(graph, source))
  if (offset !== 0 && offset !== progress.offset) throw readElsewhere(source, progress.offset)
  const { state, tail } = offset > 0 ? progress : NOTHING_READ
  const batch = parts.batch ?? new TranscriptBatch(graph)
  const throwIfRefused = async (): Promise<void> => {
    if (!batch.takeRefusal(source)) return
    throw readElsewhere(source, (await readOneProgress(graph, source)).offset)
  }
  const before = state === null ? {} : { state, ...(await readSeen(graph, source)) }
  const reading = new Reading(source, { expected: progress.stored, tail }, { offset, ...before })
  try {
    await readAll(reading, chunks, batch, throwIfRefused)
  } catch (error) {
    // The caller may read on at once: from where the last transaction leaves it.
    await batch.settled()
    throw error
  }
  reading.transcript.end()
  const isKnown = progress.isWhole && state !== null && reading.transcript.consumed === offset
  if (!isKnown) await batch.add(await reading.lastPart())
  if (parts.batch === undefined) await batch.flush()
  await throwIfRefused()
  const { counts, consumed, skipped } = reading.transcript
  counts.redactions = reading.redactions
  return {
    ...counts.figures(),
    offset: consumed,
    bytes: consumed - offset,
    sessions: reading.transcript.sessions().length,
    skippedThreads: skipped,
  }
}

async function readAll(
  reading: Reading,
  chunks: AsyncIterable<Buffer>,
  batch: TranscriptBatch,
  throwIfRefused: () => Promise<void>,
): Promise<void> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += MOST_AT_ONCE) {
      reading.transcript.push(chunk.subarray(at, at + MOST_AT_ONCE))
      if (reading.steps < batch.stepsAtOnce) continue
      await batch.add(await reading.part())
      await throwIfRefused()
    }
  }
}

/** A body may come in one chunk of any size: turns are written in between. */
const MOST_AT_ONCE = 1024 * 1024

const readElsewhere = ({ sessionId }: TranscriptSource, offset: number): TurngraphError =>
  new TurngraphError('turn_conflict', `offset: session ${sessionId} was read up to byte ${offset}.`, {
    hint: `Go on from byte ${offset}, or send all of it with offset 0.`,
    details: { offset },
  })

type Start = Omit<ConstructorParameters<typeof Transcript>[1], 'onTurn'>

/** A transcript on its way into the graph: what was read and is not yet written. */
class Reading {
  readonly transcript: Transcript
  /** Of the turns that are not yet written. */
  steps = 0
  readonly #source: TranscriptSource
  readonly #fileKey: string
  #found: StoredTurn[] = []
  /** How far this was read by what the graph says; another import that reads on makes it wrong. */
  #expected: number | null
  /** What stands before the byte that reading began at. */
  readonly #tailBefore: TranscriptProgress['tail']
  /** Masked places by the node that holds them: one that changes is written again. */
  readonly #redactions = new Map<string, number>()

  constructor(
    source: TranscriptSource,
    { expected, tail }: { expected: number | null; tail: TranscriptProgress['tail'] },
    start: Start,
  ) {
    this.#source = source
    this.#fileKey = transcriptFileKey(source)
    this.#expected = expected
    this.#tailBefore = tail
    const { session, agentId } = splitSessionId(source.sessionId)
    this.transcript = new Transcript(
      { sessionId: session, agentId },
      {
        ...start,
        onTurn: ({ sessionId }, turn) => {
          this.#add(sessionId, turn)
          this.steps += turn.length
        },
      },
    )
  }

  get redactions(): number {
    return [...this.#redactions.values()].reduce((sum, places) => sum + places, 0)
  }

  /** What was read since the last part. */
  async part(isLast = false): Promise<Part> {
    const { project, sessionId } = this.#source
    const newestMs = newestRecordMs(this.transcript.sessions().map(({ thread }) => thread))
    const turns = this.#found.map((turn) => ({ ...turn, newestMs }))
    this.#found = []
    this.steps = 0
    await this.#scrub(turns)
    return {
      source: this.#source,
      file: await this.#file(isLast),
      turns,
      agentsOf: isLast ? sessionKey(project, splitSessionId(sessionId).session) : null,
      links: isLast ? this.#links() : [],
    }
  }

  /** The last part: with the turns that stand open, and the links of all turns. */
  async lastPart(): Promise<Part> {
    for (const { thread, open } of this.transcript.sessions())
      if (open !== null) this.#add(thread.sessionId, open)
    return this.part(true)
  }

  #add(sessionId: string, turn: TranscriptTurn): void {
    this.#found.push(storedTurn(this.#source.project, this.#fileKey, sessionId, turn))
  }

  async #scrub(turns: readonly StoredTurn[]): Promise<void> {
    const places = await scrubErrors(turns.flatMap(({ turn }) => turn.steps))
    for (const { key, turn } of turns) {
      const names = turn.steps.flatMap(({ id, tool, agentId }) => [id, tool, agentId])
      const inErrors = turn.steps.reduce((sum, step) => sum + (places.get(step) ?? 0), 0)
      const masked = inErrors + countMasks([turn.id, ...names])
      if (masked > 0) this.#redactions.set(key, masked)
    }
  }

  async #file(isWhole: boolean): Promise<Part['file']> {
    const { project, sessionId, path = null, inode = null, parentStepId = null } = this.#source
    const { consumed: offset } = this.transcript
    const filePath = path === null ? null : storedPath(path)
    const threads = this.transcript.sessions().map(({ thread }) => thread)
    const ofThreads = threads.flatMap(({ sessionId: id, cwd, version }) => [storedName(id), cwd, version])
    this.#redactions.set(this.#fileKey, countMasks([filePath, ...ofThreads]))
    const state = await scrubState(this.transcript.state())
    const expected = this.#expected ?? -1
    this.#expected = offset
    return {
      key: this.#fileKey,
      expected,
      sessions: threads.map((thread) =>
        sessionParams(project, thread, thread.sessionId === sessionId ? parentStepId : null),
      ),
      properties: {
        project,
        sessionId: storedName(sessionId),
        path: filePath,
        inode,
        offset,
        isWhole,
        tail: this.#tail(),
        state: JSON.stringify(state),
        rulesVersion: ERROR_TEXT_RULES,
      },
    }
  }

  /**
   * An import that was killed after its last line and goes on there reads nothing: what stands before that byte stays what
   * it was. An empty tail would fit any file, so that one which is rewritten in place would not be read anew.
   */
  #tail(): string {
    const { tail } = this.transcript
    if (tail.length === 0 && this.#tailBefore !== null)
      return `${this.#tailBefore.bytes}:${this.#tailBefore.sha256}`
    return `${tail.length}:${createHash('sha256').update(tail).digest('hex')}`
  }

  /** Links to turns of a task in whose worktree a session ran (contract: transcripts.md, the end). */
  #links(): Step[] {
    const { project } = this.#source
    return this.transcript.sessions().flatMap(({ thread }) => {
      const worktree = readWorktree(thread.cwd)
      if (worktree === null) return []
      const params = {
        projectKey: projectKey(project),
        worktree,
        sessionKey: sessionKey(project, thread.sessionId),
      }
      return [toStep(linkTurns, params)]
    })
  }
}
