import { isAway, TurngraphError } from '../errors.ts'
import { type OperationName, operations } from '../operations.ts'
import { scrub } from '../scrub.ts'
import { parseInput } from '../wire.ts'
import type { CallOptions, TurngraphClient } from './client.ts'
import { type Kept, type Replayed, type Spool, SpoolFolder, type SpoolOptions } from './spool.ts'

const FIRST_AGAIN_MS = 1_000
const LAST_AGAIN_MS = 15_000

/**
 * A client whose captures wait on disk while the service is away. Such a capture rejects with `store_unavailable` and
 * `details.spooled`: an answer means stored, here as everywhere. What waits goes first, in its order, before anything
 * else is asked, so that whoever writes and reads through this client reads what it wrote.
 *
 * @param log takes what nobody waits for: what was sent later, and what was refused
 */
export function spoolingClient(
  client: TurngraphClient,
  options: SpoolOptions,
  log: (message: string) => void,
): TurngraphClient {
  const spool = new ReplayingSpool(client, new SpoolFolder(options), log)
  const call =
    (name: OperationName) =>
    async (input: unknown, callOptions?: CallOptions): Promise<unknown> => {
      const entry = isCapture(name) ? await clean(name, input) : null
      await spool.replay()
      if (entry === null) return send(client, name, input, callOptions)
      if (spool.waiting > 0) throw spool.keep(entry)
      try {
        return await send(client, name, entry.input, callOptions)
      } catch (error) {
        throw isAway(error) ? spool.keep(entry, error) : error
      }
    }
  const calls = Object.fromEntries(Object.keys(operations).map((name) => [name, call(name as OperationName)]))
  const close = async () => {
    spool.close()
    await client.close()
  }
  return { ...client, ...calls, spool: async () => spool, close } as unknown as TurngraphClient
}

const isCapture = (name: OperationName): name is Kept['operation'] =>
  name === 'captureTurnState' || name === 'commitAttempt'

/**
 * As it may lie on a disk. Every capture goes out like this, whether it waits or not: the record that waits must be the
 * one whose answer was lost, or it would conflict with it.
 */
async function clean(operation: Kept['operation'], input: unknown): Promise<Kept> {
  if (operation === 'captureTurnState') {
    const parsed = parseInput(operations.captureTurnState.input, input, operation)
    return { operation, input: (await scrub(parsed)).scrubbed }
  }
  const parsed = parseInput(operations.commitAttempt.input, input, operation)
  return { operation, input: { ...parsed, turn: (await scrub(parsed.turn)).scrubbed } }
}

const send = (
  client: TurngraphClient,
  name: OperationName,
  input: unknown,
  options?: CallOptions,
): Promise<unknown> =>
  (client[name] as (input: unknown, options?: CallOptions) => Promise<unknown>)(input, options)

class ReplayingSpool implements Spool {
  readonly #client: TurngraphClient
  readonly #folder: SpoolFolder
  readonly #log: (message: string) => void
  #replaying: Promise<Replayed> | null = null
  #timer: NodeJS.Timeout | undefined
  #pause = FIRST_AGAIN_MS
  #closed = false

  constructor(client: TurngraphClient, folder: SpoolFolder, log: (message: string) => void) {
    this.#client = client
    this.#folder = folder
    this.#log = log
    this.#later()
  }

  get folder(): string {
    return this.#folder.path
  }

  get waiting(): number {
    return this.#folder.waiting
  }

  get refused(): number {
    return this.#folder.refused
  }

  entries(): Kept[] {
    return this.#folder.entries()
  }

  /** Keeps a capture, and answers the error that tells its caller so. */
  keep(entry: Kept, cause?: Error): TurngraphError {
    this.#folder.keep(entry)
    this.#later()
    return new TurngraphError(
      'store_unavailable',
      'The turn is not stored yet: it waits on this disk, and is sent when the service is back.',
      {
        hint: `Nothing has to be done; ${this.folder} keeps it until then.`,
        details: { spooled: true, waiting: this.waiting },
        cause,
      },
    )
  }

  replay(): Promise<Replayed> {
    this.#replaying ??= this.#replay().finally(() => {
      this.#replaying = null
    })
    return this.#replaying
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  async #replay(): Promise<Replayed> {
    let [sent, refused] = [0, 0]
    /** Worlds of which a turn was refused: their later turns were built on it. */
    const torn = new Map<string, TurngraphError>()
    for (let entry = this.#folder.oldest(); entry !== null && !this.#closed; entry = this.#folder.oldest()) {
      const world = entry instanceof TurngraphError ? '' : worldOf(entry)
      try {
        if (entry instanceof TurngraphError) throw entry
        const before = torn.get(world)
        if (before !== undefined) throw builtOn(before)
        await this.#store(entry)
        this.#folder.removeOldest()
        sent++
      } catch (error) {
        if (!(error instanceof TurngraphError && REFUSALS.has(error.code))) break
        torn.set(world, torn.get(world) ?? error)
        this.#folder.refuseOldest(error.toWire())
        this.#log(`A spooled turn was refused (${error.message}); it stays in ${this.folder}/refused.`)
        refused++
      }
    }
    if (sent > 0) this.#log(`${sent} spooled turns were sent to the service.`)
    this.#pause = sent + refused > 0 ? FIRST_AGAIN_MS : Math.min(2 * this.#pause, LAST_AGAIN_MS)
    this.#later()
    return { sent, refused, waiting: this.waiting }
  }

  /**
   * A commit whose lease has run out meanwhile is captured as the turn that it is: the graph refuses it where anybody
   * else has written that turn, or is at work on it.
   */
  async #store(entry: Kept): Promise<void> {
    if (entry.operation === 'captureTurnState') {
      await this.#client.captureTurnState(entry.input)
      return
    }
    const { turn, project } = entry.input
    try {
      await this.#client.commitAttempt(entry.input)
    } catch (error) {
      if (!(error instanceof TurngraphError) || error.code !== 'lease_lost') throw error
      const { featureId, taskId, turnNumber } = turn
      if (featureId == null || taskId == null || turnNumber == null) throw error
      await this.#client.captureTurnState({ ...turn, project, featureId, taskId, turnNumber })
    }
  }

  #later(): void {
    clearTimeout(this.#timer)
    if (this.#closed || this.waiting === 0) return
    const again = () =>
      void this.replay().catch((error: unknown) => this.#log(`The spool cannot be read: ${String(error)}`))
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

function worldOf({ operation, input }: Kept): string {
  const { featureId, taskId, worldSlug } = operation === 'captureTurnState' ? input : input.turn
  return JSON.stringify([input.project, featureId, taskId, worldSlug])
}

const builtOn = (error: TurngraphError): TurngraphError =>
  new TurngraphError(error.code, `It was built on a turn that was refused: ${error.message}`)
