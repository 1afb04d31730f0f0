/** Gathers the turns of transcripts into transactions of a good size, and writes them. */
import { randomUUID } from 'node:crypto'
import { sessionKey, transcriptFileKey } from '../core/keys.ts'
import { type Graph, type Run, type Step, toStep, type Value } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { deduplicate } from './deduplicate.ts'
import type { TranscriptSource } from './progress.ts'
import { NEVER_MS, type SessionParams, type StoredTurn, turnParams } from './statement-params.ts'
import { Sums } from './sums.ts'

const writeFiles = statement('transcripts/write-files')
const newerFiles = statement('transcripts/newer-files')
const forgetPatterns = statement('transcripts/forget-patterns')
const writeTurns = statement('transcripts/write-turns')
const linkAgents = statement('transcripts/link-agents')
const linkSessionTurns = statement('transcripts/link-session-turns')

/** Some turns of a transcript, and how far they bring it: both are written together or not at all. */
export type Part = {
  source: TranscriptSource
  /** The node of the file. */
  file: {
    key: string
    expected: number
    properties: { [name: string]: Value }
    sessions: readonly SessionParams[]
  }
  /** Their messages are scrubbed. */
  turns: readonly StoredTurn[]
  /** The session among whose calls and agents links are to be drawn, once its file is read. */
  agentsOf: string | null
  /** What else belongs to the same transaction, after the turns. */
  links: readonly Step[]
}

/**
 * What one transaction writes. With 250 steps the embedded engine took half as long again, most of it for commits; with
 * 1,000, 1 GB took 25 MB of memory more. Neo4j writes 12,300 steps/s, of 1,000 at once 10,600. The first ones are smaller:
 * a Neo4j that has just started needs more than its time-out for a thousand.
 */
const STEPS_AT_ONCE = { embedded: 500, neo4j: 4_000 }
const STEPS_AT_FIRST = 125
const PARTS_AT_ONCE = 100

/**
 * Gathers parts of transcripts into transactions of a good size: a transaction for each small file costs more than its
 * turns. While one is written the next is gathered.
 */
export class TranscriptBatch {
  readonly #graph: Graph
  #parts: Part[] = []
  #steps = 0
  #most = STEPS_AT_FIRST
  #refused: TranscriptSource[] = []
  /** The transaction that is under way; where it failed, the next call fails. */
  #writing: Promise<void> = Promise.resolve()

  constructor(graph: Graph) {
    this.#graph = graph
  }

  /** How many steps make a transaction. */
  get stepsAtOnce(): number {
    return this.#most
  }

  async add(part: Part): Promise<void> {
    // In one transaction a file's progress is written once.
    if (this.#parts.some(({ file }) => file.key === part.file.key)) await this.#write()
    this.#parts.push(part)
    this.#steps += part.turns.reduce((sum, { length }) => sum + length, 0)
    if (this.#steps >= this.stepsAtOnce || this.#parts.length >= PARTS_AT_ONCE) await this.#write()
  }

  /** Writes what was gathered, and waits until all is written. */
  async flush(): Promise<void> {
    await this.#write()
    await this.#writing
  }

  /** Resolves when no transaction is under way any more, however it ended; gathered parts stay unwritten. */
  async settled(): Promise<void> {
    await this.#writing.catch(() => {})
  }

  /** Begins a transaction once the one before it is done. */
  async #write(): Promise<void> {
    await this.#writing
    const parts = this.#parts
    if (parts.length === 0) return
    this.#parts = []
    this.#steps = 0
    this.#most = Math.min(2 * this.#most, STEPS_AT_ONCE[this.#graph.engine])
    this.#writing = this.#transact(parts)
    this.#writing.catch(() => {}) // the next call rejects with it
  }

  async #transact(parts: readonly Part[]): Promise<void> {
    const written = await this.#graph.transact(async (run) => {
      const files = await describeSessions(run, parts)
      const rows = await run(toStep(writeFiles, { batch: { files }, token: randomUUID() }))
      if (rows.length === 0) return null
      const keys = new Set(rows.map(({ key }) => key))
      const own = parts.filter(({ file }) => keys.has(file.key))
      await writeParts(run, own)
      return keys
    })
    for (const { source, file } of parts) if (!written?.has(file.key)) this.#refused.push(source)
  }

  /** Transcripts that another import read on meanwhile: their gathered parts were not written. */
  refused(): TranscriptSource[] {
    return this.#refused.splice(0)
  }

  /** Whether a transcript was refused, and forgets that it was. */
  takeRefusal(source: TranscriptSource): boolean {
    const key = transcriptFileKey(source)
    const others = this.#refused.filter((other) => transcriptFileKey(other) !== key)
    const was = others.length < this.#refused.length
    this.#refused = others
    return was
  }
}

/** The files as `transcripts/write-files` takes them: of several files of a session the one with the newest record describes it. */
async function describeSessions(run: Run, parts: readonly Part[]): Promise<Value[]> {
  const held = parts.flatMap(({ file: { key: fileKey, sessions } }) =>
    sessions.map(({ key, endedAt }) => ({ fileKey, key, endedAt })),
  )
  const newestFile = new Map<string, { fileKey: string; at: number }>()
  for (const { fileKey, key, endedAt } of held) {
    const at = endedAt === null ? NEVER_MS : Date.parse(endedAt)
    if (at >= (newestFile.get(key)?.at ?? at)) newestFile.set(key, { fileKey, at })
  }
  const rows = await run(toStep(newerFiles, { batch: { sessions: held } }))
  const older = new Set(rows.map(({ fileKey, key }) => `${fileKey}\n${key}`))
  return parts.map(({ file: { sessions, ...file } }) => ({
    ...file,
    sessions: sessions.map(({ key, parents, ...described }) => {
      const isNewest = newestFile.get(key)?.fileKey === file.key && !older.has(`${file.key}\n${key}`)
      return { key, parents, newest: isNewest ? [described] : [] }
    }),
  }))
}

async function writeParts(run: Run, parts: readonly Part[]): Promise<void> {
  const turns = parts.flatMap(({ turns: some }) => some)
  const sums = new Sums()
  if (turns.length > 0) {
    const { chosen, replaced, patterns } = await deduplicate(run, turns)
    const params = chosen.map(turnParams)
    for (const before of replaced) sums.add(before.project, before, -1)
    for (const { properties } of params) sums.add(properties.project, properties, 1)
    if (params.length > 0) await run(toStep(writeTurns, { batch: { turns: params } }))
    if (patterns.length > 0) await run(toStep(forgetPatterns, { keys: patterns }))
    // A turn that comes again in its session is a later version, or a copy: it stays where it was first.
    const links = new Map(
      turns
        .toReversed()
        .map(({ project, sessionId, key, turn: { index } }) => [
          `${sessionId}\n${key}`,
          { session: sessionKey(project, sessionId), turn: key, index },
        ]),
    )
    await run(toStep(linkSessionTurns, { batch: { links: [...links.values()] } }))
  }
  const sessionKeys = [...new Set(parts.flatMap(({ agentsOf }) => agentsOf ?? []))]
  if (sessionKeys.length > 0) await run(toStep(linkAgents, { sessionKeys }))
  for (const { links } of parts) for (const link of links) await run(link)
  for (const step of sums.steps(randomUUID())) await run(step)
}
