import { setTimeout as sleep } from 'node:timers/promises'
import type { TurngraphClient } from '../../client/client.ts'
import { isSpooled } from '../../client/is-spooled.ts'
import { isAway, TurngraphError } from '../../errors.ts'
import { EXTERNAL } from '../../runs/lifecycle.ts'
import type { World } from '../../turns/worlds.ts'
import type { AutobuildEvent, Outcome } from './events.ts'
import type { RoundRecord } from './halves.ts'
import { type HeldTurn, takeTurn } from './held-turn.ts'
import { Memory, noticeFor } from './memory.ts'
import { playRound } from './round.ts'
import type { AutobuildSettings } from './settings.ts'

const AGAIN_MS = 1_000

type Events<T = void> = AsyncGenerator<AutobuildEvent, T>

/** One session of the loop in one world: where it stands, and what takes it a turn further. */
export class Session<Task> {
  readonly #settings: AutobuildSettings<Task>
  readonly #client: TurngraphClient
  readonly #memory: Memory
  readonly #signal: AbortSignal
  /** Null until the service could be asked. */
  #world: World | null = null
  #worldSlug: string | null
  #turn: number | null = null
  #refusedBefore = 0
  #first = true

  constructor(settings: AutobuildSettings<Task>) {
    const { client, world, tokenBudget, perspectiveResetTurns, memory, signal } = settings
    this.#settings = settings
    this.#client = client
    this.#worldSlug = world.worldSlug ?? null
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

  /** Finds the world, or makes it. Where the service is away, the turns that wait in the spool say where it stands. */
  async *open(): Events {
    this.#refusedBefore = (await this.#client.spool())?.refused ?? 0
    try {
      await this.#find()
    } catch (error) {
      if (!isAway(error)) throw error
      if (await this.#fromSpool()) return
      const context = noticeFor(null, null, error)
      yield { type: 'context', turn: 1, role: 'player', status: 'dark', context, continuation: null }
      yield { type: 'waiting', reason: `${error.message} Without it nobody knows where the session stands.` }
      await this.#patiently(() => this.#find())
    }
    yield { type: 'session', worldSlug: this.#worldSlug ?? '', currentTurn: this.#turn ?? 0 }
  }

  /** Why no further turn begins; null where one does. */
  async over(): Promise<Outcome | null> {
    if (this.#turn === null || this.#turn === 0) return null
    const spool = await this.#client.spool()
    if (spool !== null && spool.refused > this.#refusedBefore) throw refused(spool.folder)
    if (this.#memory.prior?.coachDecision === 'approved') return 'approved'
    if (this.#settings.stopOnStall && (await this.#isStalled())) return 'stalled'
    return this.#turn >= this.#settings.maxTurns ? 'max_turns' : null
  }

  async *nextTurn(): Events {
    const held = yield* this.#take()
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
        interrupted: await this.#wasInterrupted(turn),
        signal,
      })
      const stored = await this.#capture(turn, record, held)
      this.#turn = turn
      this.#memory.keep({ turnNumber: turn, record })
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
    const { project, featureId, taskId } = this.#settings.world
    const turn = { ...record, featureId, taskId, worldSlug: this.#worldSlug, turnNumber }
    try {
      await this.#patiently(async () => {
        if (held !== null) await held.commit(turn)
        else await this.#client.captureTurnState({ project, ...turn })
      })
      return true
    } catch (error) {
      if (!isSpooled(error)) throw error
      held?.stop()
      return false
    }
  }

  async #find(): Promise<void> {
    const world = await findWorld(this.#client, this.#settings.world)
    this.#world = world
    this.#worldSlug = world.worldSlug
    this.#turn = world.currentTurn
    if (world.currentTurn === 0 || this.#memory.newest?.turnNumber === world.currentTurn) return
    const { project, worldSlug, currentTurn: turnNumber } = world
    const record = await this.#client.getTurn({ project, worldSlug, turnNumber })
    this.#memory.keep({ turnNumber, record: record as RoundRecord })
  }

  async #fromSpool(): Promise<boolean> {
    const { featureId, taskId, project } = this.#settings.world
    for (const { operation, input } of (await this.#client.spool())?.entries() ?? []) {
      const turn = operation === 'captureTurnState' ? input : input.turn
      if (turn.featureId !== featureId || turn.taskId !== taskId || turn.turnNumber == null) continue
      if (project != null && input.project !== project) continue
      if (this.#settings.world.worldSlug != null && turn.worldSlug !== this.#settings.world.worldSlug)
        continue
      this.#worldSlug = turn.worldSlug ?? null
      this.#turn = turn.turnNumber
      this.#memory.keep({ turnNumber: turn.turnNumber, record: turn as RoundRecord })
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
  async #wasInterrupted(turn: number): Promise<boolean> {
    const begun = this.#first
    this.#first = false
    if (!begun || this.#world === null) return false
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
        const passes = (isAway(error) && !isSpooled(error)) || isBusy(error)
        if (!passes || performance.now() > until) throw error
        await sleep(AGAIN_MS, undefined, { signal: this.#signal })
      }
    }
  }
}

/** Without a record. */
const ENDED = new Set(['failed', 'interrupted'])

/** Another try settles it: somebody's lease runs out, or other worlds of the task have added their criteria. */
const isBusy = (error: unknown): boolean => error instanceof TurngraphError && error.code === 'busy'

type WorldOptions = AutobuildSettings<unknown>['world']

/** The named world, else the task's newest, else a new one. */
async function findWorld(client: TurngraphClient, options: WorldOptions): Promise<World> {
  const { project, featureId, taskId, leaseTtlMs } = options
  const worldSlug = options.worldSlug ?? (await newestWorld(client, options))
  const create = () => client.createWorld({ project, featureId, taskId, worldSlug, leaseTtlMs })
  const world = await (worldSlug === null ? create() : client.getWorld({ project, worldSlug })).catch(
    (error: unknown) => {
      if (error instanceof TurngraphError && error.code === 'unknown_world') return create()
      throw error
    },
  )
  if (world.featureId !== featureId || world.taskId !== taskId) {
    throw new TurngraphError(
      'world_conflict',
      `world.worldSlug: "${world.worldSlug}" is a session of ${world.featureId}, ${world.taskId}.`,
      { hint: 'Name another world, or leave worldSlug out for the newest one of the task.' },
    )
  }
  if (world.executor === EXTERNAL) return world
  throw new TurngraphError(
    'world_conflict',
    `The turns of world "${world.worldSlug}" are executed by "${world.executor}".`,
    { hint: 'runAutobuild works in worlds of the executor "external"; name another worldSlug to make one.' },
  )
}

async function newestWorld(client: TurngraphClient, options: WorldOptions): Promise<string | null> {
  const { project, featureId, taskId } = options
  const context = await client.loadTurnContinuationContext({ project, featureId, taskId, currentTurn: 1 })
  return context.worldSlug
}

const refused = (folder: string): TurngraphError =>
  new TurngraphError('turn_conflict', 'The graph has refused a turn that waited in the spool.', {
    hint: `${folder}/refused holds it with the reason; somebody else may have gone on with this session.`,
  })
