import type { TurngraphClient } from '../../../src/client/client.ts'
import { TurngraphError } from '../../../src/core/errors.ts'
import type { RunWorld } from './run-world.ts'
import { holds, pause } from './scenario.ts'

type Commit = { attemptId: string; fence: number; turn: number }

const POLL_MS = 15

/** A worker outside: claims the attempts of one world and commits them, and remembers what was acknowledged. */
export class OutsideWorker {
  readonly world: RunWorld
  readonly acknowledged: Commit[] = []
  readonly #workerId: string
  /** Sent, and not answered. */
  #inFlight: Commit | null = null

  constructor(world: RunWorld, workerId: string) {
    this.world = world
    this.#workerId = workerId
  }

  /** Works until `stop`; what breaks on the way is tried again. */
  async run(client: () => TurngraphClient, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.#work(client()).catch(passing)
      await pause(POLL_MS)
    }
  }

  /** The commit in flight is repeated: it counts, or it came too late. */
  async finish(client: TurngraphClient): Promise<'landed' | 'absent' | 'none'> {
    if (this.#inFlight === null) return 'none'
    const before = this.acknowledged.length
    await this.#commit(client, this.#inFlight)
    return this.acknowledged.length > before ? 'landed' : 'absent'
  }

  /** Every acknowledged turn is there, as this worker wrote it. */
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
      holds(status === 'committed', 'a commit is answered as one', { commit, status })
      this.acknowledged.push(commit)
    } catch (error) {
      if (!(error instanceof TurngraphError) || error.code !== 'lease_lost') throw error
    }
    this.#inFlight = null
  }
}

const summaryOf = (attemptId: string): string => `Work of attempt ${attemptId}`

const PASSING = new Set(['store_unavailable', 'timeout', 'busy', 'lease_lost'])

/** Worth another try: the service or its store is away, or somebody else was quicker. */
export function passing(error: unknown): void {
  if (!(error instanceof TurngraphError) || !PASSING.has(error.code)) throw error
}
