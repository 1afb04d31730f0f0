/** Holds one session of the Player/Coach loop in one world: its current turn, and the steps of the next turn. */
import { setTimeout as sleep } from 'node:timers/promises'
import { callOn, callsBy } from '../client/calls.ts'
import type { TurngraphClient } from '../client/client.ts'
import { isSpooled, isSpoolFull } from '../client/client-errors.ts'
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import { joinSignals } from '../core/join-signals.ts'
import type { World } from '../memory/worlds/worlds.ts'
import { WITHOUT_RECORD } from '../rules/values.ts'
import type { Check } from '../verify/checks.ts'
import type { AutobuildEvent, Outcome } from './events.ts'
import type { RoundRecord } from './fields-by-role.ts'
import { findWorld } from './find-world.ts'
import { Memory, noticeFor } from './memory.ts'
import { failedPlayer, playRound } from './round.ts'
import { type Seen, seeCommands, selectChecks } from './see-commands.ts'
import type { AutobuildSettings } from './settings.ts'
import { acquireTurn, isBusy, TurnLease, tryAcquire } from './turn-lease.ts'

const AGAIN_MS = 1_000

type Events<T = void> = AsyncGenerator<AutobuildEvent, T>

/** Worlds in which loops of this process run, by their client. Two loops in one world would use the same worker id. */
const worldsAtWork = new WeakMap<TurngraphClient, Set<string>>()

export class Session<Task, Report> {
  readonly #settings: AutobuildSettings<Task, Report>
  readonly #client: TurngraphClient
  readonly #memory: Memory
  readonly #signal: AbortSignal
  /** Null until the service has answered. */
  #world: World | null = null
  #worldSlug: string | null
  /** Null while only the service knows the project of its callers. */
  #project: string | null
  #turn: number | null = null
  /** Number of rejected turns in the spool when this session read its state. */
  #refusedBefore = 0
  #first = true
  #worldAtWork: string | null = null
  #unsaved: RoundRecord | null = null
  /** The Player's half of the turn that the Coach still has to judge. */
  #half: RoundRecord | null = null
  #checks: Check[] | null = null

  constructor(settings: AutobuildSettings<Task, Report>) {
    const { world, tokenBudget, perspectiveResetTurns, elsewhere, memory, signal } = settings
    // Its calls end when the signal is aborted; a call with its own signal keeps that one.
    const call: Parameters<typeof callsBy>[0] = (name, input, options) => {
      const send = () => callOn(settings.client, name, input, { signal, ...options })
      return SENT_ONCE.has(name) ? send() : this.#withPatience(send, isLimited)
    }
    const client = { ...settings.client, ...callsBy(call) }
    this.#settings = settings
    this.#client = client
    this.#worldSlug = world.worldSlug ?? null
    this.#project = world.project ?? null
    this.#signal = signal
    const { worldSlug, leaseTtlMs, ...target } = world
    this.#memory = new Memory({ client, target, tokenBudget, perspectiveResetTurns, elsewhere, on: memory })
  }

  get worldSlug(): string | null {
    return this.#worldSlug
  }

  get turn(): number | null {
    return this.#turn
  }

  /** Record of a turn that could be neither stored nor spooled, or the Player's half if an error came before a verdict. */
  get unsaved(): RoundRecord | null {
    return this.#unsaved ?? (this.#signal.aborted ? null : this.#half)
  }

  async waiting(): Promise<number> {
    const spool = await this.#client.spool().catch(() => null)
    return spool?.waiting ?? 0
  }

