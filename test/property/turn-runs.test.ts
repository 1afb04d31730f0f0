import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { TurngraphError } from '../../src/core/errors.ts'
import { toInstant } from '../../src/core/instants.ts'
import { unknownWorld, worldAtWork, worldDeleted } from '../../src/memory/scope/world-errors.ts'
import type { Decision, View, WorldState } from '../../src/runs/decision.ts'
import * as attemptSteps from '../../src/runs/lifecycle/attempts.ts'
import { mayBeDue } from '../../src/runs/lifecycle/leases.ts'
import { type Reconcile, reconcile, worldAfter } from '../../src/runs/lifecycle/reconcile.ts'
import { noSuch } from '../../src/runs/lifecycle/refusals.ts'
import * as runSteps from '../../src/runs/lifecycle/runs.ts'
import { ATTEMPT_RESTARTED, type Attempt, isActiveRun, type TurnRun } from '../../src/runs/record.ts'
import { cases } from './cases.ts'
import { agrees, expectWhole, refusalOf, same, told, Witness } from './run-checks.ts'
import {
  type Answer,
  BEGIN,
  type Command,
  RunModel,
  serviceClock,
  type WorldSeen,
  type WorldSettings,
} from './run-model.ts'
import { anyMove, changes, commandOf, deletions, passing, releases, sequenceOf, sweeps } from './run-moves.ts'

vi.setConfig({ testTimeout: 600_000 })

/** Number of sequences for the pure functions. */
const SEQUENCES = cases(2_000)

/** A minimal store. */
type HeldWorld = {
  state: WorldState
  after: ReturnType<typeof worldAfter>
  turns: Map<number, string>
  runs: Map<string, TurnRun>
  attempts: Map<string, Attempt>
}

class PureStore {
  #now: number
  #at: string
  readonly #worlds: Map<string, HeldWorld>
  readonly #witness: Witness

