/** A client whose captures wait in a spool while the service is away, and are sent in their order once it is back. */
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import { portableMarker } from '../core/scrub/marks.ts'
import { scrub } from '../core/scrub/scrub.ts'
import { parseInput } from '../core/wire-form.ts'
import { operations } from '../operations/table.ts'
import { callOn, callsBy } from './calls.ts'
import type { Calls, TurngraphClient } from './client.ts'
import {
  type Replayed,
  type Spool,
  SpoolFolder,
  type SpoolOptions,
  type SpoolScope,
  type WaitingCapture,
  type WaitingCommit,
  type WaitingTurn,
} from './spool.ts'

const FIRST_AGAIN_MS = 1_000
const LAST_AGAIN_MS = 15_000

type SpoolingOptions = {
  spool: SpoolOptions
  /** Sends what waits: without repeats, since it is tried again anyway. */
  replayer: TurngraphClient
  /** Where this client goes: what waits for another service is not sent to this one. */
  address: string
  /** The project of records that name none. */
  project: string | null
  /** Takes what nobody waits for: what was sent later, and what was refused. */
  log: (message: string) => void
}

/**
 * A client whose captures wait on disk while the service is away. Such a capture rejects with `store_unavailable` and
 * `details.spooled`: an answer means stored, here as everywhere. What waits goes first, in its order, before anything
 * else is asked, so that a caller of this client reads what it wrote.
 */
export function spoolingClient(client: TurngraphClient, options: SpoolingOptions): TurngraphClient {
  const spool = new ReplayingSpool(options)
  const calls = callsBy(async (name, input, callOptions) => {
    await spool.clear()
    return callOn(client, name, input, callOptions)
  })
  /** Sends a capture behind all that waits. */
  const sendInOrder = async <T>(entry: WaitingCapture, send: () => Promise<T>): Promise<T> => {
    const before = spool.refusedIn(toScope(entry))
    const away = await spool.clear().catch(awayOrThrow)
    if (spool.refusedIn(toScope(entry)) > before) throw builtOnRefused()
    // Also where it waits for a world that is at work, behind others.
    if (away !== null || spool.waiting > 0) throw spool.keep(entry, away)
    try {
      return await send()
    } catch (error) {
      throw isAway(error) ? spool.keep(entry, error) : error
    }
  }
  const captureTurnState: Calls['captureTurnState'] = async (given, callOptions) => {
    const input = await scrubTurn(given, options.project)
    return sendInOrder({ operation: 'captureTurnState', input }, () =>
      client.captureTurnState(input, callOptions),
    )
  }
  const commitAttempt: Calls['commitAttempt'] = async (given, callOptions) => {
    const input = await scrubCommit(given, options.project)
    return sendInOrder({ operation: 'commitAttempt', input }, () => client.commitAttempt(input, callOptions))
  }
  const close = async () => {
    await spool.close()
    await client.close()
  }
  return { ...client, ...calls, captureTurnState, commitAttempt, spool: async () => spool, close }
}

function awayOrThrow(error: unknown): TurngraphError {
  if (isAway(error)) return error
  throw error
}

/**
 * As it may lie on a disk. Every capture goes out like this, whether it waits or not: the record that waits must be the
 * one whose answer was lost, or it would conflict with it. Its project goes with it, whatever the next process says.
 */
async function scrubTurn(given: unknown, project: string | null): Promise<WaitingTurn['input']> {
  const parsed = parseInput(operations.captureTurnState.input, given, 'captureTurnState')
  const { scrubbed } = await scrub(parsed, () => portableMarker)
  return { ...scrubbed, project: scrubbed.project ?? project }
}

async function scrubCommit(given: unknown, project: string | null): Promise<WaitingCommit['input']> {
  const parsed = parseInput(operations.commitAttempt.input, given, 'commitAttempt')
  const { scrubbed: turn } = await scrub(parsed.turn, () => portableMarker)
  return { ...parsed, project: parsed.project ?? project, turn }
}

class ReplayingSpool extends SpoolFolder implements Spool {
  readonly #client: TurngraphClient
  readonly #address: string
  readonly #log: (message: string) => void
  /** By world, how many were refused. */
  readonly #refusals = new Map<string, number>()
  #replaying: Promise<Replayed> | null = null
  #timer: NodeJS.Timeout | undefined
  #pause = FIRST_AGAIN_MS
  /** A service that hangs is not asked again before then: every call would wait for its time-out. */
  #hangs: { until: number; error: TurngraphError } | null = null
  #closed = false

  constructor({ replayer, spool, address, log }: SpoolingOptions) {
    super(spool)
    this.#client = replayer
    this.#address = address
    this.#log = log
    const waitsFor = this.address
    if (waitsFor !== null && waitsFor !== address) throw waitsForAnother(this.folder, waitsFor, address)
    this.#later()
  }

  refusedIn(scope: SpoolScope): number {
    return this.#refusals.get(toWorldKey(scope)) ?? 0
  }

