/** Acquires the lease of a world's next turn for this program, renews it, and releases it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TurngraphClient } from '../client/client.ts'
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import type { World } from '../memory/worlds/worlds.ts'
import type { AttemptTurn } from '../runs/attempt-turn.ts'
import { LeaseKeeper } from '../runs/lease-keeper.ts'

const POLL_MS = 500
const AGAIN_MS = 1_000
/** Additional wait after the lease of an attempt whose owner may be gone: the attempt is ended a little later. */
const GRACE_MS = 5_000

/** Time after which the attempt of an external worker without a sign of life is ended: two leases (runs.md). */
const longestWait = ({ leaseTtlMs }: World): number => 2 * leaseTtlMs

/** `resumed`: the attempt already existed, from an earlier process of this program. */
type Claim = { attemptId: string; attemptedTurn: number; fence: number; resumed?: boolean }
type Waiting = { type: 'waiting'; reason: string }
export type Place = { client: TurngraphClient; world: World }

/**
 * Takes the world's next turn as a single attempt. Resumes an attempt that an earlier process of this program left. Waits for
 * another program's attempt as long as its lease may last. @throws `busy` if its owner is alive, or if a turn run is active
 */
export async function* acquireTurn(place: Place, signal: AbortSignal): AsyncGenerator<Waiting, TurnLease> {
  const until = performance.now() + longestWait(place.world) + GRACE_MS
  let waitingFor: string | null = null
  for (;;) {
    signal.throwIfAborted()
    const claim = await tryAcquire(place)
    if ('fence' in claim) return new TurnLease(place, claim)
    const other = blockingAttempt(claim)
    if (waitingFor === null) {
      yield { type: 'waiting', reason: `${claim.message} It may last ${longestWait(place.world)} ms.` }
    } else if (waitingFor !== other || performance.now() > until) throw claim
    waitingFor = other
    await sleep(POLL_MS, undefined, { signal })
  }
}

/** @returns the claim, or the `busy` error of the blocking attempt */
export async function tryAcquire({ client, world }: Place): Promise<Claim | TurngraphError> {
  const { project, worldSlug } = world
  const workerId = await client.workerId()
  const claim = (attemptId: string): Promise<Claim> =>
    client.claimAttempt({ project, attemptId, workerId, withContinuation: false })
  try {
    const started = await client.runTurn({ project, worldSlug })
    if (started.attemptId !== undefined) return await claim(started.attemptId)
    throw new TurngraphError('internal', 'The service returned a turn run instead of a single attempt.')
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

/** True if the attempt has ended, even one that was just started here and not claimed within its lease on a busy machine. */
const isOver = (error: unknown): boolean => hasCode(error, 'lease_lost', 'not_found')

export const isBusy = (error: unknown): error is TurngraphError => hasCode(error, 'busy')

function blockingAttempt({ details }: TurngraphError): string | null {
  const { attempt_id, turn_run_id } = (details ?? {}) as { attempt_id?: string; turn_run_id?: string | null }
  return turn_run_id == null ? (attempt_id ?? null) : null
}

/**
 * The attempt that this program holds. Its lease is renewed; if it expires because the service was unavailable, the turn is
 * acquired again. The lease is lost only if another process has it; then `signal` is aborted.
 */
export class TurnLease {
  readonly turn: number
  readonly #place: Place
  readonly #lost = new AbortController()
  #claim: Claim
  #keeper: LeaseKeeper
  #reacquiring: Promise<void> | null = null
  /** True during the commit. A renewal that fails then means nothing: the attempt may just have been committed. */
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

  /** True if an earlier process of this program had begun the turn: its work may be incomplete. */
  get resumed(): boolean {
    return this.#claim.resumed === true
  }

  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** Commits the turn. May be repeated. @throws `lease_lost` if another process has the turn, and the other errors of a commit */
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

  /** Releases the turn without a record. If the service is unavailable, the lease expires. */
  async release(reason: string): Promise<void> {
    if (this.#over) return
    this.stop()
    // The program may be acquiring another attempt, which is then released instead of the lost one.
    await this.#reacquiring
    await releaseLease(this.#place, this.#claim, reason)
  }

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
        if (this.#over) return // `release` releases this one
        if (taken.attemptedTurn === this.turn) {
          this.#keeper = this.#startKeeper()
          return
        }
        this.stop()
        await releaseLease(this.#place, taken, 'its turn was written by somebody else meanwhile')
        return this.#lost.abort(leaseLost(undefined))
      } catch (error) {
        // A rejection for the rate does not mean that the turn is lost, however long it lasts.
        if (!isAway(error) && !hasCode(error, 'rate_limited'))
          return this.#lost.abort(isBusy(error) ? leaseLost(error) : error)
        await sleep(AGAIN_MS)
      }
    }
  }
}

const GIVE_BACK_MS = 2_000

/** Tries once for a short time: a lease that cannot be released expires. */
async function releaseLease(
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
  new TurngraphError('lease_lost', 'Another process has taken the turn.', {
    hint: 'Only one process at a time can work in a world; the other one continues.',
    cause,
  })
