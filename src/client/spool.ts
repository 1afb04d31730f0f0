import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { TurngraphError } from '../errors.ts'
import { attemptTurn } from '../runs/attempt-turn.ts'
import { captureRequest } from '../turns/record.ts'

export type SpoolOptions = {
  /** Where captures wait; one process at a time. */
  folder: string
  /** How many may wait; default 1,000. */
  maxEntries?: number
  /** How much they may take; default 64 MiB. */
  maxBytes?: number
}

const capture = z.object({ operation: z.literal('captureTurnState'), input: captureRequest })
const commit = z.object({
  operation: z.literal('commitAttempt'),
  input: z.object({
    project: z.string().nullish(),
    attemptId: z.string(),
    fence: z.number(),
    turn: attemptTurn,
  }),
})
const kept = z.discriminatedUnion('operation', [capture, commit])

/** A capture that waits, camelCase, as the operation takes it. */
export type Kept = z.output<typeof kept>

/** What replaying came to: how many the service has stored or refused, and how many still wait. */
export type Replayed = { sent: number; refused: number; waiting: number }

/**
 * Captures that wait on disk while the service is away, and go to it in their order once it is back. A kill -9 loses
 * none; one that was sent just before it is sent again, and stored once, since captures are idempotent.
 */
export interface Spool {
  readonly folder: string
  /** How many captures wait. */
  readonly waiting: number
  /** How many the service has refused; they stay in `refused/` with the error beside them. */
  readonly refused: number
  /** What waits, oldest first. */
  entries(): Kept[]
  /** Sends what waits, as far as the service takes it. It happens by itself, too. */
  replay(): Promise<Replayed>
}

const MAX_ENTRIES = 1_000
const MAX_BYTES = 64 * 1024 * 1024
const NAME = /^(\d{16})\.json$/

/** The folder of a spool: one file a capture, named by its number. What stands there was flushed to the disk. */
export class SpoolFolder {
  readonly path: string
  readonly #refusedPath: string
  readonly #maxEntries: number
  readonly #maxBytes: number
  readonly #waiting: { name: string; bytes: number }[]
  #last: number

  constructor({ folder, maxEntries = MAX_ENTRIES, maxBytes = MAX_BYTES }: SpoolOptions) {
    this.path = path.resolve(folder)
    this.#refusedPath = path.join(this.path, 'refused')
    this.#maxEntries = maxEntries
    this.#maxBytes = maxBytes
    mkdirSync(this.#refusedPath, { recursive: true, mode: 0o700 })
    this.#waiting = namesIn(this.path).map((name) => ({
      name,
      bytes: statSync(path.join(this.path, name)).size,
    }))
    const known = [...this.#waiting.map(({ name }) => name), ...namesIn(this.#refusedPath)]
    this.#last = Math.max(0, ...known.map((name) => Number.parseInt(name, 10)))
  }

  get waiting(): number {
    return this.#waiting.length
  }

  get refused(): number {
    return namesIn(this.#refusedPath).length
  }

  /** @throws `too_large` where the spool is full: nothing was kept then */
  keep(entry: Kept): void {
    const text = JSON.stringify(entry)
    const bytes = Buffer.byteLength(text)
    const held = this.#waiting.reduce((sum, waiting) => sum + waiting.bytes, 0)
    if (this.#waiting.length >= this.#maxEntries || held + bytes > this.#maxBytes) throw full(this, held)
    const name = `${String(this.#last + 1).padStart(16, '0')}.json`
    writeDurably(path.join(this.path, name), text)
    this.#last++
    this.#waiting.push({ name, bytes })
  }

  /** What is no capture of ours is answered as the error that says so. */
  oldest(): Kept | TurngraphError | null {
    const [first] = this.#waiting
    return first === undefined ? null : this.#read(first.name)
  }

  entries(): Kept[] {
    return this.#waiting
      .map(({ name }) => this.#read(name))
      .filter((entry): entry is Kept => !(entry instanceof TurngraphError))
  }

  /** The oldest is stored. */
  removeOldest(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    rmSync(path.join(this.path, first.name))
    this.#waiting.shift()
  }

  /** The oldest will never be stored: it stays readable, beside the reason. */
  refuseOldest(reason: unknown): void {
    const [first] = this.#waiting
    if (first === undefined) return
    const errorFile = path.join(this.#refusedPath, first.name.replace(/json$/, 'error.json'))
    writeDurably(errorFile, JSON.stringify(reason, null, 2))
    renameSync(path.join(this.path, first.name), path.join(this.#refusedPath, first.name))
    this.#waiting.shift()
  }

  #read(name: string): Kept | TurngraphError {
    const bytes = readFileSync(path.join(this.path, name), 'utf8')
    try {
      return kept.parse(JSON.parse(bytes))
    } catch (cause) {
      return new TurngraphError('invalid_request', `${name} is no capture that a spool has kept.`, { cause })
    }
  }
}

const namesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => NAME.test(name))
        .sort()
    : []

/** Whole or not at all, also after a power cut: drafts have another name until they are on the disk. */
function writeDurably(file: string, text: string): void {
  const draft = `${file}.draft`
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  renameSync(draft, file)
  const folder = openSync(path.dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const full = ({ path: folder, waiting }: SpoolFolder, bytes: number): TurngraphError =>
  new TurngraphError(
    'too_large',
    `The spool is full: ${waiting} captures, ${bytes} bytes. Nothing was kept.`,
    {
      hint: `Bring the service back, or give the spool in ${folder} more room (maxEntries, maxBytes).`,
      details: { spooled: false, waiting, bytes },
    },
  )