  /** Keeps a capture, and answers the error that tells its caller so. */
  keep(entry: WaitingCapture, cause: Error | null): TurngraphError {
    this.add(entry, this.#address)
    this.#later()
    return new TurngraphError(
      'store_unavailable',
      'The turn is not stored yet: it waits on this disk, and is sent when the service is back.',
      {
        hint: `Nothing has to be done; ${this.folder} keeps it until then.`,
        details: { spooled: true, waiting: this.waiting },
        ...(cause !== null && { cause }),
      },
    )
  }

  /**
   * Sends what waits, before anything else is asked. @throws what keeps it waiting, where the service is away.
   * @returns null, also where it waits for something else
   */
  async clear(): Promise<null> {
    if (this.waiting === 0) return null
    if (this.#hangs !== null && performance.now() < this.#hangs.until) throw this.#hangs.error
    const { stoppedBy } = await this.replay()
    if (stoppedBy !== null && isAway(stoppedBy)) throw stoppedBy
    return null
  }

  replay(): Promise<Replayed> {
    this.#replaying ??= this.#replay().finally(() => {
      this.#replaying = null
    })
    return this.#replaying
  }

  /** What is being sent is sent first: the folder is somebody else's then. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#replaying?.catch(() => {})
  }

  async #replay(): Promise<Replayed> {
    let [sent, refused] = [0, 0]
    let stoppedBy: TurngraphError | null = null
    /** Worlds that had a turn refused: their later turns were built on it. */
    const torn = new Set<string>()
    for (let entry = this.oldest(); entry !== null && !this.#closed; entry = this.oldest()) {
      const world = entry instanceof TurngraphError ? '' : toWorldKey(toScope(entry))
      try {
        if (entry instanceof TurngraphError) throw entry
        if (torn.has(world)) throw builtOnRefused()
        await this.#store(entry)
        this.removeOldest()
        sent++
      } catch (error) {
        if (!(error instanceof TurngraphError)) throw error
        if (!REFUSALS.has(error.code)) {
          stoppedBy = error
          break
        }
        torn.add(world)
        this.#refusals.set(world, (this.#refusals.get(world) ?? 0) + 1)
        this.refuseOldest(error.toWire())
        this.#log(`A spooled turn was refused (${error.message}); it stays in ${this.folder}/refused.`)
        refused++
      }
    }
    if (sent > 0) this.#log(`${sent} spooled turns were sent to the service.`)
    this.#pause = sent + refused > 0 ? FIRST_AGAIN_MS : Math.min(2 * this.#pause, LAST_AGAIN_MS)
    const hangs = stoppedBy?.code === 'timeout'
    this.#hangs = hangs && stoppedBy ? { until: performance.now() + this.#pause, error: stoppedBy } : null
    this.#later()
    return { sent, refused, waiting: this.waiting, stoppedBy }
  }

  /**
   * A commit whose lease has run out meanwhile is captured as the turn that it is: the graph refuses it where anybody
   * else has written that turn, or is at work on it.
   */
  async #store(entry: WaitingCapture): Promise<void> {
    if (entry.operation === 'captureTurnState') {
      await this.#client.captureTurnState(entry.input)
      return
    }
    const { turn, project } = entry.input
    try {
      await this.#client.commitAttempt(entry.input)
    } catch (error) {
      if (!hasCode(error, 'lease_lost')) throw error
      const { featureId, taskId, turnNumber } = turn
      if (featureId == null || taskId == null || turnNumber == null) throw error
      await this.#client.captureTurnState({ ...turn, project, featureId, taskId, turnNumber })
    }
  }

  #later(): void {
    clearTimeout(this.#timer)
    if (this.#closed || this.waiting === 0) return
    const again = () => void this.replay().catch((error: unknown) => this.#log(String(error)))
    this.#timer = setTimeout(again, this.#pause).unref()
  }
}

/** Asking again would not help: the record itself is refused, not the moment. */
const REFUSALS = new Set([
  'invalid_request',
  'too_large',
  'turn_conflict',
  'world_conflict',
  'unknown_world',
  'world_deleted',
  'not_found',
  'lease_lost',
])

function toScope({ operation, input }: WaitingCapture): SpoolScope {
  const { featureId, taskId, worldSlug } = operation === 'captureTurnState' ? input : input.turn
  return { project: input.project, featureId: featureId ?? '', taskId: taskId ?? '', worldSlug }
}

const toWorldKey = ({ project, featureId, taskId, worldSlug }: SpoolScope): string =>
  JSON.stringify([project ?? null, featureId, taskId, worldSlug ?? null])

const builtOnRefused = (): TurngraphError =>
  new TurngraphError('turn_conflict', 'It was built on a turn of its world that was refused.', {
    hint: "The spool's folder `refused` holds that turn with the reason; somebody else may have gone on with the world.",
  })

const waitsForAnother = (folder: string, waitsFor: string, address: string): TurngraphError =>
  new TurngraphError(
    'invalid_request',
    `spool: turns in ${folder} wait for ${waitsFor}, not for ${address}`,
    {
      hint: 'Open it with that url until they are sent, or name another folder.',
      details: { problems: [{ path: 'spool', message: `holds turns for ${waitsFor}` }] },
    },
  )