  constructor(now: number, worlds: readonly WorldSettings[], witness: Witness) {
    this.#now = now
    this.#at = toInstant(serviceClock(now))
    this.#witness = witness
    this.#worlds = new Map(
      worlds.map((settings) => {
        const fresh = { currentTurn: 0, deleted: false, hasGoals: false, fence: 0, attemptCount: 0 }
        const state = { ...settings, ...fresh }
        const idle = {
          activeRunId: null,
          activeAttemptId: null,
          leased: null,
          leaseUntil: null,
          leaseOwners: null,
        }
        return [
          settings.slug,
          { state, after: { ...idle, ...fresh }, turns: new Map(), runs: new Map(), attempts: new Map() },
        ]
      }),
    )
  }

  answer(command: Command): Answer {
    try {
      return { said: this.#do(command) }
    } catch (error) {
      return refusalOf(error)
    }
  }

  seen(slug: string): WorldSeen | null {
    const { state, after, runs, attempts } = this.#world(slug)
    if (state.deleted) return null
    return {
      currentTurn: state.currentTurn,
      activeTurnRunId: after.activeRunId,
      activeAttemptId: after.activeAttemptId,
      runs: [...runs.values()],
      attempts: [...attempts.values()].reverse(),
    }
  }

  #do(command: Command): unknown {
    if (command.do === 'pass') {
      this.#now += command.ms
      this.#at = toInstant(serviceClock(this.#now))
      return null
    }
    const at = this.#at
    if (command.do === 'reconcileRunningAttempts') {
      const { instance: formerLifeOf, held, by, id } = command
      const resumeAs =
        by === null || by === 'later' ? by : { turnRunId: id, owner: by, canExecute: () => true }
      return this.#reconcile({ formerLifeOf, executing: new Set(held), resumeAs, at })
    }
    const world = this.#world(command.world)
    switch (command.do) {
      case 'startTurnRun': {
        const { id: turnRunId, owner, turns: requestedTurnCount, maxAttempts } = command
        const sources = { turnCountSource: 'explicit', maxAttemptsSource: 'explicit' } as const
        const start = { turnRunId, owner, requestedTurnCount, maxAttempts, ...sources, at }
        return this.#decide(world, { run: turnRunId }, (view) => runSteps.startTurnRun(view, start))
      }
      case 'startAttempt': {
        const start = { attemptId: command.id, owner: command.owner, at }
        return this.#decide(world, { attempt: command.id }, (view) => attemptSteps.startAttempt(view, start))
      }
      case 'startAttemptForTurnRun': {
        const start = { attemptId: command.id, owner: command.owner, fence: command.fence, at }
        return this.#decide(world, { ...command, attempt: command.id }, (view) =>
          attemptSteps.startAttemptForTurnRun(view, start),
        )
      }
      case 'claimAttempt':
        return this.#decide(world, command, (view) => attemptSteps.claimAttempt(view, command.worker))
      case 'heartbeatAttempt':
        return this.#decide(world, command, (view) => attemptSteps.heartbeatAttempt(view, command.fence))
      case 'renewTurnRun':
        return this.#decide(world, command, (view) => runSteps.renewTurnRun(view, command))
      case 'commitAttempt': {
        const outcome = {
          status: 'committed',
          digest: command.record,
          usedTokens: command.tokens ?? 0,
        } as const
        return this.#decide(world, command, (view) =>
          attemptSteps.endAttempt(view, { fence: command.fence, outcome, at }),
        )
      }
      case 'failAttempt': {
        const outcome = { status: 'failed', reason: command.reason, usedTokens: command.tokens ?? 0 } as const
        return this.#decide(world, command, (view) =>
          attemptSteps.endAttempt(view, { fence: command.fence, outcome, at }),
        )
      }
      case 'interruptAttempt': {
        const outcome = { status: 'interrupted', reason: ATTEMPT_RESTARTED } as const
        return this.#decide(world, command, (view) =>
          attemptSteps.endAttempt(view, { fence: command.fence, outcome, at }),
        )
      }
      case 'finishTurnRunAttempt': {
        const { askedRun, askedAttempt } = this.#view(world, command)
        if (askedAttempt === null) throw noSuch('attempt')
        if (world.state.deleted) throw worldDeleted(command.world)
        if (askedRun === null) throw noSuch('turn run')
        return attemptSteps.finishTurnRunAttempt(askedRun, askedAttempt)
      }
      case 'requestTurnRunCancel':
        return this.#decide(world, command, (view) => runSteps.requestTurnRunCancel(view, { ...command, at }))
      case 'finalizeCancelledTurnRunIfIdle':
        return this.#decide(world, command, (view) => runSteps.finalizeCancelledTurnRunIfIdle(view, at))
      case 'handBackTurnRun':
        return this.#decide(world, command, (view) =>
          runSteps.handBackTurnRun(view, { fence: command.fence, at }),
        )
      case 'releaseTurnRun':
        return this.#decide(world, command, (view) =>
          runSteps.releaseTurnRun(view, { fence: command.fence, at }),
        )
      case 'pauseTurnRun': {
        const nextAttemptAt = toInstant(serviceClock(this.#now + command.ms))
        return this.#decide(world, command, (view) =>
          runSteps.pauseTurnRun(view, { fence: command.fence, nextAttemptAt }),
        )
      }
      case 'failTurnRun':
        return this.#decide(world, command, (view) =>
          runSteps.failTurnRun(view, { fence: command.fence, reason: command.reason, at }),
        )
      case 'captureTurnState':
        return capture(world, command)
      case 'deleteWorld':
        if (world.state.deleted) throw worldDeleted(command.world)
        if (world.after.leased) throw worldAtWork(command.world, world.after)
        world.state.deleted = true
        return null
      default:
        throw new Error(`${command.do} is not asked here`)
    }
  }

  /** Same as `runs/leased` and TurnRunStore: reads only the worlds that are due. */
  #reconcile(command: Reconcile): { runs: number; attempts: number } {
    const found = { runs: 0, attempts: 0 }
    for (const world of this.#worlds.values()) {
      const { leased, leaseUntil, leaseOwners } = world.after
      const kept = { leaseUntil: leaseUntil ?? 0, leaseOwners: leaseOwners ?? [], now: this.#now }
      const { leaseTtlMs } = world.state
      if (!leased || !mayBeDue({ ...kept, leaseTtlMs }, command.formerLifeOf)) continue
      const ended = this.#decide(world, {}, (view) => reconcile(view, command))
      if (ended.interruptedRun !== null) found.runs++
      if (ended.interruptedAttempt !== null) found.attempts++
    }
    return found
  }

  #decide<T>(
    world: HeldWorld,
    asked: { run?: string; attempt?: string },
    decide: (view: View) => Decision<T>,
  ): T {
    const view = this.#view(world, asked)
    const { change, answer } = decide(view)
    if (change === null) return answer
    world.after = worldAfter(view, change)
    world.state = { ...world.state, fence: world.after.fence, attemptCount: world.after.attemptCount }
    if (change.run !== undefined) {
      this.#witness.sees(change.run)
      world.runs.set(change.run.turnRunId, change.run)
    }
    if (change.resuming !== undefined) {
      this.#witness.sees(change.resuming)
      world.runs.set(change.resuming.turnRunId, change.resuming)
    }
    if (change.attempt !== undefined) {
      const { attemptId, producedTurn, digest } = change.attempt
      this.#witness.sees(change.attempt)
      world.attempts.set(attemptId, change.attempt)
      if (producedTurn !== null && digest !== null) writeTurn(world, producedTurn, digest)
    }
    return answer
  }

  /** The constraints on `activeWorldKey` refuse a second active one; here the view does. */
  #view(world: HeldWorld, asked: { run?: string; attempt?: string }): View {
    const runs = [...world.runs.values()].filter(({ status }) => isActiveRun(status))
    const attempts = [...world.attempts.values()].filter(({ status }) => status === 'running')
    if (runs.length + attempts.length > 2 || runs.length > 1) throw new Error('two are active in one world')
    return {
      now: this.#now,
      world: world.state,
      run: runs[0] ?? null,
      attempt: attempts[0] ?? null,
      askedRun: world.runs.get(asked.run ?? '') ?? null,
      askedAttempt: world.attempts.get(asked.attempt ?? '') ?? null,
    }
  }

  #world(slug: string): HeldWorld {
    const world = this.#worlds.get(slug)
    if (world === undefined) throw unknownWorld('p', slug)
    return world
  }
}

