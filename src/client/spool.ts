/** The folder in which captures wait while the service is away: one file a capture, and the lock of the process that has it. */

import {
  chmodSync,
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
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { parseOrderedJson } from '../core/ordered-json.ts'
import { systemCode } from '../core/system-code.ts'
import { holdFolder, type Instance } from '../graph/instance-lock.ts'
import { captureRequest } from '../memory/record/record.ts'
import { attemptTurn, usage } from '../runs/attempt-turn.ts'

export type SpoolOptions = {
  /** Where captures wait; one process at a time. */
  folder: string
  /** How many may wait; default 1,000. */
  maxEntries?: number
  /** How much they may take; default 64 MiB. */
  maxBytes?: number
}

const waitingTurn = z.object({ operation: z.literal('captureTurnState'), input: captureRequest })
const waitingCommit = z.object({
  operation: z.literal('commitAttempt'),
  input: z.object({
    project: z.string().nullish(),
    attemptId: z.string(),
    fence: z.number(),
    turn: attemptTurn,
    usage: usage.nullish(),
  }),
})
const waitingCapture = z.discriminatedUnion('operation', [waitingTurn, waitingCommit])

export type WaitingTurn = z.output<typeof waitingTurn>
export type WaitingCommit = z.output<typeof waitingCommit>

/** A capture that waits, camelCase, as the operation takes it. */
export type WaitingCapture = z.output<typeof waitingCapture>

/** What replaying came to: how many the service has stored or refused, how many still wait, and why they do. */
export type Replayed = { sent: number; refused: number; waiting: number; stoppedBy: TurngraphError | null }

/** Whose turns are meant: those of a task, in one of its worlds. */
export type SpoolScope = {
  project?: string | null | undefined
  featureId: string
  taskId: string
  worldSlug?: string | null | undefined
}

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
  /** How many of a world it has refused since this process began. */
  refusedIn(scope: SpoolScope): number
  /** What waits, oldest first. */
  entries(): WaitingCapture[]
  /** Sends what waits, as far as the service takes it. It happens by itself, too. */
  replay(): Promise<Replayed>
}

const MAX_ENTRIES = 1_000
const MAX_BYTES = 64 * 1024 * 1024
const NAME = /^(\d{16})\.json$/

/** The folder of a spool: one file a capture, named by its number. What stands there was flushed to the disk. */
export class SpoolFolder {
  readonly folder: string
  readonly #refusedPath: string
  readonly #maxEntries: number
  readonly #maxBytes: number
  readonly #waiting: { name: string; bytes: number }[]
  #last: number

