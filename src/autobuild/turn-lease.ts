/** Acquires the lease of a world's next turn for this program, renews it, and gives it back. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TurngraphClient } from '../client/client.ts'
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import type { World } from '../memory/worlds/worlds.ts'
import type { AttemptTurn } from '../runs/attempt-turn.ts'
import { LeaseKeeper } from '../runs/lease-keeper.ts'

const POLL_MS = 500
const AGAIN_MS = 1_000
/** How much longer than its lease an attempt is waited for whose owner may be gone: it is ended a little later. */
const GRACE_MS = 5_000

/** `resumed`: the attempt stood there already, of an earlier life of this program. */
type Claim = { attemptId: string; attemptedTurn: number; fence: number; resumed?: boolean }
type Waiting = { type: 'waiting'; reason: string }
export type Place = { client: TurngraphClient; world: World }

/**
 * Takes the world's next turn as a single attempt of the lifecycle. One that an earlier life of this program left
 * behind is taken up again; another's is waited for as long as its lease may last.
 *
 * @throws `busy` where its owner is alive, or a turn run is under way
 */
export async function* acquireTurn(place: Place, signal: AbortSignal): AsyncGenerator<Waiting, TurnLease> {
  const until = performance.now() + place.world.leaseTtlMs + GRACE_MS
  let waitingFor: string | null = null
  for (;;) {
    signal.throwIfAborted()
    const claim = await tryAcquire(place)
    if ('fence' in claim) return new TurnLease(place, claim)
    const other = blockingAttempt(claim)
    if (waitingFor === null) {
      yield { type: 'waiting', reason: `${claim.message} Its lease may last ${place.world.leaseTtlMs} ms.` }
    } else if (waitingFor !== other || performance.now() > until) throw claim
    waitingFor = other
    await sleep(POLL_MS, undefined, { signal })
  }
}

/** @returns the claim, or the `busy` error of the attempt in the way */
export async function tryAcquire({ client, world }: Place): Promise<Claim | TurngraphError> {
  const { project, worldSlug } = world
  const workerId = await client.workerId()
  const claim = (attemptId: string): Promise<Claim> =>
    client.claimAttempt({ project, attemptId, workerId, withContinuation: false })
  try {
    const started = await client.runTurn({ project, worldSlug })
    if (started.attemptId !== undefined) return await claim(started.attemptId)
    throw new TurngraphError('internal', 'A single attempt was answered as a turn run.')
  } catch (error) {
    if (isOver(error)) return tryAcquire({ client, world })
    if (!isBusy(error)) throw error
    const other = blockingAttempt(error)
    if (other === null) throw error // a turn run
    return claim(other).then(
      (taken) => ({ ...taken, resumed: true }),
      (refusal: unknown) => {
        if (isOver(refusal)) return tryAcquire({ client, world })
        if (isBusy(refusal)) return error
        throw refusal
      },
    )
  }
}

/** The attempt ended meanwhile; even one just started here, on a machine too busy to claim it within its lease. */
const isOver = (error: unknown): boolean => hasCode(error, 'lease_lost', 'not_found')

export const isBusy = (error: unknown): error is TurngraphError => hasCode(error, 'busy')

/** The single attempt that is in the way; null where a turn run is. */
function blockingAttempt({ details }: TurngraphError): string | null {
  const { attempt_id, turn_run_id } = (details ?? {}) as { attempt_id?: string; turn_run_id?: string | null }
  return turn_run_id == null ? (attempt_id ?? null) : null
}

/**
 * The attempt that this program holds. Its lease is renewed; where it ran out, because the service was away for longer,
 * the turn is acquired again. Only where another process has it, the lease is lost: then `signal` is aborted.
 */
export class TurnLease {
  readonly turn: number
  readonly #place: Place
  readonly #lost = new AbortController()
  #claim: Claim
  #keeper: LeaseKeeper
  #reacquiring: Promise<void> | null = null
  /** A renewal that fails while the commit is under way means nothing: the attempt may just have been committed. */
  #committing = false
  #over = false

  constructor(place: Place, claim: Claim) {
    this.#place = place
    this.#claim = claim
    this.turn = claim.attemptedTurn
    this.#keeper = this.#startKeeper()
  }

  get attemptId(): string {
    return this.#claim.attemptId
  }

  /** An earlier life of this program had begun it: its work may lie half done. */
  get resumed(): boolean {
    return this.#claim.resumed === true
  }

  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /**
   * The same record again is answered alike, so this may be repeated.
   *
   * @throws `lease_lost` where somebody else has the turn, and what a commit may throw
   */
  async commit(turn: AttemptTurn): Promise<void> {
    const { client, world } = this.#place
    await this.#reacquiring
    this.#committing = true
    for (let again = true; ; again = false) {
      this.signal.throwIfAborted()
      const { attemptId, fence } = this.#claim
      try {
        await client.commitAttempt({ project: world.project, attemptId, fence, turn })
        return this.stop()
      } catch (error) {
        if (!again || !hasCode(error, 'lease_lost')) throw error
        await this.#reacquire()
      }
    }
  }

  /** Gives the turn back, without a record. Where the service is away, the lease runs out. */
  async release(reason: string): Promise<void> {
    if (this.#over) return
    this.stop()
    // It may be about to take another attempt, which is then given back in the place of the lost one.
    await this.#reacquiring
    await giveBack(this.#place, this.#claim, reason)
  }

  /** No more renewals. */
  stop(): void {
    this.#over = true
    this.#keeper.stop()
  }

  #startKeeper(): LeaseKeeper {
    const { client, world } = this.#place
    const { attemptId, fence } = this.#claim
    const keeper = LeaseKeeper.by(
      () => client.heartbeatAttempt({ project: world.project, attemptId, fence }),
      { leaseTtlMs: world.leaseTtlMs, closing: this.signal, inTurn: (work) => work(), onError: () => {} },
    )
    keeper.onLost(() => {
      if (!this.#committing) void this.#reacquire()
    })
    return keeper
  }

  #reacquire(): Promise<void> {
    this.#reacquiring ??= this.#acquireAgain().finally(() => {
      this.#reacquiring = null
    })
    return this.#reacquiring
  }

  async #acquireAgain(): Promise<void> {
    this.#keeper.stop()
    while (!this.#over) {
      try {
        const taken = await tryAcquire(this.#place)
        if (!('fence' in taken)) return this.#lost.abort(leaseLost(taken))
        this.#claim = taken
        if (this.#over) return // `release` gives this one back
        if (taken.attemptedTurn === this.turn) {
          this.#keeper = this.#startKeeper()
          return
        }
        this.stop()
        await giveBack(this.#place, taken, 'its turn was written by somebody else meanwhile')
        return this.#lost.abort(leaseLost(undefined))
      } catch (error) {
        if (!isAway(error)) return this.#lost.abort(isBusy(error) ? leaseLost(error) : error)
        await sleep(AGAIN_MS)
      }
    }
  }
}

const GIVE_BACK_MS = 2_000

/** One short try: a lease that cannot be given back runs out by itself. */
async function giveBack(
  { client, world }: Place,
  { attemptId, fence }: Claim,
  reason: string,
): Promise<void> {
  const call = { project: world.project, attemptId, fence, reason }
  try {
    await client.failAttempt(call, { signal: AbortSignal.timeout(GIVE_BACK_MS) })
  } catch (error) {
    if (!(error instanceof TurngraphError)) throw error
  }
}

const leaseLost = (cause: unknown): TurngraphError =>
  new TurngraphError('lease_lost', 'Somebody else has taken the turn.', {
    hint: 'One process at a time works in a world; the other one goes on.',
    cause,
  })