/** The condition of `turns/capture`. */
function capture(world: HeldWorld, { turn, record, supersede }: Command & { do: 'captureTurnState' }) {
  const { state, after, turns } = world
  if (state.deleted) throw worldDeleted(state.slug)
  const stands = turns.get(turn)
  if (stands === record) return { created: false, superseded: false }
  if (stands !== undefined && !supersede) throw new TurngraphError('turn_conflict', 'another record')
  const isHeld = after.activeRunId !== null || after.activeAttemptId !== null
  if (turn > state.currentTurn && isHeld) throw worldAtWork(state.slug, after)
  writeTurn(world, turn, record)
  return { created: true, superseded: stands !== undefined }
}

function writeTurn(world: HeldWorld, turn: number, record: string): void {
  world.turns.set(turn, record)
  world.state = { ...world.state, currentTurn: Math.max(world.state.currentTurn, turn) }
}

/** The errors that each command may be rejected with. */
const REFUSALS = {
  startTurnRun: ['busy', 'invalid_request', 'unknown_world', 'world_deleted'],
  startAttempt: ['busy', 'invalid_request', 'unknown_world', 'world_deleted'],
  startAttemptForTurnRun: ['busy', 'lease_lost', 'not_found', 'unknown_world'],
  claimAttempt: ['busy', 'lease_lost', 'not_found', 'unknown_world'],
  heartbeatAttempt: ['lease_lost', 'not_found', 'unknown_world'],
  renewTurnRun: ['lease_lost', 'not_found', 'unknown_world'],
  commitAttempt: ['lease_lost', 'not_found', 'turn_conflict', 'unknown_world'],
  failAttempt: ['lease_lost', 'not_found', 'unknown_world'],
  interruptAttempt: ['lease_lost', 'not_found'],
  finishTurnRunAttempt: ['busy', 'not_found'],
  requestTurnRunCancel: ['not_found', 'unknown_world'],
  finalizeCancelledTurnRunIfIdle: ['not_found'],
  handBackTurnRun: ['lease_lost', 'not_found', 'unknown_world'],
  releaseTurnRun: ['lease_lost', 'not_found'],
  pauseTurnRun: ['lease_lost', 'not_found'],
  failTurnRun: ['lease_lost', 'not_found'],
  reconcileRunningAttempts: [],
  captureTurnState: ['busy', 'turn_conflict', 'world_deleted'],
  deleteWorld: ['busy'],
}
const ENDS = [
  'completed: null',
  'cancelled: null',
  'committed: null',
  'failed: it broke',
  'failed: the store said no',
  'failed: max_attempts exhausted before requested turn_count committed',
  'interrupted: the store said no',
  'interrupted: process restart before turn run completed',
  'interrupted: process restart before attempt completed',
  'interrupted: attempt was never claimed',
  'interrupted: attempt lease expired',
]
const REACHABLE = [
  ...Object.entries(REFUSALS).flatMap(([what, codes]) => [
    `${what} done`,
    ...codes.map((code) => `${what} refused: ${code}`),
  ]),
  ...ENDS,
  'resumption 1',
  'resumption 2',
]

