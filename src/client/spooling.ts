/** Client whose captures wait in a spool while the service is unreachable, and are sent in order when it is available again. */
import type * as z from 'zod'
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import { rejectOnAbort } from '../core/join-signals.ts'
import { portableMarker } from '../core/scrub/marks.ts'
import { scrub } from '../core/scrub/scrub.ts'
import { parseInput } from '../core/wire-form.ts'
import { operations } from '../operations/table.ts'
import { callOn, callsBy } from './calls.ts'
import type { CallOptions, Calls, Replayed, Spool, TurngraphClient } from './client.ts'
import { endedCallError, isClientClosed } from './client-errors.ts'
import {
  keyOf,
  type SpoolFile,
  SpoolFolder,
  type SpoolOptions,
  type SpoolScope,
  type WaitingCapture,
  worldOf,
} from './spool.ts'

const FIRST_AGAIN_MS = 1_000
const LAST_AGAIN_MS = 15_000

export type SpoolingOptions = {
  spool: SpoolOptions
  /** Client that sends the waiting captures. It does not retry calls, because the spool does. */
  replayer: TurngraphClient
  /** Captures for another service are not sent to this one. */
  address: string
  /** Project of records without one. */
  project: string | null
  workerId?: string | undefined
  /** True if the service has moved to this address: captures for other addresses are sent, too. */
  isMoved?: boolean
  log: (message: string) => void
}

/**
 * Creates a client with a spool. A spooled capture rejects with `store_unavailable` and `details.spooled`, because an answer
 * means that a turn is stored. Waiting captures are sent before other calls, so that a caller reads its own writes.
 */
export function spoolingClient(client: TurngraphClient, options: SpoolingOptions): TurngraphClient {
  const spool = new ReplayingSpool(options)
  const calls = callsBy(async (name, input, callOptions) => {
    const away = await spool.clear(callOptions?.signal)
    if (away !== null) throw away
    return callOn(client, name, input, callOptions)
  })
  const sendInOrder = async (
    entry: WaitingCapture,
    send: () => Promise<unknown>,
    signal?: AbortSignal,
  ): Promise<unknown> => {
    const world = worldOf(entry)
    let away: TurngraphError | null = null
    if (spool.waiting > 0) {
      const before = spool.countRefused(world)
      away = await spool.clear(signal)
      if (spool.countRefused(world) > before) throw builtOnRefused()
    }
    // Also if an earlier turn of its world waits for another process.
    if (away !== null || spool.entries().some((other) => worldOf(other) === world))
      throw spool.keep(entry, away)
    return send().catch((error: unknown) => {
      throw isAway(error) || isClientClosed(error) ? spool.keep(entry, error) : error
    })
  }
  // The waiting record must equal the record whose answer was lost, so every capture is masked before it is sent, too.
  const capture = (operation: WaitingCapture['operation']) => async (given: unknown, call?: CallOptions) => {
    const parsed = parseInput<z.ZodType<WaitingCapture['input']>>(
      operations[operation].input,
      given,
      operation,
    )
    const { scrubbed } = await scrub(parsed, () => portableMarker)
    const input = { ...scrubbed, project: scrubbed.project ?? options.project }
    const entry = { operation, input, address: options.address } as WaitingCapture
    return sendInOrder(entry, () => client[operation](input as never, call), call?.signal)
  }
  const close = async () => {
    await spool.close()
    await client.close()
  }
  const workerId = async () => options.workerId ?? spool.workerId
  const captures = {
    captureTurnState: capture('captureTurnState'),
    captureReports: capture('captureReports'),
    commitAttempt: capture('commitAttempt'),
  }
  return {
    ...client,
    ...calls,
    ...(captures as Pick<Calls, WaitingCapture['operation']>),
    spool: async () => spool,
    workerId,
    close,
  }
}

class ReplayingSpool extends SpoolFolder implements Spool {
  readonly #options: SpoolingOptions
  readonly #worker: { claimed: string; id: string }
  #replaying: Promise<Replayed> | null = null
  #timer: NodeJS.Timeout | undefined
  #pause = FIRST_AGAIN_MS
  /** Time before which a hanging service is not called again: otherwise every call waits for its time-out. */
  #hangs: { until: number; error: TurngraphError } | null = null
  #closed = false

  constructor(options: SpoolingOptions) {
    super(options.spool, options.log)
    this.#options = options
    this.make()
    const other = this.entries().find(({ address }) => address !== options.address)
    if (other !== undefined && !options.isMoved)
      throw waitsForAnother(this.folder, other.address, options.address)
    this.#worker = this.claimWorker()
    this.#later()
  }

  get workerId(): string {
    return this.#worker.id
  }

  get waiting(): number {
    return this.list().length
  }

  get refused(): number {
    return this.list('refused').length
  }

  entries(): WaitingCapture[] {
    return this.list().flatMap((file) => {
      const entry = this.read(file)
      return entry === null || entry instanceof TurngraphError ? [] : entry
    })
  }

  refusedIn = (scope: SpoolScope): number => this.countRefused(keyOf(scope))

  countRefused(world: string): number {
    return this.list('refused').filter((file) => worldOf(this.read(file)) === world).length
  }

  keep(entry: WaitingCapture, cause: Error | null): TurngraphError {
    this.add(entry)
    this.#later()
    const message = 'The turn is not stored yet: it waits on this disk, and is sent when the service is back.'
    return new TurngraphError('store_unavailable', message, {
      hint: `Nothing has to be done; ${this.folder} keeps it until then.`,
      details: { spooled: true, waiting: this.waiting },
      ...(cause !== null && { cause }),
    })
  }

