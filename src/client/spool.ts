/** The folder of captures that wait while the service is away: one file per turn, shared by processes (docs/decisions/spool.md). */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { hasCode, TurngraphError } from '../core/errors.ts'
import { parseOrderedJson } from '../core/ordered-json.ts'
import { isGone, systemCode } from '../core/system-code.ts'
import { operations } from '../operations/table.ts'
import { makeDataFolder } from '../platform/data-folder/make-data-folder.ts'
import { isTrackedByGit } from '../platform/data-folder/own-file.ts'
import { createPrivateFile } from '../platform/data-folder/private-file.ts'
import { isAlive } from '../platform/is-alive.ts'
import { quoteForShell } from '../rules/command-line.ts'

/** The folder, and the maximum number of captures (default 1,000) and of their bytes (default 64 MiB). */
export const spoolOptions = z.strictObject({
  folder: z.string().min(1),
  maxEntries: z.number().int().min(0).optional(),
  maxBytes: z.number().int().min(0).optional(),
})
export type SpoolOptions = z.input<typeof spoolOptions>

const waitingCall = <N extends string, I extends z.ZodType>(operation: N, { input }: { input: I }) =>
  z.object({ operation: z.literal(operation), input, address: z.string() })
const waitingCapture = z.discriminatedUnion('operation', [
  waitingCall('captureTurnState', operations.captureTurnState),
  waitingCall('captureReports', operations.captureReports),
  waitingCall('commitAttempt', operations.commitAttempt),
])
export type WaitingCapture = z.output<typeof waitingCapture>
export type SpoolScope = {
  project?: string | null | undefined
  featureId: string
  taskId: string
  worldSlug?: string | null | undefined
}

export type Claimed = { claimed: string; entry: WaitingCapture | TurngraphError; world: string }
export type SpoolFile = { name: string; number: string; isHeld: boolean }

const NAME = /^(?:(\d{16})\.json|worker-([0-9a-f-]{36}))(?:\.claimed-(\d+)-(\d+))?$/
/** Maximum age of a claim. An older claim belongs to a process that ended, even if another process has its number now. */
const CLAIM_MS = 600_000
/** Claims of this process: an earlier process may have had the same number. */
const ownClaims = new Set<string>()

/** The files of a spool. A method throws `store_unavailable` with the folder if the disk fails. */
export class SpoolFolder {
  readonly folder: string
  readonly #options: SpoolOptions
  readonly #passedOver = new Set<string>()
  readonly #log: (message: string) => void
  #last = 0

  constructor(options: SpoolOptions, log: (message: string) => void) {
    this.folder = path.resolve(options.folder)
    this.#options = options
    this.#log = log
  }

  /**
   * Makes a folder to which only its owner has access.
   * @throws `invalid_request` if git tracks the folder or a file in it. A repository must not send turns or choose another
   *   folder.
   */
  make(): void {
    if (isTrackedByGit(this.folder)) {
      throw new TurngraphError('invalid_request', `${this.folder} is not used as a spool: git tracks it.`, {
        hint: `Its turns may come from another person. Remove it: git rm -r ${quoteForShell(this.folder)}`,
      })
    }
    this.#onDisk(() => {
      makeDataFolder(this.folder)
      mkdirSync(this.#at('refused'), { recursive: true, mode: 0o700 })
      for (const name of ['', 'refused']) chmodSync(this.#at(name), 0o700)
    })
  }

