import { randomUUID } from 'node:crypto'
import { transcriptFileKey } from '../core/keys.ts'
import { type Graph, type Run, type Step, stepOf, type Value } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { winnersOf } from './deduplicate.ts'
import type { TranscriptSource } from './progress.ts'
import { heldParams, type StoredTurn, turnParams } from './statement-params.ts'
import { Sums } from './sums.ts'

const writeFiles = statement('transcripts/files')
const forgetPatterns = statement('transcripts/forget-patterns')
const writeTurns = statement('transcripts/turns')
const linkAgents = statement('transcripts/link-agents')
const writeHolds = statement('transcripts/holds')

/** Some turns of a transcript, and how far they bring it: both are written together or not at all. */
export type Part = {
  source: TranscriptSource
  /** The node of the file, as `transcripts/files` takes it. */
  file: { [name: string]: Value }
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
  /** The transaction that is under way; one that failed fails whoever comes next. */
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

  /** Resolves when nothing is under way any more, however it ended: what was gathered since is not written. */
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
    this.#writing.catch(() => {}) // told to whoever comes next
  }

  async #transact(parts: readonly Part[]): Promise<void> {
    const written = await this.#graph.transact(async (run) => {
      const files = parts.map(({ file }) => file)
      const rows = await run(stepOf(writeFiles, { batch: { files }, token: randomUUID() }))
      if (rows.length === 0) return null
      const keys = new Set(rows.map(({ key }) => key))
      const own = parts.filter(({ file }) => keys.has(file.key))
      await writeParts(run, own)
      return keys
    })
    for (const { source, file } of parts) if (!written?.has(file.key)) this.#refused.push(source)
  }

  /** Transcripts that somebody else read on meanwhile: what was gathered of them is not written. */
  refused(): TranscriptSource[] {
    return this.#refused.splice(0)
  }

  /** Whether a transcript is among them; it is none of them any more. */
  takeRefusal(source: TranscriptSource): boolean {
    const others = this.#refused.filter((other) => transcriptFileKey(other) !== transcriptFileKey(source))
    const was = others.length < this.#refused.length
    this.#refused = others
    return was
  }
}

async function writeParts(run: Run, parts: readonly Part[]): Promise<void> {
  const turns = parts.flatMap(({ turns: some }) => some)
  const sums = new Sums()
  if (turns.length > 0) {
    const { turns: winners, patterns, replaced } = await winnersOf(run, turns)
    const params = winners.map(turnParams)
    for (const [project, turn] of replaced) sums.add(project, turn, -1)
    for (const { properties } of params) sums.add(properties.project, properties, 1)
    if (params.length > 0) await run(stepOf(writeTurns, { batch: { turns: params } }))
    if (patterns.length > 0) await run(stepOf(forgetPatterns, { keys: patterns }))
    // A turn that comes again in its session is a later version, or a copy: it stays where it was first.
    const held = new Map(
      turns.toReversed().map((turn) => [`${turn.sessionId}\n${turn.key}`, heldParams(turn) as Value]),
    )
    await run(stepOf(writeHolds, { batch: { held: [...held.values()] } }))
  }
  const sessionKeys = [...new Set(parts.flatMap(({ agentsOf }) => agentsOf ?? []))]
  if (sessionKeys.length > 0) await run(stepOf(linkAgents, { sessionKeys }))
  for (const { links } of parts) for (const link of links) await run(link)
  for (const step of sums.steps(randomUUID())) await run(step)
}
