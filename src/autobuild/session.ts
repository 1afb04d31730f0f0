import { setTimeout as sleep } from 'node:timers/promises'
import type { TurngraphClient } from '../client/client.ts'
import { isSpooled } from '../client/client-errors.ts'
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import type { World } from '../memory/worlds/worlds.ts'
import { abortingClient } from './aborting-client.ts'
import type { AutobuildEvent, Outcome } from './events.ts'
import { findWorld } from './find-world.ts'
import type { RoundRecord } from './halves.ts'
import { Memory, noticeFor } from './memory.ts'
import { failedPlayer, playRound } from './round.ts'
import type { AutobuildSettings } from './settings.ts'
import { HeldTurn, isBusy, takeTurn, tryToTake } from './turn-lease.ts'

const AGAIN_MS = 1_000

type Events<T = void> = AsyncGenerator<AutobuildEvent, T>

/** Loops of this process that are at work, by their client: they would be one worker, and not see each other. */
const atWork = new WeakMap<TurngraphClient, Set<string>>()

/** One session of the loop in one world: where it stands, and what takes it a turn further. */
export class Session<Task, Report> {
  readonly #settings: AutobuildSettings<Task, Report>
  readonly #client: TurngraphClient
  readonly #memory: Memory
  readonly #signal: AbortSignal
  /** Null until the service could be asked. */
  #world: World | null = null
  #worldSlug: string | null
  /** Null while only the service knows: it is that of its callers. */
  #project: string | null
  #turn: number | null = null
  /** How many of its turns the spool had seen refused when this session looked where it stands. */
  #refusedBefore = 0
  #first = true
  #entered: string | null = null
  #unsaved: RoundRecord | null = null

  constructor(settings: AutobuildSettings<Task, Report>) {
    const { world, tokenBudget, perspectiveResetTurns, memory, signal } = settings
    const client = abortingClient(settings.client, signal)
    this.#settings = settings
    this.#client = client
    this.#worldSlug = world.worldSlug ?? null
    this.#project = world.project ?? null
    this.#signal = signal
    const { worldSlug, leaseTtlMs, ...target } = world
    this.#memory = new Memory({ client, target, tokenBudget, perspectiveResetTurns, on: memory })
  }

  get worldSlug(): string | null {
    return this.#worldSlug
  }

  /** The newest turn; null where nothing is known of the world yet. */
  get turn(): number | null {
    return this.#turn
  }

  /** The record of a turn that could neither be stored nor kept. */
  get unsaved(): RoundRecord | null {
    return this.#unsaved
  }

  /** How many turns wait in the spool. */
  async waiting(): Promise<number> {
    const spool = await this.#client.spool().catch(() => null)
    return spool?.waiting ?? 0
  }

