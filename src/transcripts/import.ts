/** Reads a transcript from a position and writes its turns into the graph. */
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
import { scrubErrors, stepsOfState } from './scrub-errors.ts'
import { NEVER_MS, newestRecords, type StoredTurn, sessionParams, storedTurn } from './statement-params.ts'
import { Transcript, type TranscriptState } from './transcript.ts'
import type { TranscriptTurn } from './turn.ts'

const linkTurns = statement('transcripts/link-turns')

export type TranscriptImport = ReadingFigures & {
  offset: number
  bytes: number
  sessions: number
  skippedThreads: number
}

/** Shared by an import of many transcripts: the progress of all, read at once, and a batch that is flushed at the end. */
type ImportParts = { known?: KnownProgress; batch?: TranscriptBatch }

/**
 * Reads a transcript from a position and writes its turns, some hundred steps at a time, each time with the
 * new position. An import that was killed continues from there. Reading a transcript again changes nothing.
 *
 * @param offset position of the first chunk: the offset from `readOneProgress`, or 0 to read everything again
 * @throws `turn_conflict` if the transcript was read up to another position, `store_unavailable`, `timeout`
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
    // The caller may continue at once, from the position of the last transaction.
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
    sessions: reading.transcript.threads().length,
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
    for (let at = 0; at < chunk.length; at += MAX_BATCH_BYTES) {
      reading.transcript.push(chunk.subarray(at, at + MAX_BATCH_BYTES))
      if (reading.steps < batch.stepsAtOnce) continue
      await batch.add(await reading.part())
      await throwIfRefused()
    }
  }
}

/** A body may be one chunk of any size. Turns are written after this many bytes. */
const MAX_BATCH_BYTES = 1024 * 1024

const readElsewhere = ({ sessionId }: TranscriptSource, offset: number): TurngraphError =>
  new TurngraphError('turn_conflict', `offset: session ${sessionId} was read up to byte ${offset}.`, {
    hint: `Continue from byte ${offset}, or send the whole file with offset 0.`,
    details: { offset },
  })

type Start = Omit<ConstructorParameters<typeof Transcript>[1], 'onTurn'>

/** A transcript that is being imported: the turns that were read and are not written yet. */
class Reading {
  readonly transcript: Transcript
  steps = 0
  readonly #source: TranscriptSource
  readonly #fileKey: string
  #found: StoredTurn[] = []
  /** The position in the graph. It is wrong if another import has read further. */
  #expected: number | null
  /** The last bytes before the position at which reading began. */
  readonly #tailBefore: TranscriptProgress['tail']
  /** Number of masked places by node. The number of a node that changes is replaced. */
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

  async part(isLast = false): Promise<Part> {
    const threads = this.transcript.threads()
    const newest = newestRecords(threads)
    const turns = this.#found.map((turn) => ({
      ...turn,
      newestMs: newest.get(splitSessionId(turn.sessionId).session) ?? NEVER_MS,
    }))
    this.#found = []
    this.steps = 0
    const state = this.transcript.state()
    await this.#scrub(turns, state)
    return {
      source: this.#source,
      file: this.#file(isLast, state),
      turns,
      agentsOf: isLast ? [...new Set([this.#source, ...threads].map(this.#sessionKey))] : [],
      links: isLast ? this.#links() : [],
    }
  }

  #sessionKey = ({ sessionId }: { sessionId: string }): string =>
    sessionKey(this.#source.project, splitSessionId(sessionId).session)

  /** Returns the last part, with the open turns and the links of all turns. */
  async lastPart(): Promise<Part> {
    for (const { thread, open } of this.transcript.sessions())
      if (open !== null) this.#add(thread.sessionId, open)
    return this.part(true)
  }

  #add(sessionId: string, turn: TranscriptTurn): void {
    this.#found.push(storedTurn(this.#source.project, this.#fileKey, sessionId, turn))
  }

  /** Masks the errors of turns and of a state with one scan: the open turn is usually in both. */
  async #scrub(turns: readonly StoredTurn[], state: TranscriptState): Promise<void> {
    const places = await scrubErrors([...turns.flatMap(({ turn }) => turn.steps), ...stepsOfState(state)])
    for (const { key, turn } of turns) {
      const names = turn.steps.flatMap(({ id, tool, agentId }) => [id, tool, agentId])
      const inErrors = turn.steps.reduce((sum, step) => sum + (places.get(step) ?? 0), 0)
      const masked = inErrors + countMasks([turn.id, ...names])
      if (masked > 0) this.#redactions.set(key, masked)
    }
  }

  #file(isWhole: boolean, state: TranscriptState): Part['file'] {
    const { project, sessionId, path = null, inode = null, parentStepId = null } = this.#source
    const { consumed: offset } = this.transcript
    const filePath = path === null ? null : storedPath(path)
    const threads = this.transcript.threads()
    const ofThreads = threads.flatMap(({ sessionId: id, cwd, version }) => [storedName(id), cwd, version])
    this.#redactions.set(this.#fileKey, countMasks([filePath, ...ofThreads]))
    const expected = this.#expected ?? -1
    this.#expected = offset
    return {
      key: this.#fileKey,
      expected,
      sessions: threads.map((thread) =>
        sessionParams(
          { project, agent: this.transcript.agent },
          thread,
          thread.sessionId === sessionId ? parentStepId : null,
        ),
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
   * Returns the hash of the last bytes before the position. An import that reads nothing keeps the stored hash: the hash of an
   * empty tail would match any file, even one that was rewritten in place.
   */
  #tail(): string {
    const { tail } = this.transcript
    if (tail.length === 0 && this.#tailBefore !== null)
      return `${this.#tailBefore.bytes}:${this.#tailBefore.sha256}`
    return `${tail.length}:${createHash('sha256').update(tail).digest('hex')}`
  }

  /** Links the session to the turns of the task whose worktree it ran in (contract: transcripts.md, the end). */
  #links(): Step[] {
    const { project } = this.#source
    return this.transcript.threads().flatMap((thread) => {
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
