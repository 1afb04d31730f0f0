import type { TurngraphClient } from '../../../src/client/client.ts'
import { TurngraphError } from '../../../src/core/errors.ts'
import type { RunWorld } from './run-world.ts'
import { holds, pause } from './scenario.ts'

type Commit = { attemptId: string; fence: number; turn: number }

const POLL_MS = 15

/** An outside worker: claims and commits the attempts of one world, and records the acknowledged ones. */
export class OutsideWorker {
  readonly world: RunWorld
  readonly acknowledged: Commit[] = []
  readonly #workerId: string
  /** A commit that was sent but not answered. */
  #inFlight: Commit | null = null

  constructor(world: RunWorld, workerId: string) {
    this.world = world
    this.#workerId = workerId
  }

  /** Works until `stop`; failed work is tried again. */
  async run(client: () => TurngraphClient, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.#work(client()).catch(passing)
      await pause(POLL_MS)
    }
  }

  /** Repeats the commit in flight: it counts, or it came too late. */
  async finish(client: TurngraphClient): Promise<'landed' | 'absent' | 'none'> {
    if (this.#inFlight === null) return 'none'
    const before = this.acknowledged.length
    await this.#commit(client, this.#inFlight)
    return this.acknowledged.length > before ? 'landed' : 'absent'
  }

  /** Checks that every acknowledged turn is stored as this worker wrote it. */
  async check(client: TurngraphClient): Promise<void> {
    for (const { turn, attemptId } of this.acknowledged) {
      const stored = await client.getTurn({ ...this.world, turnNumber: turn })
      holds(stored.playerSummary === summaryOf(attemptId), 'an acknowledged commit is stored', {
        world: this.world,
        turn,
        attemptId,
        stored,
      })
    }
  }

  async #work(client: TurngraphClient): Promise<void> {
    if (this.#inFlight !== null) return this.#commit(client, this.#inFlight)
    const { project } = this.world
    const { activeAttemptId: attemptId } = await client.getWorld(this.world)
    if (attemptId === null) return
    const { fence, attemptedTurn } = await client.claimAttempt({
      project,
      attemptId,
      workerId: this.#workerId,
    })
    this.#inFlight = { attemptId, fence, turn: attemptedTurn }
    await this.#commit(client, this.#inFlight)
  }

  async #commit(client: TurngraphClient, commit: Commit): Promise<void> {
    const { attemptId, fence } = commit
    const { project } = this.world
    const turn = { playerSummary: summaryOf(attemptId), coachDecision: 'feedback' as const }
    try {
      const { status } = await client.commitAttempt({ project, attemptId, fence, turn })
      holds(status === 'committed', 'the answer to a commit is committed', { commit, status })
      this.acknowledged.push(commit)
    } catch (error) {
      if (!(error instanceof TurngraphError) || error.code !== 'lease_lost') throw error
    }
    this.#inFlight = null
  }
}

const summaryOf = (attemptId: string): string => `Work of attempt ${attemptId}`

const PASSING = new Set(['store_unavailable', 'timeout', 'busy', 'lease_lost'])

/**
 * Ignores an error that is worth another try: the service or its store is unavailable, or another worker was
 * faster.
 */
export function passing(error: unknown): void {
  if (!(error instanceof TurngraphError) || !PASSING.has(error.code)) throw error
}