  /** @throws `store_unavailable` that names the folder, here and wherever the disk does not do what it should */
  constructor({ folder, maxEntries = MAX_ENTRIES, maxBytes = MAX_BYTES }: SpoolOptions) {
    this.folder = path.resolve(folder)
    this.#refusedPath = path.join(this.folder, 'refused')
    this.#maxEntries = maxEntries
    this.#maxBytes = maxBytes
    this.#waiting = this.#onDisk(() => {
      mkdirSync(this.#refusedPath, { recursive: true, mode: 0o700 })
      for (const each of [this.folder, this.#refusedPath]) chmodSync(each, 0o700) // another program may have made it
      return namesIn(this.folder).map((name) => ({
        name,
        bytes: statSync(path.join(this.folder, name)).size,
      }))
    })
    const known = [
      ...this.#waiting.map(({ name }) => name),
      ...this.#onDisk(() => namesIn(this.#refusedPath)),
    ]
    this.#last = Math.max(0, ...known.map((name) => Number.parseInt(name, 10)))
  }

  /** Where what waits is to go, as the first one that waits was told; null where nothing waits. */
  get address(): string | null {
    if (this.#waiting.length === 0) return null
    return this.#onDisk(() =>
      existsSync(this.#addressFile) ? readFileSync(this.#addressFile, 'utf8') : null,
    )
  }

  get #addressFile(): string {
    return path.join(this.folder, 'address')
  }

  get waiting(): number {
    return this.#waiting.length
  }

  get refused(): number {
    return this.#onDisk(() => namesIn(this.#refusedPath).length)
  }

  /** @throws `too_large` where the spool is full, and `store_unavailable` where the disk is: nothing was kept then */
  add(entry: WaitingCapture, address: string): void {
    const text = JSON.stringify(entry)
    const bytes = Buffer.byteLength(text)
    const waitingBytes = this.#waiting.reduce((sum, waiting) => sum + waiting.bytes, 0)
    if (this.#waiting.length >= this.#maxEntries || waitingBytes + bytes > this.#maxBytes)
      throw spoolIsFull(this, waitingBytes)
    const name = `${String(this.#last + 1).padStart(16, '0')}.json`
    this.#onDisk(() => {
      if (this.#waiting.length === 0) writeDurably(this.#addressFile, address)
      writeDurably(path.join(this.folder, name), text)
    })
    this.#last++
    this.#waiting.push({ name, bytes })
  }

  /** What is no capture of ours is answered as the error that says so. */
  oldest(): WaitingCapture | TurngraphError | null {
    const [first] = this.#waiting
    return first === undefined ? null : this.#read(first.name)
  }

  entries(): WaitingCapture[] {
    return this.#waiting
      .map(({ name }) => this.#read(name))
      .filter((entry): entry is WaitingCapture => !(entry instanceof TurngraphError))
  }

  /** The oldest is stored. */
  removeOldest(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    this.#onDisk(() => rmSync(path.join(this.folder, first.name), { force: true }))
    this.#waiting.shift()
  }

  /** The oldest will never be stored: it stays readable, beside the reason. */
  refuseOldest(reason: unknown): void {
    const [first] = this.#waiting
    if (first === undefined) return
    this.#onDisk(() => {
      mkdirSync(this.#refusedPath, { recursive: true, mode: 0o700 })
      const errorFile = path.join(this.#refusedPath, first.name.replace(/json$/, 'error.json'))
      writeDurably(errorFile, JSON.stringify(reason, null, 2))
      const file = path.join(this.folder, first.name)
      if (existsSync(file)) renameSync(file, path.join(this.#refusedPath, first.name))
    })
    this.#waiting.shift()
  }

  /** A file that somebody has removed is no capture either: it stands in nobody's way. */
  #read(name: string): WaitingCapture | TurngraphError {
    try {
      return waitingCapture.parse(parseOrderedJson(readFileSync(path.join(this.folder, name), 'utf8')))
    } catch (cause) {
      return new TurngraphError('invalid_request', `${name} is no capture that a spool has kept.`, {
        cause,
      })
    }
  }

  #onDisk<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      const code = systemCode(cause)
      const why = code === null ? '' : ` (${code})`
      throw new TurngraphError('store_unavailable', `The spool in ${this.folder} cannot be used${why}.`, {
        hint: 'Check that the folder is there, that it can be written, and that the disk has room.',
        details: { spooled: false },
        cause,
      })
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

const spoolIsFull = ({ folder, waiting }: SpoolFolder, bytes: number): TurngraphError =>
  new TurngraphError(
    'too_large',
    `The spool is full: ${waiting} captures, ${bytes} bytes. Nothing was kept.`,
    {
      hint: `Bring the service back, or give the spool in ${folder} more room (maxEntries, maxBytes).`,
      details: { spooled: false, waiting, bytes },
    },
  )

/**
 * One process has a spool at a time: two would send its turns twice, and out of order. The identity beside the lock is
 * who this program is in leases, in this life and in the next.
 *
 * @throws `store_unavailable` where another process has it, or the disk refuses
 */
export async function holdSpool(folder: string): Promise<Instance> {
  try {
    const instance = await holdFolder(folder)
    const release = () =>
      instance.release().catch((error: unknown) => {
        // Where the folder was removed, its lock went with it.
        if (existsSync(path.join(folder, 'instance.lock'))) throw error
      })
    return { ...instance, release }
  } catch (cause) {
    const isInUse = cause instanceof TurngraphError
    const what = isInUse ? 'is in use by another process' : 'cannot be used'
    throw new TurngraphError('store_unavailable', `The spool in ${folder} ${what}.`, {
      hint: isInUse
        ? 'Give each process a spool of its own, or end the other one.'
        : 'Check that it is a folder, and that it can be written.',
      cause,
    })
  }
}
