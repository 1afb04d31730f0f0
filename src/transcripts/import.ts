import { createHash, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { TurngraphError } from '../errors.ts'
import { optionalNumber, optionalText } from '../graph/columns.ts'
import { decodeRow, readRows } from '../graph/decode.ts'
import type { Graph, Params, Row, Run, Step, Value } from '../graph/port.ts'
import { type Statement, statement } from '../graph/statements.ts'
import { projectKey, sha256, transcriptKey } from '../keys.ts'
import { scrub } from '../scrub.ts'
import {
  heldParams,
  nameFrom,
  type StoredTurn,
  sessionKey,
  sessionParams,
  storedTurn,
  turnParams,
} from './stored.ts'
import { Transcript, type TranscriptName, type TranscriptState } from './transcript.ts'
import type { Step as TurnStep } from './turn.ts'

const progressStatement = statement('transcripts/progress')
const knownCalls = statement('transcripts/known-calls')
const knownTurns = statement('transcripts/known-turns')
const forgetParts = statement('transcripts/forget-parts')
const writeFile = statement('transcripts/file')
const writeTurns = statement('transcripts/turns')
const writeHolds = statement('transcripts/holds')
const linkAgents = statement('transcripts/link-agents')
const linkTurns = statement('transcripts/link-turns')
const contents = statement('transcripts/contents')

/** Which transcript it is: a session, and the file where one is read. Two files may hold one session. */
export type TranscriptSource = {
  project: string
  /** `{session}`, or `{session}/{agent}` for the file of a subagent. */
  sessionId: string
  path?: string | null | undefined
  inode?: number | null | undefined
  /** The call that started the agent, where a file beside the transcript names it. */
  parentStepId?: string | null | undefined
}

/** How far a transcript was read. */
export type TranscriptProgress = {
  /** Bytes that need not be sent again; 0 where nothing was read. */
  offset: number
  inode: number | null
  /** The SHA-256 of the last bytes before `offset`, and how many they are: whether the file is still the same. */
  tail: { bytes: number; sha256: string } | null
}

/** What an import read, and what the graph now holds of it. */
export type TranscriptImport = {
  offset: number
  bytes: number
  sessions: number
  turns: number
  steps: number
  badLines: number
  recoveredLines: number
  skippedThreads: number
  unknown: [string, number][]
  unknownSubtypes: [string, number][]
  unknownFields: [string, number][]
}

/** What one transaction writes: it keeps the embedded engine's memory flat, and Neo4j busy. */
const STEPS_AT_ONCE = { embedded: 250, neo4j: 1_000 }

const fileRow = z.object({
  file: z.object({
    offset: optionalNumber,
    inode: optionalNumber,
    tail: optionalText,
    state: optionalText,
  }),
})

type Known = TranscriptProgress & { stored: number | null; state: TranscriptState | null }

/**
 * Where to go on with a transcript.
 *
 * @throws `store_unavailable`, `timeout`
 */
export async function transcriptProgress(
  graph: Graph,
  source: TranscriptSource,
): Promise<TranscriptProgress> {
  const { offset, inode, tail } = await readProgress(graph, source)
  return { offset, inode, tail }
}

async function readProgress(graph: Graph, source: TranscriptSource): Promise<Known> {
  const [row] = await readRows(graph, progressStatement, { key: fileKey(source) }, fileRow)
  if (row === undefined) return { offset: 0, inode: null, tail: null, stored: null, state: null }
  const { offset, inode, tail, state } = row.file
  const [bytes, hash] = tail?.split(':') ?? []
  return {
    offset: offset ?? 0,
    inode,
    tail: bytes === undefined || hash === undefined ? null : { bytes: Number(bytes), sha256: hash },
    stored: offset,
    state: state === null ? null : (JSON.parse(state) as TranscriptState),
  }
}

/**
 * Reads a transcript from a byte on and writes its turns, some hundred steps at a time, each time with how far that
 * brings it: killed anywhere, it goes on from there. Reading it again changes nothing.
 *
 * @param offset where the chunks begin: what {@link transcriptProgress} said, or 0 for all of it anew
 * @throws `turn_conflict` where the transcript was read up to another byte, `store_unavailable`, `timeout`
 * @example
 * const { offset } = await transcriptProgress(graph, source)
 * await importTranscript(graph, source, offset, createReadStream(file, { start: offset }))
 */
export async function importTranscript(
  graph: Graph,
  source: TranscriptSource,
  offset: number,
  chunks: AsyncIterable<Buffer>,
): Promise<TranscriptImport> {
  const known = await readProgress(graph, source)
  if (offset !== 0 && offset !== known.offset) throw elsewhere(source, known.offset)
  const resumes = offset > 0 && known.state !== null
  const found: StoredTurn[] = []
  let steps = 0
  const transcript = new Transcript(nameFor(source.sessionId), {
    offset,
    ...(resumes && known.state !== null && { state: known.state }),
    seen: resumes ? await readCalls(graph, source) : [],
    onTurn: ({ sessionId }, turn) => {
      found.push(storedTurn(source.project, sessionId, turn))
      steps += turn.length
    },
  })
  const writer = new Writer(graph, source, transcript, known.stored)
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += MOST_AT_ONCE) {
      transcript.push(chunk.subarray(at, at + MOST_AT_ONCE))
      if (steps < STEPS_AT_ONCE[graph.engine]) continue
      await writer.write(found.splice(0))
      steps = 0
    }
  }
  transcript.end()
  if (transcript.consumed !== known.stored) {
    const open = transcript
      .sessions()
      .flatMap(({ thread, open: turn }) =>
        turn === null ? [] : [storedTurn(source.project, thread.sessionId, turn)],
      )
    await writer.write([...found, ...open], linkSteps)
  }
  return {
    ...(await transcriptContents(graph, [source])),
    ...countsOf(transcript),
    bytes: transcript.consumed - offset,
  }
}