  /** Finds or creates the world. If the service is unavailable, the waiting turns in the spool give its state. */
  async *open(): Events {
    try {
      await this.#find()
    } catch (error) {
      if (!isAway(error)) throw error
      if (!(await this.#openFromSpool())) {
        const context = noticeFor(null, null, error)
        yield { type: 'context', turn: null, role: 'player', status: 'dark', context, continuation: null }
        yield {
          type: 'waiting',
          reason: `${error.message} Without it nobody knows where the session stands.`,
        }
        await this.#withPatience(() => this.#find())
      }
    }
    this.#markAtWork()
    this.#refusedBefore = await this.#countRefused()
    yield { type: 'session', worldSlug: this.#worldSlug ?? '', currentTurn: this.#turn ?? 0 }
  }

  leave(): void {
    if (this.#worldAtWork !== null) worldsAtWork.get(this.#settings.client)?.delete(this.#worldAtWork)
    this.#worldAtWork = null
  }

  async over(): Promise<Outcome | null> {
    if (this.#turn === null || this.#turn === 0) return null
    await this.#assertNoneRefused()
    if (this.#memory.prior?.coachDecision === 'approved') return 'approved'
    if (this.#settings.stopOnStall && (await this.#isStalled())) return 'stalled'
    return this.#turn >= this.#settings.maxTurns ? 'max_turns' : null
  }

  async *nextTurn(): Events {
    const lease = yield* this.#acquire()
    await this.#assertNoneRefused().catch(async (error: unknown) => {
      await lease?.release('a turn before it was refused')
      throw error
    })
    const turn = (this.#turn ?? 0) + 1
    if (lease !== null && lease.turn !== turn) {
      await lease.release('the world has moved on')
      await this.#find()
      return
    }
    try {
      const see = await this.#prepareCommands()
      yield { type: 'turn', turn, attemptId: lease?.attemptId ?? null }
      const signal = joinSignals(this.#signal, lease?.signal)
      const played = yield* playRound({
        ...this.#settings,
        turn,
        contextFor: (role) => this.#memory.contextFor(role, turn, this.#worldSlug),
        prior: () => this.#memory.prior,
        interrupted: await this.#wasInterrupted(turn, lease),
        signal,
        see: see && (() => see(signal)),
        onPlayed: (half) => {
          this.#half = half
        },
      })
      const { record, stored } = await this.#capture(turn, played, lease)
      this.#turn = turn
      this.#memory.add(this.#toTurn(turn, record))
      yield { type: 'captured', turn, stored, record }
    } finally {
      await lease?.release(this.#signal.aborted ? 'aborted by its caller' : 'the loop ended')
    }
  }

  /** Selects the commands before the Player works: a task without commands must not cost a turn. Reads the declaration once. */
  async #prepareCommands(): Promise<((signal: AbortSignal) => Promise<Seen>) | undefined> {
    const { verify, world, criteria } = this.#settings
    if (verify === undefined) return undefined
    const declared = { client: this.#client, world, criteria }
    const checks = this.#checks ?? (await this.#withPatience(() => selectChecks(verify, declared)))
    this.#checks = checks
    return (signal) => seeCommands(checks, verify, signal)
  }

  /** Acquires the lease. Returns null if the service is unavailable and the turn can continue without it. */
  async *#acquire(): Events<TurnLease | null> {
    try {
      if (this.#world === null) await this.#find()
      const place = { client: this.#client, world: this.#world as World }
      return yield* acquireTurn(place, this.#signal)
    } catch (error) {
      if (!isAway(error)) throw error
      if ((await this.#client.spool()) !== null) return null
      yield { type: 'waiting', reason: `${error.message} Without a spool no turn begins before it is back.` }
      await this.#withPatience(() => this.#find())
      return yield* this.#acquire()
    }
  }

  /** Stores the record. If it is rejected, stores the record of this failure instead, and returns that one. */
  async #capture(
    turnNumber: number,
    played: RoundRecord,
    lease: TurnLease | null,
  ): Promise<{ record: RoundRecord; stored: boolean }> {
    this.#unsaved = played
    this.#half = null
    const store = async (record: RoundRecord) => ({
      record,
      stored: await this.#store(turnNumber, record, lease),
    })
    const captured = await store(played).catch((error: unknown) => {
      if (!hasCode(error, 'invalid_request', 'too_large') || isSpoolFull(error)) throw error
      const { mode, startedAt, completedAt } = played
      return store({ ...failedPlayer(error), mode, startedAt, completedAt })
    })
    this.#unsaved = null
    return captured
  }

  /** @returns false if the record waits in the spool */
  async #store(turnNumber: number, record: RoundRecord, lease: TurnLease | null): Promise<boolean> {
    const turn = this.#toTurn(turnNumber, record)
    let own = lease
    try {
      await this.#withPatience(async () => {
        if (own !== null) return own.commit(turn)
        await this.#assertNoneRefused()
        await this.#client
          .captureTurnState({ project: this.#project, ...turn })
          .catch(async (error: unknown) => {
            // An attempt of this program whose claim was never answered may block the turn.
            own = isBusy(error) ? await this.#ownAttempt(turnNumber) : null
            if (own === null) throw error
            await own.commit(turn)
          })
      })
      return true
    } catch (error) {
      if (!isSpooled(error)) throw error
      lease?.stop()
      return false
    } finally {
      if (own !== lease) await own?.release('its turn was not stored')
    }
  }

  #toTurn(turnNumber: number, record: RoundRecord) {
    const { featureId, taskId } = this.#settings.world
    return { ...record, featureId, taskId, worldSlug: this.#worldSlug, turnNumber }
  }

  async #ownAttempt(turnNumber: number): Promise<TurnLease | null> {
    if (this.#world === null) return null
    const place = { client: this.#client, world: this.#world }
    const claim = await tryAcquire(place)
    if (!('fence' in claim)) return null
    const lease = new TurnLease(place, claim)
    if (lease.turn === turnNumber) return lease
    await lease.release('its turn was written by somebody else meanwhile')
    return null
  }

  /** Throws if the graph has rejected a turn, because later turns would build on it. */
  async #assertNoneRefused(): Promise<void> {
    if ((await this.#countRefused()) <= this.#refusedBefore) return
    throw turnRefused((await this.#client.spool())?.folder ?? '')
  }

  async #countRefused(): Promise<number> {
    const { featureId, taskId } = this.#settings.world
    const scope = { project: this.#project, featureId, taskId, worldSlug: this.#worldSlug }
    return (await this.#client.spool())?.refusedIn(scope) ?? 0
  }

  #markAtWork(): void {
    const worlds = worldsAtWork.get(this.#settings.client) ?? new Set()
    const world = JSON.stringify([this.#project, this.#worldSlug])
    if (worlds.has(world)) throw loopIsBusy(this.#worldSlug ?? '')
    worldsAtWork.set(this.#settings.client, worlds.add(world))
    this.#worldAtWork = world
  }

  async #find(): Promise<void> {
    const world = await findWorld(this.#client, this.#settings)
    this.#world = world
    this.#worldSlug = world.worldSlug
    this.#project = world.project
    this.#turn = world.currentTurn
    if (world.currentTurn === 0 || this.#memory.prior?.turnNumber === world.currentTurn) return
    const { project, worldSlug, currentTurn: turnNumber } = world
    this.#memory.add(await this.#client.getTurn({ project, worldSlug, turnNumber }))
  }

  async #openFromSpool(): Promise<boolean> {
    const { featureId, taskId, project, worldSlug } = this.#settings.world
    const turns = ((await this.#client.spool())?.entries() ?? [])
      .filter(({ input }) => project == null || input.project === project)
      .flatMap(({ operation, input }) => {
        if (operation === 'captureReports') return [] // of another program: this one sends records
        const record = operation === 'captureTurnState' ? input : input.turn
        return [{ ...record, project: input.project ?? null }]
      })
      .filter((turn) => turn.featureId === featureId && turn.taskId === taskId)
    // Uses the world of the newest turn: another world of the task is another session.
    const slug = worldSlug ?? turns.at(-1)?.worldSlug ?? null
    for (const { turnNumber, ...record } of turns.filter((turn) => turn.worldSlug === slug)) {
      if (turnNumber == null) continue
      this.#worldSlug = slug
      this.#project = record.project
      this.#turn = turnNumber
      this.#memory.add({ ...record, featureId, taskId, turnNumber })
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
      return false // the session asks again after the next turn
    }
  }

  /** Returns true if a killed process or a caller that gave up left the turn unfinished. Checked before the first turn. */
  async #wasInterrupted(turn: number, lease: TurnLease | null): Promise<boolean> {
    const isFirst = this.#first
    this.#first = false
    if (!isFirst || this.#world === null) return false
    if (lease?.resumed) return true
    const { project, worldSlug } = this.#world
    try {
      const { items } = await this.#client.listAttempts({ project, worldSlug, limit: 2 })
      return items.some(({ attemptedTurn, status }) => attemptedTurn === turn && WITHOUT_RECORD.has(status))
    } catch (error) {
      if (!isAway(error)) throw error
      return false
    }
  }

  async #withPatience<T>(work: () => Promise<T>, mayPass = isTransient): Promise<T> {
    const until = performance.now() + this.#settings.patienceMs
    for (;;) {
      this.#signal.throwIfAborted()
      try {
        return await work()
      } catch (error) {
        if (!mayPass(error) || performance.now() > until) throw error
        await sleep(AGAIN_MS, undefined, { signal: this.#signal })
      }
    }
  }
}

/** Calls that are not repeated here: the keeper of a lease renews it again, and a lease that is not released expires. */
const SENT_ONCE: ReadonlySet<string> = new Set(['heartbeatAttempt', 'failAttempt'])

/** True if another try may succeed: a lease expires, or other worlds have added criteria. */
const isTransient = (error: unknown): boolean =>
  (isAway(error) && !isSpooled(error)) || hasCode(error, 'busy')

/** True if the service rejected the call for its rate. Every call may meet this error, because loops can share a token. */
const isLimited = (error: unknown): boolean => hasCode(error, 'rate_limited')

const turnRefused = (folder: string): TurngraphError =>
  new TurngraphError('turn_conflict', 'The graph has refused a turn that waited in the spool.', {
    hint: `${folder}/refused contains it with the reason; another process may have continued this session.`,
  })

const loopIsBusy = (worldSlug: string): TurngraphError =>
  new TurngraphError('busy', `Another loop of this client is running in world "${worldSlug}".`, {
    hint: 'Wait for it, or name another worldSlug to use a separate session.',
  })