  /** Lists the waiting turns, or those in `refused`, oldest first. Names each FIFO, link and device once. */
  list(folder = ''): SpoolFile[] {
    const found = this.#onDisk(() => readdirSync(this.#at(folder), { withFileTypes: true }))
    return found
      .flatMap((entry) => {
        const [, number] = NAME.exec(entry.name) ?? []
        if (number === undefined) return []
        const name = path.join(folder, entry.name)
        if (entry.isFile()) return { name, number, isHeld: this.#isHeld(name) }
        if (!this.#passedOver.has(name))
          this.#log(`${this.#at(name)} is passed over: it is not a regular file.`)
        this.#passedOver.add(name)
        return []
      })
      .sort((a, b) => a.number.localeCompare(b.number))
  }

  add(entry: WaitingCapture): void {
    const { maxEntries = 1_000, maxBytes = 2 ** 26 } = this.#options
    const text = JSON.stringify(entry)
    const waiting = this.list()
    const sizes = waiting.map(({ name }) => statSync(this.#at(name), { throwIfNoEntry: false })?.size ?? 0)
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    if (waiting.length >= maxEntries || bytes + Buffer.byteLength(text) > maxBytes)
      throw new TurngraphError(
        'too_large',
        `The spool is full: ${waiting.length} captures, ${bytes} bytes. Nothing was kept.`,
        {
          hint: `Bring the service back, or give the spool in ${this.folder} more room (maxEntries, maxBytes).`,
          details: { spooled: false, waiting: waiting.length, bytes },
        },
      )
    this.#last = Math.max(
      this.#last,
      ...[...waiting, ...this.list('refused')].map(({ number }) => Number(number)),
    )
    this.#onDisk(() => {
      // Another process may have taken the number.
      while (!createPrivateFile(this.#at(`${String(++this.#last).padStart(16, '0')}.json`), text));
      const opened = openSync(this.folder, 'r')
      fsyncSync(opened)
      closeSync(opened)
    })
  }

  /**
   * Reads a capture. Returns null if another process has sent it, and the error if the file is no capture or, with
   * `store_unavailable`, if this process cannot read it now.
   */
  read({ name }: Pick<SpoolFile, 'name'>): WaitingCapture | TurngraphError | null {
    try {
      return waitingCapture.parse(parseOrderedJson(readFileSync(this.#at(name), 'utf8')))
    } catch (cause) {
      if (isGone(cause)) return null
      const code = systemCode(cause)
      if (code !== null) return this.#unreadable(name, code)
      return new TurngraphError(
        'invalid_request',
        `${path.basename(name)} is no capture that a spool has kept.`,
        { cause },
      )
    }
  }

  /** The capture stays in its place: another process, or this one later, may be able to read it. Names each once. */
  #unreadable(name: string, code: string): TurngraphError {
    const message = `${this.#at(name)} waits: it cannot be read (${code}).`
    if (!this.#passedOver.has(name)) this.#log(message)
    this.#passedOver.add(name)
    return new TurngraphError('store_unavailable', message, { hint: 'Make the file readable for this user.' })
  }

  /** Claims the oldest capture for the address (null: any) without an earlier one in its world; null without such a capture. */
  claimNext(blocked: ReadonlySet<string>, address: string | null): Claimed | null {
    const worlds = new Set(blocked)
    for (const file of this.list()) {
      const entry = this.read(file)
      if (entry === null) return this.claimNext(blocked, address) // sent by another process, so its world is unknown
      const world = worldOf(entry)
      const isFree =
        !worlds.has(world) &&
        !file.isHeld &&
        !hasCode(entry, 'store_unavailable') &&
        (address === null || entry instanceof Error || entry.address === address)
      const claimed = isFree ? this.claim(file.name) : null
      if (claimed !== null) return { claimed, entry, world }
      worlds.add(world)
    }
    return null
  }

  claim(name: string): string | null {
    const claimed = `${unclaimed(name)}.claimed-${process.pid}-${Date.now()}`
    if (!this.#move(name, claimed)) return null
    ownClaims.add(this.#at(claimed))
    return claimed
  }

  release(claimed: string): void {
    this.#move(claimed, unclaimed(claimed))
  }

  remove(claimed: string): void {
    this.#onDisk(() => rmSync(this.#at(claimed), { force: true }))
  }

  refuse(name: string, reason: TurngraphError): void {
    this.make()
    const kept = path.join('refused', unclaimed(name))
    const file = this.#at(kept.replace(/json$/, 'error.json'))
    this.#onDisk(() => createPrivateFile(file, JSON.stringify(reason.toWire(), null, 2)))
    this.#move(name, kept)
  }

  /** Claims the identity of a process that ended, or a new one: after a kill a program is the same worker as before. */
  claimWorker(): { claimed: string; id: string } {
    const names = this.#onDisk(() => readdirSync(this.folder))
    const free = names.find((name) => NAME.exec(name)?.[2] !== undefined && !this.#isHeld(name))
    if (free === undefined)
      this.#onDisk(() => createPrivateFile(this.#at(`worker-${crypto.randomUUID()}`), ''))
    const claimed = free === undefined ? null : this.claim(free)
    return claimed === null ? this.claimWorker() : { claimed, id: NAME.exec(claimed)?.[2] ?? '' }
  }

  #at = (name: string): string => path.join(this.folder, name)

  /** True if a living process has claimed the file. A worker keeps its identity as long as it lives. */
  #isHeld(name: string): boolean {
    const [, turn, , pid, since] = NAME.exec(name) ?? []
    if (pid === undefined || ownClaims.has(this.#at(name))) return pid !== undefined
    const isOld = turn !== undefined && Math.abs(Date.now() - Number(since)) > CLAIM_MS
    return Number(pid) !== process.pid && !isOld && isAlive(Number(pid))
  }

  #move(from: string, to: string): boolean {
    ownClaims.delete(this.#at(from))
    return this.#onDisk(() => {
      try {
        renameSync(this.#at(from), this.#at(to))
        return true
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return false
        throw error
      }
    })
  }

  #onDisk<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      const code = systemCode(cause) ?? systemCode((cause as Error).cause)
      throw new TurngraphError(
        'store_unavailable',
        `The spool in ${this.folder} cannot be used${code === null ? '' : ` (${code})`}.`,
        {
          hint: 'Check that the folder is there, that it can be written, and that the disk has room.',
          details: { spooled: false },
          cause,
        },
      )
    }
  }
}

const unclaimed = (name: string): string => name.replace(/\.claimed-\d+-\d+$/, '')

export function worldOf(entry: WaitingCapture | TurngraphError | null): string {
  if (entry === null || entry instanceof TurngraphError) return ''
  const { featureId, taskId, worldSlug } =
    entry.operation === 'commitAttempt' ? entry.input.turn : entry.input
  return keyOf({ project: entry.input.project, featureId: featureId ?? '', taskId: taskId ?? '', worldSlug })
}

export const keyOf = ({ project, featureId, taskId, worldSlug }: SpoolScope): string =>
  JSON.stringify([project ?? null, featureId, taskId, worldSlug ?? null])
