/** Groups the turns of transcripts into transactions of a suitable size, and writes them. */
import { randomUUID } from 'node:crypto'
import { sessionKey, transcriptFileKey } from '../core/keys.ts'
import { type Graph, type Run, type Step, toStep, type Value } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { deduplicate } from './deduplicate.ts'
import type { TranscriptSource } from './progress.ts'
import { NEVER_MS, type SessionParams, type StoredTurn, turnParams } from './statement-params.ts'

const writeFiles = statement('transcripts/write-files')
const newerFiles = statement('transcripts/newer-files')
const forgetPatterns = statement('transcripts/forget-patterns')
const writeTurns = statement('transcripts/write-turns')
const linkAgents = statement('transcripts/link-agents')
const linkSessionTurns = statement('transcripts/link-session-turns')

/** Some turns of a transcript and the new position in its file. Both are written together or not at all. */
export type Part = {
  source: TranscriptSource
  file: {
    key: string
    expected: number
    properties: { [name: string]: Value }
    sessions: readonly SessionParams[]
  }
  /** Turns whose error messages are already scrubbed. */
  turns: readonly StoredTurn[]
  /** Keys of the sessions whose calls and agents are linked after their file was read. */
  agentsOf: readonly string[]
  /** Further steps of the same transaction, after the turns. */
  links: readonly Step[]
}

/**
 * Maximum number of steps per transaction. The embedded engine is equally fast with 250 or 1,000 (within 3 %). The number for
 * Neo4j and the smaller first transactions are from a time when each step was a node.
 */
const STEPS_AT_ONCE = { embedded: 500, neo4j: 4_000 }
const STEPS_AT_FIRST = 125
const PARTS_AT_ONCE = 100

/** Groups parts of transcripts into transactions. A separate transaction for each small file would cost more than its turns. */
export class TranscriptBatch {
  readonly #graph: Graph
  #parts: Part[] = []
  #steps = 0
  #most = STEPS_AT_FIRST
  #refused: TranscriptSource[] = []
  /** The current transaction. If it fails, the next call fails. */
  #writing: Promise<void> = Promise.resolve()

  constructor(graph: Graph) {
    this.#graph = graph
  }

  get stepsAtOnce(): number {
    return this.#most
  }

  async add(part: Part): Promise<void> {
    // A transaction writes the progress of a file only once.
    if (this.#parts.some(({ file }) => file.key === part.file.key)) await this.#write()
    this.#parts.push(part)
    this.#steps += part.turns.reduce((sum, { length }) => sum + length, 0)
    if (this.#steps >= this.stepsAtOnce || this.#parts.length >= PARTS_AT_ONCE) await this.#write()
  }

  async flush(): Promise<void> {
    await this.#write()
    await this.#writing
  }

  /** Resolves when the current transaction has ended, with or without success. Pending parts are not written. */
  async settled(): Promise<void> {
    await this.#writing.catch(() => {})
  }

  async #write(): Promise<void> {
    await this.#writing
    const parts = this.#parts
    if (parts.length === 0) return
    this.#parts = []
    this.#steps = 0
    this.#most = Math.min(2 * this.#most, STEPS_AT_ONCE[this.#graph.engine])
    this.#writing = this.#transact(parts)
    this.#writing.catch(() => {}) // the next call rejects with the error
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

  /** Returns and forgets the transcripts whose parts were rejected because another import read further at the same time. */
  refused(): TranscriptSource[] {
    return this.#refused.splice(0)
  }

  takeRefusal(source: TranscriptSource): boolean {
    const key = transcriptFileKey(source)
    const others = this.#refused.filter((other) => transcriptFileKey(other) !== key)
    const was = others.length < this.#refused.length
    this.#refused = others
    return was
  }
}

/** Returns the files as `transcripts/write-files` expects them. The file with the newest record describes its session. */
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
  if (turns.length > 0) {
    const { chosen, patterns } = await deduplicate(run, turns)
    const params = chosen.map(turnParams)
    if (params.length > 0) await run(toStep(writeTurns, { batch: { turns: params } }))
    if (patterns.length > 0) await run(toStep(forgetPatterns, { keys: patterns }))
    // A repeated turn of a session is a later version or a copy. It keeps its first position.
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
  const sessionKeys = [...new Set(parts.flatMap(({ agentsOf }) => agentsOf))]
  if (sessionKeys.length > 0) await run(toStep(linkAgents, { sessionKeys }))
  for (const { links } of parts) for (const link of links) await run(link)
}