  /** Sends waiting captures. Returns an error if the service is unreachable or the caller aborted the call. */
  async clear(signal: AbortSignal = new AbortController().signal): Promise<TurngraphError | null> {
    if (this.waiting === 0) return null
    if (this.#hangs !== null && performance.now() < this.#hangs.until) return this.#hangs.error
    try {
      const { stoppedBy } = await rejectOnAbort(this.replay(), signal)
      return isAway(stoppedBy) ? stoppedBy : null
    } catch (error) {
      if (signal.aborted) return endedCallError(signal)
      throw error
    }
  }

  replay(): Promise<Replayed> {
    this.#replaying ??= this.#replay().finally(() => {
      this.#replaying = null
    })
    return this.#replaying
  }

  /** Aborts the capture that is being sent. It stays in the spool. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#options.replayer.close()
    await this.#replaying?.catch(() => {})
    this.release(this.#worker.claimed)
  }

  async #replay(): Promise<Replayed> {
    const { address, isMoved, log } = this.#options
    let [sent, refused] = [0, 0]
    let stoppedBy: TurngraphError | null = null
    const blocked = new Set<string>()
    while (!this.#closed && (stoppedBy === null || !isForAllWorlds(stoppedBy))) {
      const next = this.claimNext(blocked, isMoved ? null : address)
      if (next === null) break
      try {
        await this.#store(next.entry)
        this.remove(next.claimed)
        sent++
      } catch (error) {
        if (hasCode(error, ...REFUSALS) && !isClientClosed(error)) refused += this.#refuse(next, error)
        else {
          this.release(next.claimed)
          if (!(error instanceof TurngraphError)) throw error
          if (error.code !== 'busy' && !isForAllWorlds(error) && error.message !== stoppedBy?.message)
            log(`A spooled turn waits (${error.message}), and with it the later turns of its world.`)
          stoppedBy = error
          blocked.add(next.world)
        }
      }
    }
    if (sent > 0) log(`${sent} spooled turns were sent to the service.`)
    this.#pause = sent + refused > 0 ? FIRST_AGAIN_MS : Math.min(2 * this.#pause, LAST_AGAIN_MS)
    const isHanging = stoppedBy?.code === 'timeout'
    this.#hangs = isHanging && stoppedBy ? { until: performance.now() + this.#pause, error: stoppedBy } : null
    this.#later()
    return { sent, refused, waiting: this.waiting, stoppedBy }
  }

  /** Rejects a turn, and before it the later turns of its world, which build on it. Returns their number. */
  #refuse({ claimed, world }: { claimed: string; world: string }, error: TurngraphError): number {
    const isLater = (file: SpoolFile) => world !== '' && !file.isHeld && worldOf(this.read(file)) === world
    const later = this.list().filter(isLater)
    const refusals = [
      ...later.map(({ name }) => [name, builtOnRefused()] as const),
      [claimed, error] as const,
    ]
    for (const [name, reason] of refusals) {
      this.refuse(name, reason)
      this.#options.log(`A spooled turn was refused (${reason.message}); it stays in ${this.folder}/refused.`)
    }
    return refusals.length
  }

  /** Captures the turn of a commit whose lease has expired. The graph rejects it if another turn was stored there. */
  async #store(entry: WaitingCapture | TurngraphError): Promise<void> {
    if (entry instanceof TurngraphError) throw entry
    const { replayer } = this.#options
    try {
      await replayer[entry.operation](entry.input as never)
    } catch (error) {
      if (entry.operation !== 'commitAttempt' || !hasCode(error, 'lease_lost')) throw error
      const { project, turn } = entry.input
      const { featureId, taskId, turnNumber } = turn
      if (featureId == null || taskId == null || turnNumber == null) throw error
      await replayer.captureTurnState({ ...turn, project, featureId, taskId, turnNumber })
    }
  }

  #later(): void {
    clearTimeout(this.#timer)
    if (this.#closed || this.waiting === 0) return
    const again = () => void this.replay().catch((error: unknown) => this.#options.log(String(error)))
    this.#timer = setTimeout(again, this.#pause).unref()
  }
}

/** Errors that each capture would meet. Any other error holds up one world. */
const isForAllWorlds = (error: TurngraphError): boolean =>
  ['store_unavailable', 'timeout', 'unauthorized', 'rate_limited'].includes(error.code) ||
  isClientClosed(error)

/** Errors that reject the record itself, so that a retry does not help. */
const REFUSALS = [
  'invalid_request',
  'too_large',
  'turn_conflict',
  'world_conflict',
  'unknown_world',
  'world_deleted',
  'not_found',
  'lease_lost',
] as const

const builtOnRefused = (): TurngraphError =>
  new TurngraphError('turn_conflict', 'It was built on a turn of its world that was refused.', {
    hint: "The spool's folder `refused` holds that turn with the reason; somebody else may have gone on with the world.",
  })

const waitsForAnother = (folder: string, other: string, address: string): TurngraphError =>
  new TurngraphError('invalid_request', `spool: turns in ${folder} wait for ${other}, not for ${address}`, {
    hint: 'Open it with that url until they are sent, or name another folder. If the service has moved: turngraph spool send --moved.',
    details: { problems: [{ path: 'spool', message: `holds turns for ${other}` }] },
  })