  /** Finds the world, or makes it. Where the service is away, the turns that wait in the spool say where it stands. */
  async *open(): Events {
    try {
      await this.#find()
    } catch (error) {
      if (!isAway(error)) throw error
      if (await this.#fromSpool()) return this.#enter()
      const context = noticeFor(null, null, error)
      yield { type: 'context', turn: null, role: 'player', status: 'dark', context, continuation: null }
      yield { type: 'waiting', reason: `${error.message} Without it nobody knows where the session stands.` }
      await this.#patiently(() => this.#find())
    }
    this.#enter()
    this.#refusedBefore = await this.#refused()
    yield { type: 'session', worldSlug: this.#worldSlug ?? '', currentTurn: this.#turn ?? 0 }
  }

  /** Nobody of this process works in the world any more. */
  leave(): void {
    if (this.#entered !== null) atWork.get(this.#settings.client)?.delete(this.#entered)
    this.#entered = null
  }

  /** Why no further turn begins; null where one does. */
  async over(): Promise<Outcome | null> {
    if (this.#turn === null || this.#turn === 0) return null
    await this.#refuseToBuildOnRefused()
    if (this.#memory.prior?.coachDecision === 'approved') return 'approved'
    if (this.#settings.stopOnStall && (await this.#isStalled())) return 'stalled'
    return this.#turn >= this.#settings.maxTurns ? 'max_turns' : null
  }

  async *nextTurn(): Events {
    const held = yield* this.#take()
    await this.#refuseToBuildOnRefused().catch(async (error: unknown) => {
      await held?.release('a turn before it was refused')
      throw error
    })
    const turn = (this.#turn ?? 0) + 1
    if (held !== null && held.turn !== turn) {
      await held.release('the world has moved on')
      await this.#find()
      return
    }
    try {
      yield { type: 'turn', turn, attemptId: held?.attemptId ?? null }
      const signal = held === null ? this.#signal : AbortSignal.any([this.#signal, held.signal])
      const record = yield* playRound({
        ...this.#settings,
        turn,
        contextFor: (role) => this.#memory.contextFor(role, turn, this.#worldSlug),
        prior: () => this.#memory.prior,
        interrupted: await this.#wasInterrupted(turn, held),
        signal,
      })
      const stored = await this.#capture(turn, record, held)
      this.#turn = turn
      this.#memory.keep(this.#turnOf(turn, record))
      yield { type: 'captured', turn, stored, record }
    } finally {
      await held?.release(this.#signal.aborted ? 'aborted by its caller' : 'the loop ended')
    }
  }

  /** Null where the service is away and the turn can go on without it. */
  async *#take(): Events<HeldTurn | null> {
    try {
      if (this.#world === null) await this.#find()
      const place = { client: this.#client, world: this.#world as World }
      return yield* takeTurn(place, this.#signal)
    } catch (error) {
      if (!isAway(error)) throw error
      if ((await this.#client.spool()) !== null) return null
      yield { type: 'waiting', reason: `${error.message} Without a spool no turn begins before it is back.` }
      await this.#patiently(() => this.#find())
      return yield* this.#take()
    }
  }

  /** @returns false where it waits in the spool */
  async #capture(turnNumber: number, record: RoundRecord, held: HeldTurn | null): Promise<boolean> {
    this.#unsaved = record
    try {
      await this.#store(turnNumber, record, held)
    } catch (error) {
      if (isSpooled(error)) {
        held?.stop()
        this.#unsaved = null
        return false
      }
      if (!hasCode(error, 'invalid_request', 'too_large')) throw error
      // Not even the failure is lost.
      const { mode, startedAt, completedAt } = record
      await this.#store(turnNumber, { ...failedPlayer(error), mode, startedAt, completedAt }, held)
    }
    this.#unsaved = null
    return true
  }

  async #store(turnNumber: number, record: RoundRecord, held: HeldTurn | null): Promise<void> {
    const turn = this.#turnOf(turnNumber, record)
    let owned = held
    try {
      await this.#patiently(async () => {
        if (owned !== null) return owned.commit(turn)
        await this.#refuseToBuildOnRefused()
        await this.#client
          .captureTurnState({ project: this.#project, ...turn })
          .catch(async (error: unknown) => {
            // An attempt of our own may be in the way, whose claim was never answered.
            owned = isBusy(error) ? await this.#ownAttempt(turnNumber) : null
            if (owned === null) throw error
            await owned.commit(turn)
          })
      })
    } finally {
      if (owned !== held) await owned?.release('its turn was not stored')
    }
  }

  #turnOf(turnNumber: number, record: RoundRecord) {
    const { featureId, taskId } = this.#settings.world
    return { ...record, featureId, taskId, worldSlug: this.#worldSlug, turnNumber }
  }

  async #ownAttempt(turnNumber: number): Promise<HeldTurn | null> {
    if (this.#world === null) return null
    const place = { client: this.#client, world: this.#world }
    const taken = await tryToTake(place)
    if (!('fence' in taken)) return null
    const held = new HeldTurn(place, taken)
    if (held.turn === turnNumber) return held
    await held.release('its turn was written by somebody else meanwhile')
    return null
  }

  /** Later turns would stand on one that is not there. */
  async #refuseToBuildOnRefused(): Promise<void> {
    if ((await this.#refused()) <= this.#refusedBefore) return
    throw refused((await this.#client.spool())?.folder ?? '')
  }

  async #refused(): Promise<number> {
    const { featureId, taskId } = this.#settings.world
    const scope = { project: this.#project, featureId, taskId, worldSlug: this.#worldSlug }
    return (await this.#client.spool())?.refusedIn(scope) ?? 0
  }

  #enter(): void {
    const worlds = atWork.get(this.#settings.client) ?? new Set()
    const world = JSON.stringify([this.#project, this.#worldSlug])
    if (worlds.has(world)) throw twice(this.#worldSlug ?? '')
    atWork.set(this.#settings.client, worlds.add(world))
    this.#entered = world
  }

  async #find(): Promise<void> {
    const world = await findWorld(this.#client, this.#settings.world)
    this.#world = world
    this.#worldSlug = world.worldSlug
    this.#project = world.project
    this.#turn = world.currentTurn
    if (world.currentTurn === 0 || this.#memory.prior?.turnNumber === world.currentTurn) return
    const { project, worldSlug, currentTurn: turnNumber } = world
    this.#memory.keep(await this.#client.getTurn({ project, worldSlug, turnNumber }))
  }

  async #fromSpool(): Promise<boolean> {
    const { featureId, taskId, project, worldSlug } = this.#settings.world
    const turns = ((await this.#client.spool())?.entries() ?? [])
      .filter(({ input }) => project == null || input.project === project)
      .map(({ operation, input }) => ({
        ...(operation === 'captureTurnState' ? input : input.turn),
        project: input.project ?? null,
      }))
      .filter((turn) => turn.featureId === featureId && turn.taskId === taskId)
    // The newest one's world: another of the task is another session.
    const slug = worldSlug ?? turns.at(-1)?.worldSlug ?? null
    for (const { turnNumber, ...record } of turns.filter((turn) => turn.worldSlug === slug)) {
      if (turnNumber == null) continue
      this.#worldSlug = slug
      this.#project = record.project
      this.#turn = turnNumber
      this.#memory.keep({ ...record, featureId, taskId, turnNumber })
    }
    return this.#turn !== null
  }

  async #isStalled(): Promise<boolean> {
    const { project, featureId, taskId } = this.#settings.world
    try {
      const stall = await this.#client.loadStall({ project, featureId, taskId, worldSlug: this.#worldSlug })
      return stall.shouldStop
    } catch (error) {
      if (!isAway(error)) throw error
      return false // it is asked again after the next turn
    }
  }

  /** Of a process that was killed, or a caller that gave up: only where this one has just begun. */
  async #wasInterrupted(turn: number, held: HeldTurn | null): Promise<boolean> {
    const begun = this.#first
    this.#first = false
    if (!begun || this.#world === null) return false
    if (held?.resumed) return true
    const { project, worldSlug } = this.#world
    try {
      const { attempts } = await this.#client.listAttempts({ project, worldSlug, limit: 2 })
      return attempts.some(({ attemptedTurn, status }) => attemptedTurn === turn && ENDED.has(status))
    } catch (error) {
      if (!isAway(error)) throw error
      return false
    }
  }

  /** Again and again while the service is away or the world is busy, as long as the caller has patience. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#settings.patienceMs
    for (;;) {
      this.#signal.throwIfAborted()
      try {
        return await work()
      } catch (error) {
        if (!passes(error) || performance.now() > until) throw error
        await sleep(AGAIN_MS, undefined, { signal: this.#signal })
      }
    }
  }
}

/** Without a record. */
const ENDED = new Set(['failed', 'interrupted'])

/** Another try settles it: somebody's lease runs out, other worlds of the task have added criteria, or a minute is over. */
const passes = (error: unknown): boolean =>
  (isAway(error) && !isSpooled(error)) || hasCode(error, 'busy', 'rate_limited')

const refused = (folder: string): TurngraphError =>
  new TurngraphError('turn_conflict', 'The graph has refused a turn that waited in the spool.', {
    hint: `${folder}/refused holds it with the reason; somebody else may have gone on with this session.`,
  })

const twice = (worldSlug: string): TurngraphError =>
  new TurngraphError('busy', `Another loop of this client is at work in world "${worldSlug}".`, {
    hint: 'Wait for it, or name another worldSlug for a session of its own.',
  })