describe('the pure functions of turn runs', () => {
  const worlds: WorldSettings[] = [
    { project: 'p', slug: 'outside', executor: 'external', leaseTtlMs: 60_000, resume: 'never' },
    { project: 'p', slug: 'inside', executor: 'simulated', leaseTtlMs: 25_000, resume: 'auto' },
  ]
  // Times at the exact end of a lease, and earlier ones: the time of a request that waited for a lock is old.
  const times = passing([
    1, 1, 5_000, 5_000, 5_000, 20_000, 20_000, 25_000, 35_000, 60_000, 60_001, 200_000, -1, -20_000,
  ])

  test('answer, change and reject as in the seed and the contract, for any events in any order', () => {
    const reached = new Set<string>()
    fc.assert(
      fc.property(sequenceOf(anyMove(changes, releases, sweeps, deletions, times), 60), (moves) => {
        const model = RunModel.of(BEGIN, worlds)
        const store = new PureStore(BEGIN, worlds, new Witness())
        const done: Command[] = []
        for (const move of moves) {
          const command = commandOf(move, model, done.length)
          done.push(command)
          const expected = model.answer(command)
          const actual = store.answer(command)
          if (!agrees(actual, expected)) expect(actual, told(done)).toEqual(expected)
          reached.add(
            'refused' in expected ? `${command.do} refused: ${expected.refused}` : `${command.do} done`,
          )
        }
        for (const { slug } of worlds) {
          const seen = store.seen(slug)
          same(seen, model.seen(slug), () => told(done))
          if (seen === null) continue
          expectWhole(seen)
          for (const row of [...seen.runs, ...seen.attempts])
            reached.add(`${row.status}: ${row.failureReason}`)
          for (const { resumption } of seen.runs) reached.add(`resumption ${resumption}`)
        }
      }),
      { numRuns: SEQUENCES },
    )
    // Otherwise the test would cover almost no case.
    if (SEQUENCES >= 10_000) expect(REACHABLE.filter((one) => !reached.has(one))).toEqual([])
  })
})