/** A body may come in one chunk of any size: turns are written in between. */
const MOST_AT_ONCE = 1024 * 1024

const nameFor = (sessionId: string): TranscriptName => {
  const slash = sessionId.lastIndexOf('/')
  return slash < 0
    ? { sessionId, agentId: null }
    : { sessionId: sessionId.slice(0, slash), agentId: sessionId.slice(slash + 1) }
}

const fileKey = ({ project, sessionId, path }: TranscriptSource): string =>
  transcriptKey(project, `${nameFrom(sessionId)}${path == null ? '' : `@${sha256(path)}`}`)

async function readCalls(graph: Graph, source: TranscriptSource): Promise<string[]> {
  const [row] = await readRows(
    graph,
    knownCalls,
    { key: fileKey(source) },
    z.object({ ids: z.array(z.string()) }),
  )
  return row?.ids ?? []
}

const elsewhere = ({ sessionId }: TranscriptSource, offset: number): TurngraphError =>
  new TurngraphError('turn_conflict', `offset: session ${sessionId} was read up to byte ${offset}.`, {
    hint: `Go on from byte ${offset}, or send all of it with offset 0.`,
    details: { offset },
  })

function countsOf(transcript: Transcript) {
  const { counts, consumed, skipped } = transcript
  return {
    offset: consumed,
    badLines: counts.badLines,
    recoveredLines: counts.recoveredLines,
    skippedThreads: skipped,
    unknown: counts.unknown.entries(),
    unknownSubtypes: counts.unknownSubtypes.entries(),
    unknownFields: counts.unknownFields.entries(),
  }
}

const knownTurn = z.object({
  key: z.string(),
  length: z.number(),
  sessionId: z.string(),
})
const contentsRow = z.object({ sessions: z.number(), turns: z.number(), steps: z.number() })
export type TranscriptContents = z.output<typeof contentsRow>

/** What the graph holds of some transcripts: each session and each turn once. */
export async function transcriptContents(
  graph: Graph,
  sources: readonly TranscriptSource[],
): Promise<TranscriptContents> {
  const [row] = await readRows(graph, contents, { keys: sources.map(fileKey) }, contentsRow)
  return row ?? { sessions: 0, turns: 0, steps: 0 }
}

/** Writes the turns of one transcript, batch by batch, and how far they bring it. */
class Writer {
  readonly #graph: Graph
  readonly #source: TranscriptSource
  readonly #transcript: Transcript
  /** What the graph says of how far this was read, as long as nobody else reads on. */
  #expected: number | null
  /** Whether a turn so far has a call that started an agent. */
  #startsAgents = false

  constructor(graph: Graph, source: TranscriptSource, transcript: Transcript, expected: number | null) {
    this.#graph = graph
    this.#source = source
    this.#transcript = transcript
    this.#expected = expected
  }

  /** @param further what else goes into the same transaction */
  async write(found: readonly StoredTurn[], further: (parts: LinkParts) => Step[] = () => []): Promise<void> {
    const { project } = this.#source
    // The last version of a turn counts: a late result may have changed it since.
    const turns = [...new Map(found.map((turn) => [`${turn.sessionId}\n${turn.key}`, turn])).values()]
    this.#startsAgents ||= turns.some(({ turn }) => turn.steps.some(({ agentId }) => agentId !== null))
    const links = further({
      source: this.#source,
      transcript: this.#transcript,
      startsAgents: this.#startsAgents,
    })
    const messages = await scrubbedErrors(turns)
    const { offset, file, sessions } = await this.#progress()
    const written = await this.#graph.transact(async (run) => {
      const [row] = await run(stepOf(writeFile, { file, sessions, token: randomUUID() }))
      if (row === undefined) return null
      const winners = await this.#winners(run, turns)
      const params = winners.map((turn) => turnParams(project, turn, messages))
      if (params.length > 0) await run(stepOf(writeTurns, { batch: { turns: params } }))
      const batch = { held: turns.map((turn) => heldParams(project, turn) as Value) }
      if (turns.length > 0) await run(stepOf(writeHolds, { batch }))
      for (const link of links) await run(link)
      return true
    })
    if (written === null) {
      throw elsewhere(this.#source, (await readProgress(this.#graph, this.#source)).offset)
    }
    this.#expected = offset
  }

  async #progress() {
    const { project, sessionId, path = null, inode = null, parentStepId = null } = this.#source
    const transcript = this.#transcript
    const { consumed: offset, tail } = transcript
    const state = await scrubbedState(transcript.state())
    const sessions = transcript
      .sessions()
      .map(({ thread }) =>
        sessionParams(project, thread, thread.sessionId === sessionId ? parentStepId : null),
      )
    const file: Params = {
      key: fileKey(this.#source),
      expected: this.#expected ?? -1,
      properties: {
        project,
        sessionId: nameFrom(sessionId),
        path,
        inode,
        offset,
        tail: `${tail.length}:${createHash('sha256').update(tail).digest('hex')}`,
        state: JSON.stringify(state),
      },
    }
    return { offset, file, sessions: { all: sessions } }
  }

  /** Of copies of a turn, the one with more calls gives the steps, whatever came first; then the lesser session. */
  async #winners(run: Run, turns: readonly StoredTurn[]): Promise<StoredTurn[]> {
    if (turns.length === 0) return []
    const rows = await run(stepOf(knownTurns, { keys: turns.map(({ key }) => key) }))
    const stand = new Map(
      rows.map((row: Row) => {
        const found = decodeRow(knownTurns, knownTurn, row)
        return [found.key, found] as const
      }),
    )
    const winners = new Map<string, StoredTurn>()
    for (const turn of turns) {
      const best = winners.get(turn.key) ?? stand.get(turn.key)
      if (best === undefined || gives(turn, best)) winners.set(turn.key, turn)
    }
    const replaced = [...winners.keys()].filter((key) => stand.has(key))
    if (replaced.length > 0) await run(stepOf(forgetParts, { keys: replaced }))
    return [...winners.values()]
  }
}

type Copy = { length: number; sessionId: string }

const gives = (turn: Copy, best: Copy): boolean =>
  turn.sessionId === best.sessionId ||
  turn.length > best.length ||
  (turn.length === best.length && turn.sessionId < best.sessionId)

const stepOf = (to: Statement, params: { [name: string]: unknown }) => ({
  statement: to,
  params: params as Params,
})

const LONGEST_ERROR = 500
/** A secret that begins in what is kept ends here. */
const LONGEST_SCANNED = 16 * 1024

/** Error messages are the only words that are kept: scrubbed of secrets, then cut. */
async function scrubbedErrors(turns: readonly StoredTurn[]): Promise<Map<string, string>> {
  return scrubbedMessages(turns.flatMap(({ turn }) => turn.steps))
}

async function scrubbedState(state: TranscriptState): Promise<TranscriptState> {
  const steps: TurnStep[] = state.threads.flatMap(({ open, unsettled, held: turns }) => [
    ...[...unsettled, ...(open === null ? [] : [open])].flatMap((turn) => turn.steps),
    ...(turns.flatMap((turn) => turn.steps) as unknown as TurnStep[]),
  ])
  const messages = await scrubbedMessages(steps)
  for (const step of steps) if (step.error !== null) step.error = messages.get(step.error) ?? ''
  return state
}

async function scrubbedMessages(steps: readonly { error: string | null }[]): Promise<Map<string, string>> {
  const errors = [...new Set(steps.flatMap(({ error }) => error ?? []))]
  if (errors.length === 0) return new Map()
  const { scrubbed } = await scrub(
    errors.map((error) => error.slice(0, LONGEST_SCANNED).toWellFormed().replaceAll('\0', '\uFFFD')),
  )
  return new Map(errors.map((error, i) => [error, [...(scrubbed[i] ?? '')].slice(0, LONGEST_ERROR).join('')]))
}

const WORKTREE = /[/\\]\.[\w-]+[/\\]worktrees[/\\]([^/\\]+)/

type LinkParts = { source: TranscriptSource; transcript: Transcript; startsAgents: boolean }

/** Between the calls of a session and the agents that they started, and between sessions and the turns of a task. */
function linkSteps({ source: { project, sessionId }, transcript, startsAgents }: LinkParts): Step[] {
  const { agentId, sessionId: parent } = nameFor(sessionId)
  const ofAgents =
    agentId !== null || startsAgents
      ? [stepOf(linkAgents, { sessionKey: sessionKey(project, parent ?? sessionId) })]
      : []
  // Sessions that ran in the worktree of a task (contract: transcripts.md, the end).
  const ofTurns = transcript.sessions().flatMap(({ thread }) => {
    const worktree = WORKTREE.exec(thread.cwd ?? '')?.[1]
    if (worktree === undefined) return []
    const params = {
      projectKey: projectKey(project),
      worktree,
      sessionKey: sessionKey(project, thread.sessionId),
    }
    return [stepOf(linkTurns, params)]
  })
  return [...ofAgents, ...ofTurns]
}
