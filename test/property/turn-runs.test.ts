import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { TurngraphError } from '../../src/core/errors.ts'
import { instantOf } from '../../src/core/instants.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import type { Graph } from '../../src/graph/port.ts'
import { digestOf } from '../../src/memory/record/digest.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import { unknownWorld, worldAtWork, worldDeleted } from '../../src/memory/worlds/world-errors.ts'
import { createWorld } from '../../src/memory/worlds/worlds.ts'
import * as lifecycle from '../../src/runs/lifecycle.ts'
import {
  type Attempt,
  brokenAttemptRules,
  brokenRules,
  isActiveRun,
  type TurnRun,
} from '../../src/runs/record.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { aTurn, clientOf, FEATURE, PROJECT, TASK } from '../support/records.ts'
import { cases } from './cases.ts'
import {
  type Answer,
  type Command,
  LAST_TURN,
  RunModel,
  serviceClock,
  type WorldSeen,
  type WorldSettings,
} from './run-model.ts'

vi.setConfig({ testTimeout: 600_000 })

/** How many sequences the pure functions go through, and then the store. */
const SEQUENCES = cases(10_000)
const STORED_SEQUENCES = cases(150)
const SEQUENCES_AT_ONCE = cases(25)
const BEGIN = Date.UTC(2026, 0, 1)

// --- Moves: commands that say "the newest attempt" where a command has to name one. ---

type Which = 'own' | 'stale' | 'ahead'

/** `home` is the world whose run or attempt is meant; it differs from `world` where a caller names the wrong one. */
type Move = {
  /** `onward` is what a coordinator and its worker would do next. */
  do: Command['do'] | 'onward'
  world?: string
  home?: string
  /** How many have started since. */
  run?: number
  attempt?: number
  fence?: Which
  attemptFence?: Which | null
  id?: 'new' | 'again'
  owner?: string
  turns?: number
  spare?: number
  record?: string
  /** The world whose work the reconciling process has in hand. */
  held?: string | null
  /** From the current turn, or one of its own. */
  above?: number
  turn?: number
  [more: string]: unknown
}

/** All moves that take one of each. A value that stands twice comes up twice as often. */
function every(choices: { do: Move['do'] } & Record<string, unknown>): Move[] {
  const { do: what, ...rest } = choices
  let moves: Move[] = [{ do: what }]
  for (const [name, values] of Object.entries(rest)) {
    const all = Array.isArray(values) ? values : [values]
    moves = moves.flatMap((move) => all.map((value: unknown) => ({ ...move, [name]: value })))
  }
  return moves
}

const [OUTSIDE, INSIDE] = ['outside', 'inside']
const world = [OUTSIDE, INSIDE]
const owner = ['instance-1', 'instance-2']
const fence: Which[] = ['own', 'own', 'own', 'own', 'own', 'stale', 'ahead']
const attempt = [0, 0, 0, 0, 0, 1, 2]
const run = [0, 0, 0, 0, 0, 1]
const id = ['new', 'new', 'new', 'again']
const record = ['a', 'a', 'b']

const end: Command['do'][] = ['commitAttempt', 'commitAttempt', 'failAttempt']
const changes: [number, Move[]][] = [
  [60, every({ do: 'onward', world, owner, turns: [1, 2, 3], spare: [0, 1, 2], end, record })],
  [8, every({ do: 'startTurnRun', world, id, owner, turns: [1, 2, 3], spare: [0, 1, 2] })],
  [5, every({ do: 'startAttempt', world, id, owner })],
  [14, every({ do: 'startAttemptForTurnRun', world, run, fence, owner, id })],
  [8, every({ do: 'claimAttempt', world, attempt, worker: ['worker-1', 'worker-2', 'instance-1'] })],
  [12, every({ do: 'commitAttempt', world, attempt, fence, record, tokens: [0, 7] })],
  [
    8,
    every({
      do: 'failAttempt',
      world,
      attempt,
      fence,
      reason: ['it broke', 'it broke again'],
      tokens: [0, 5],
    }),
  ],
  [2, every({ do: 'interruptAttempt', world, attempt, fence })],
  [5, every({ do: 'heartbeatAttempt', world, attempt, fence })],
  [7, every({ do: 'renewTurnRun', world, run, fence, attemptFence: [null, 'own', 'own', 'stale'] })],
  [2, every({ do: 'finishTurnRunAttempt', world, run, attempt })],
  [
    4,
    every({
      do: 'requestTurnRunCancel',
      world,
      run,
      reason: ['enough', 'too slow'],
      abort: [false, true],
      stopReason: [null, 'budget'],
    }),
  ],
  [1, every({ do: 'finalizeCancelledTurnRunIfIdle', world, run })],
  [1, every({ do: 'handBackTurnRun', world, run, fence })],
  [3, every({ do: 'pauseTurnRun', world, run, fence, ms: [20_000, 60_000] })],
  [1, every({ do: 'failTurnRun', world, run, fence, reason: ['the store said no'] })],
  [6, every({ do: 'captureTurnState', world, above: [-1, 0, 1, 1, 3], record, supersede: [false, true] })],
  [
    1,
    [
      ...astray(),
      ...every({ do: 'captureTurnState', world, turn: [LAST_TURN - 1, LAST_TURN], record, supersede: false }),
    ],
  ],
]
const sweeps: [number, Move[]][] = [
  [
    7,
    every({
      do: 'reconcileRunningAttempts',
      instance: [...Array(12).fill(null), ...owner, 'worker-1'],
      held: [null, null, null, null, ...world],
      by: [null, 'later', ...owner],
      id: 'new',
    }),
  ],
]
/** Not where the clock is a real one: the run is due from the very millisecond on. */
const releases: [number, Move[]][] = [[2, every({ do: 'releaseTurnRun', world, run, fence })]]
const deletions: [number, Move[]][] = [[1, every({ do: 'deleteWorld', world })]]
const reads: [number, Move[]][] = [
  [2, every({ do: 'getTurnRunStatus', world, run })],
  [1, every({ do: 'listAttemptsOfRun', world, run, limit: [1, 2, 100], before: [2, 3, 1_000] })],
  [1, every({ do: 'listAttemptsOfWorld', world, limit: [1, 3, 100], before: [2, 4, 1_000] })],
]
const passing = (ms: number[]): [number, Move[]][] => [[18, every({ do: 'pass', ms })]]

/** Runs and attempts of another world, and worlds that nobody has. */
function astray(): Move[] {
  const wrong = { world: [INSIDE, 'nowhere'], home: OUTSIDE }
  const held = { ...wrong, fence: 'own' }
  return [
    ...every({ do: 'startTurnRun', ...wrong, id: 'new', owner, turns: 1, spare: 0 }),
    ...every({ do: 'startAttempt', ...wrong, id: 'new', owner }),
    ...every({ do: 'startAttemptForTurnRun', ...held, run: 0, id: 'new', owner }),
    ...every({ do: 'claimAttempt', ...wrong, attempt: 0, worker: 'worker-1' }),
    ...every({ do: 'heartbeatAttempt', ...held, attempt: 0 }),
    ...every({ do: 'commitAttempt', ...held, attempt: 0, record: 'a' }),
    ...every({ do: 'failAttempt', ...held, attempt: 0, reason: 'it broke' }),
    ...every({
      do: 'requestTurnRunCancel',
      ...wrong,
      run: 0,
      reason: 'enough',
      abort: true,
      stopReason: null,
    }),
    ...every({ do: 'renewTurnRun', ...held, run: 0, attemptFence: null }),
    ...every({ do: 'handBackTurnRun', ...held, run: 0 }),
  ]
}

const anyMove = (...lists: [number, Move[]][][]): fc.Arbitrary<Move> =>
  fc.oneof(...lists.flat().map(([weight, moves]) => ({ weight, arbitrary: fc.constantFrom(...moves) })))

/**
 * What may happen at the same time in one world. Not lists, which are read in several steps, so that no one moment
 * explains them.
 */
const atOnceIn = (slug: string): fc.Arbitrary<Move> => {
  const status: [number, Move[]] = [2, every({ do: 'getTurnRunStatus', world: slug, run })]
  const here = [...changes, ...sweeps, ...deletions, status].map(([weight, moves]): [number, Move[]] => [
    weight,
    moves.filter((move) => (move.world ?? slug) === slug && move.home === undefined),
  ])
  return anyMove(here.filter(([, moves]) => moves.length > 0))
}

/** A worker is gone while the coordinator lives: alone among the others these moves hardly ever meet. */
const lostWorkers = [OUTSIDE, OUTSIDE, INSIDE].map((world): Move[] => {
  const ms = world === OUTSIDE ? 40_000 : 20_000
  const renewed: Move = { do: 'renewTurnRun', world, run: 0, fence: 'own', attemptFence: null }
  const sweep: Move = { do: 'reconcileRunningAttempts', instance: null, held: null, by: null, id: 'new' }
  return [{ do: 'pass', ms }, renewed, { do: 'pass', ms }, sweep]
})

/** Half of `maxLength` on average. */
const sequenceOf = (one: fc.Arbitrary<Move>, maxLength: number): fc.Arbitrary<Move[]> => {
  const some = fc.oneof(
    { weight: 25, arbitrary: one.map((move) => [move]) },
    { weight: 1, arbitrary: fc.constantFrom(...lostWorkers) },
  )
  return fc.noBias(fc.array(some, { maxLength, size: 'max' })).map((all) => all.flat())
}

/** Names what a move means in the world as it stands. `issued` numbers what it starts. */
function commandOf(move: Move, model: RunModel, issued: number): Command {
  if (move.do === 'onward') return commandOf(onward(move, model), model, issued)
  const { home = move.world, run, attempt, fence, attemptFence, id, spare, above, held, ...rest } = move
  const there = model.worlds.find(({ slug }) => slug === home)
  const runMeant = there?.runs.at(-1 - (run ?? 0))
  const attemptMeant = there?.attempts.at(-1 - (attempt ?? 0))
  const fenceOf = (held: { fence: number | null } | undefined, which: Which) =>
    (held?.fence ?? there?.fence ?? 1) + { own: 0, stale: -1, ahead: 1 }[which]
  const isOfRun = move.do === 'startTurnRun'
  const again = (isOfRun ? runMeant : attemptMeant)?.id
  const turn = Math.max(0, ...(there?.turns.keys() ?? [])) + (above ?? 0)
  return {
    ...rest,
    ...(run !== undefined && { run: runMeant?.id ?? 'no run' }),
    ...(attempt !== undefined && { attempt: attemptMeant?.id ?? 'no attempt' }),
    ...(fence !== undefined && { fence: fenceOf(attempt === undefined ? runMeant : attemptMeant, fence) }),
    ...(attemptFence !== undefined && {
      attemptFence: attemptFence === null ? null : fenceOf(there?.attempts.at(-1), attemptFence),
    }),
    ...(id !== undefined && { id: (id === 'again' && again) || `${isOfRun ? 'run' : 'attempt'}-${issued}` }),
    ...(spare !== undefined && { maxAttempts: (move.turns ?? 1) + spare }),
    ...(held !== undefined && { held: workOf(model, held) }),
    ...(above !== undefined && { turn: Math.max(1, Math.min(turn, LAST_TURN)) }),
  } as Command
}

/** What a process names that coordinates a run, or executes a single attempt. */
function workOf(model: RunModel, slug: string | null): string[] {
  const { runs = [], attempts = [] } = model.worlds.find((world) => world.slug === slug) ?? {}
  return [...runs, ...attempts.filter(({ run }) => run === null)].flatMap(({ id, end }) =>
    end === null ? [id] : [],
  )
}

/** A run where nothing is under way, then its attempts, each claimed and ended. */
function onward(
  { world = INSIDE, owner = 'instance-1', turns = 1, spare = 0, record = 'a', end }: Move,
  model: RunModel,
): Move {
  const { runs = [], attempts = [] } = model.worlds.find(({ slug }) => slug === world) ?? {}
  const held = attempts.find((attempt) => attempt.end === null)
  if (held !== undefined && held.owner === null)
    return { do: 'claimAttempt', world, attempt: 0, worker: 'worker-1' }
  if (held !== undefined && end === 'commitAttempt')
    return { do: end, world, attempt: 0, fence: 'own', record }
  if (held !== undefined) return { do: 'failAttempt', world, attempt: 0, fence: 'own', reason: 'it broke' }
  if (runs.some(({ end }) => end === null))
    return { do: 'startAttemptForTurnRun', world, run: 0, fence: 'own', owner, id: 'new' }
  return { do: 'startTurnRun', world, id: 'new', owner, turns, spare }
}

// --- What must hold of every row that anybody ever sees. ---

class Witness {
  readonly #ended = new Map<string, TurnRun | Attempt>()
  readonly #fenceOf = new Map<string, number>()
  readonly #greatest = new Map<string, number>()

  sees(row: TurnRun | Attempt): void {
    const isAttempt = 'attemptId' in row
    const id = isAttempt ? row.attemptId : row.turnRunId
    const broken = isAttempt ? brokenAttemptRules(row) : [...brokenRules(row), ...brokenCounts(row)]
    if (broken.length > 0) expect(broken, `rules broken by ${JSON.stringify(row)}`).toEqual([])
    const ended = this.#ended.get(id)
    if (ended !== undefined && ended !== row) same(row, ended, () => `${id} has ended, and changes again`)
    if (isAttempt ? row.status !== 'running' : !isActiveRun(row.status)) this.#ended.set(id, row)
    this.#seesFence(id, row)
  }

  #seesFence(id: string, { fence, worldSlug }: TurnRun | Attempt): void {
    const before = this.#fenceOf.get(id) ?? null
    if (fence === before) return
    const greatest = this.#greatest.get(worldSlug) ?? 0
    if (fence === null || fence <= greatest)
      expect.fail(`the fence of ${id}, ${fence}, is not above all others of ${worldSlug}: ${greatest}`)
    this.#fenceOf.set(id, fence)
    this.#greatest.set(worldSlug, fence)
  }
}

function brokenCounts(run: TurnRun): string[] {
  const ended = run.committedTurnCount + run.failedAttemptCount + run.interruptedAttemptCount
  return ended + (run.activeAttemptId === null ? 0 : 1) === run.attemptCount ? [] : ['counters add up']
}

/** Of a whole world: one at work at most, and each run's commits without a gap. */
function expectWhole(seen: WorldSeen): void {
  const activeRuns = seen.runs.filter(({ status }) => isActiveRun(status))
  const activeAttempts = seen.attempts.filter(({ status }) => status === 'running')
  same(
    activeRuns.map(({ turnRunId }) => turnRunId),
    idsOf(seen.activeTurnRunId),
    () => 'one active run',
  )
  same(
    activeAttempts.map(({ attemptId }) => attemptId),
    idsOf(seen.activeAttemptId),
    () => 'one active attempt',
  )
  for (const { turnRunId, startTurn, committedTurnCount } of seen.runs) {
    const produced = seen.attempts
      .filter((held) => held.turnRunId === turnRunId && held.status === 'committed')
      .map(({ producedTurn }) => producedTurn)
      .reverse()
    const contiguous = Array.from({ length: committedTurnCount }, (_, i) => startTurn + i + 1)
    same(produced, contiguous, () => `the turns that ${turnRunId} has committed`)
  }
}

const idsOf = (id: string | null): string[] => (id === null ? [] : [id])

/** `toEqual` for hundreds of thousands of comparisons: the slow one only words the difference. */
function same(actual: unknown, expected: unknown, what: () => string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what()).toEqual(expected)
}

const told = (commands: readonly Command[]): string =>
  `after\n${commands.map((c) => JSON.stringify(c)).join('\n')}\n`

function agrees(actual: Answer, expected: Answer): boolean {
  if ('refused' in expected && expected.details === undefined)
    return 'refused' in actual && actual.refused === expected.refused
  return isDeepStrictEqual(actual, expected)
}

function refusalOf(error: unknown): Answer {
  if (!(error instanceof TurngraphError)) throw error
  return { refused: error.code, details: error.details }
}

const rowsOf = (answer: Answer): (TurnRun | Attempt)[] =>
  'said' in answer && answer.said !== null && typeof answer.said === 'object' && 'fence' in answer.said
    ? [answer.said as TurnRun | Attempt]
    : []

// --- The pure functions, on the least that can be called a store. ---

type HeldWorld = {
  state: lifecycle.WorldState
  after: ReturnType<typeof lifecycle.worldAfter>
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
    this.#at = instantOf(serviceClock(now))
    this.#witness = witness
    this.#worlds = new Map(
      worlds.map((settings) => {
        const fresh = { currentTurn: 0, deleted: false, fence: 0, attemptCount: 0 }
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
      this.#at = instantOf(serviceClock(this.#now))
      return null
    }
    const at = this.#at
    if (command.do === 'reconcileRunningAttempts') {
      const { instance: formerLifeOf, held, by, id } = command
      const resumeAs =
        by === null || by === 'later' ? by : { turnRunId: id, owner: by, canExecute: () => true }
      return this.#reconcile({ formerLifeOf, held: new Set(held), resumeAs, at })
    }
    const world = this.#world(command.world)
    switch (command.do) {
      case 'startTurnRun': {
        const { id: turnRunId, owner, turns: requestedTurnCount, maxAttempts } = command
        const sources = { turnCountSource: 'explicit', maxAttemptsSource: 'explicit' } as const
        const start = { turnRunId, owner, requestedTurnCount, maxAttempts, ...sources, at }
        return this.#decide(world, { run: turnRunId }, (view) => lifecycle.startTurnRun(view, start))
      }
      case 'startAttempt': {
        const start = { attemptId: command.id, owner: command.owner, at }
        return this.#decide(world, { attempt: command.id }, (view) => lifecycle.startAttempt(view, start))
      }
      case 'startAttemptForTurnRun': {
        const start = { attemptId: command.id, owner: command.owner, fence: command.fence, at }
        return this.#decide(world, { ...command, attempt: command.id }, (view) =>
          lifecycle.startAttemptForTurnRun(view, start),
        )
      }
      case 'claimAttempt':
        return this.#decide(world, command, (view) => lifecycle.claimAttempt(view, command.worker))
      case 'heartbeatAttempt':
        return this.#decide(world, command, (view) => lifecycle.heartbeatAttempt(view, command.fence))
      case 'renewTurnRun':
        return this.#decide(world, command, (view) => lifecycle.renewTurnRun(view, command))
      case 'commitAttempt': {
        const outcome = {
          status: 'committed',
          digest: command.record,
          usedTokens: command.tokens ?? 0,
        } as const
        return this.#decide(world, command, (view) =>
          lifecycle.endAttempt(view, { fence: command.fence, outcome, at }),
        )
      }
      case 'failAttempt': {
        const outcome = { status: 'failed', reason: command.reason, usedTokens: command.tokens ?? 0 } as const
        return this.#decide(world, command, (view) =>
          lifecycle.endAttempt(view, { fence: command.fence, outcome, at }),
        )
      }
      case 'interruptAttempt': {
        const outcome = { status: 'interrupted', reason: lifecycle.ATTEMPT_RESTARTED } as const
        return this.#decide(world, command, (view) =>
          lifecycle.endAttempt(view, { fence: command.fence, outcome, at }),
        )
      }
      case 'finishTurnRunAttempt': {
        const { askedRun, askedAttempt } = this.#view(world, command)
        if (askedAttempt === null) throw lifecycle.noSuch('attempt')
        if (world.state.deleted) throw worldDeleted(command.world)
        if (askedRun === null) throw lifecycle.noSuch('turn run')
        return lifecycle.finishTurnRunAttempt(askedRun, askedAttempt)
      }
      case 'requestTurnRunCancel':
        return this.#decide(world, command, (view) =>
          lifecycle.requestTurnRunCancel(view, { ...command, at }),
        )
      case 'finalizeCancelledTurnRunIfIdle':
        return this.#decide(world, command, (view) => lifecycle.finalizeCancelledTurnRunIfIdle(view, at))
      case 'handBackTurnRun':
        return this.#decide(world, command, (view) =>
          lifecycle.handBackTurnRun(view, { fence: command.fence, at }),
        )
      case 'releaseTurnRun':
        return this.#decide(world, command, (view) =>
          lifecycle.releaseTurnRun(view, { fence: command.fence, at }),
        )
      case 'pauseTurnRun': {
        const nextAttemptAt = instantOf(serviceClock(this.#now + command.ms))
        return this.#decide(world, command, (view) =>
          lifecycle.pauseTurnRun(view, { fence: command.fence, nextAttemptAt }),
        )
      }
      case 'failTurnRun':
        return this.#decide(world, command, (view) =>
          lifecycle.failTurnRun(view, { fence: command.fence, reason: command.reason, at }),
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

  /** As `runs/leased` and TurnRunStore do it: only a world that says that something is due is looked into. */
  #reconcile(command: lifecycle.Reconcile): { runs: number; attempts: number } {
    const found = { runs: 0, attempts: 0 }
    for (const world of this.#worlds.values()) {
      const { leased, leaseUntil, leaseOwners } = world.after
      const due =
        (leaseUntil ?? 0) <= this.#now || leaseOwners?.some((owner) => owner === command.formerLifeOf)
      if (!leased || !due) continue
      const ended = this.#decide(world, {}, (view) => lifecycle.reconcile(view, command))
      if (ended.interruptedRun !== null) found.runs++
      if (ended.interruptedAttempt !== null) found.attempts++
    }
    return found
  }

  #decide<T>(
    world: HeldWorld,
    asked: { run?: string; attempt?: string },
    decide: (view: lifecycle.View) => lifecycle.Decision<T>,
  ): T {
    const view = this.#view(world, asked)
    const { change, answer } = decide(view)
    if (change === null) return answer
    world.after = lifecycle.worldAfter(view, change)
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
  #view(world: HeldWorld, asked: { run?: string; attempt?: string }): lifecycle.View {
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

/** The condition of `turns/append`. */
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

/** What each command is refused with, besides being done. */
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
  // To the millisecond at the end of a lease, and back: a clock that waited for a lock is old.
  const times = passing([
    1, 1, 5_000, 5_000, 5_000, 20_000, 20_000, 25_000, 35_000, 60_000, 60_001, 200_000, -1, -20_000,
  ])

  test('answer, change and refuse as the seed and the contract say, whatever happens in whatever order', () => {
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
    // Else all of this would be proven of next to nothing.
    if (SEQUENCES >= 10_000) expect(REACHABLE.filter((one) => !reached.has(one))).toEqual([])
  })
})

// --- The store itself, on the embedded engine. ---

const COMPLETED_AT = '2026-01-01T00:00:00Z'
const turnOf = (worldSlug: string, turnNumber: number, record: string) => {
  const { project, ...turn } = aTurn(turnNumber, {
    worldSlug,
    playerSummary: record,
    completedAt: COMPLETED_AT,
  })
  return turn
}
const RECORDS = new Map(
  ['a', 'b'].map((record) => [digestOf(captureRequest.parse(turnOf('w', 1, record))), record]),
)

/** Time goes in these steps, and leases end between two of them: what a command takes by the real clock is lost in there. */
const STEP_MS = 20_000
const steady = (leaseUntil: number): number =>
  BEGIN + Math.floor((leaseUntil - BEGIN) / STEP_MS) * STEP_MS + STEP_MS / 2

class StoreInTime {
  now: number
  /** The runs that resumed others since this list was emptied. */
  readonly resumed: TurnRun[] = []
  readonly #runs: TurnRunStore
  readonly #storeOf: (newId: () => string) => TurnRunStore
  readonly #client: ReturnType<typeof clientOf>
  /** The turn that each attempt tries, as its worker was told. */
  readonly #tried = new Map<string, number>()

  constructor(graph: Graph, now: number) {
    this.now = now
    this.#client = clientOf(graph)
    this.#storeOf = (newId) =>
      new TurnRunStore(graph, {
        now: () => serviceClock(this.now),
        skew: () => this.now - Date.now(),
        newId,
      })
    this.#runs = this.#storeOf(() => crypto.randomUUID())
  }

  async answer(command: Command): Promise<Answer> {
    try {
      return { said: asModelled(await this.#do(command)) }
    } catch (error) {
      return refusalOf(error)
    }
  }

  async seen(worldSlug: string, runIds: readonly string[]): Promise<WorldSeen | null> {
    const answer = await this.answer({
      do: 'listAttemptsOfWorld',
      world: worldSlug,
      limit: 1_000,
      before: 1_001,
    })
    if ('refused' in answer) return null
    const { currentTurn, activeTurnRunId, activeAttemptId } = await this.#client.getWorld({ worldSlug })
    const runs: TurnRun[] = []
    for (const turnRunId of runIds) {
      const row = await this.answer({ do: 'getTurnRunStatus', world: worldSlug, run: turnRunId })
      if ('said' in row) runs.push((row.said as { run: TurnRun }).run)
      else expect(row.refused).toBe('not_found') // no run was resumed
    }
    const { attempts } = answer.said as { attempts: Attempt[] }
    return { currentTurn, activeTurnRunId, activeAttemptId, runs, attempts }
  }

  async #do(command: Command): Promise<unknown> {
    if (command.do === 'pass') {
      this.now += command.ms
      return null
    }
    if (command.do === 'reconcileRunningAttempts') {
      const { instance, held, by, id } = command
      const runs = this.#storeOf(() => id)
      const coordinate = async (run: TurnRun) => void this.resumed.push(asModelled(run))
      const resuming =
        by === null || by === 'later' ? by : { workerId: by, coordinate, canExecute: () => true }
      const { errors, ...found } = await runs.reconcileRunningAttempts(instance, new Set(held), resuming)
      if (errors.length > 0) throw errors[0]
      return found
    }
    const of = { project: PROJECT, worldSlug: command.world }
    const ofRun = { ...of, turnRunId: 'run' in command ? command.run : '' }
    const ofAttempt = { ...of, attemptId: 'attempt' in command ? command.attempt : '' }
    switch (command.do) {
      case 'startTurnRun': {
        const { owner: workerId, turns: requestedTurnCount, maxAttempts, id } = command
        const sources = { turnCountSource: 'explicit', maxAttemptsSource: 'explicit' } as const
        return this.#runs.startTurnRun({ ...of, workerId, requestedTurnCount, maxAttempts, ...sources }, id)
      }
      case 'startAttempt':
        return this.#runs.startAttempt(of, command.owner, command.id)
      case 'startAttemptForTurnRun':
        return this.#runs.startAttemptForTurnRun(ofRun, command.owner, command.fence, command.id)
      case 'claimAttempt':
        return this.#runs.claimAttempt(ofAttempt, command.worker)
      case 'heartbeatAttempt':
        return this.#runs.heartbeatAttempt(ofAttempt, command.fence)
      case 'renewTurnRun':
        return this.#runs.renewTurnRun(ofRun, command.fence, command.attemptFence)
      case 'commitAttempt':
        return this.#commit(ofAttempt, command)
      case 'failAttempt':
        return this.#runs.failAttempt(ofAttempt, command.fence, command.reason, command.tokens)
      case 'interruptAttempt':
        return this.#runs.interruptAttempt(ofAttempt, command.fence)
      case 'finishTurnRunAttempt':
        return this.#runs.finishTurnRunAttempt(ofRun, command.attempt)
      case 'requestTurnRunCancel':
        return this.#runs.requestTurnRunCancel(ofRun, command.reason, command)
      case 'finalizeCancelledTurnRunIfIdle':
        return this.#runs.finalizeCancelledTurnRunIfIdle(ofRun)
      case 'handBackTurnRun':
        return this.#runs.handBackTurnRun(ofRun, command.fence)
      case 'releaseTurnRun':
        return this.#runs.releaseTurnRun(ofRun, command.fence)
      case 'pauseTurnRun':
        return this.#runs.pauseTurnRun(ofRun, command.fence, command.ms)
      case 'failTurnRun':
        return this.#runs.failTurnRun(ofRun, command.fence, command.reason)
      case 'captureTurnState': {
        const { world, turn, record, supersede } = command
        const { created, superseded } = await this.#client.captureTurnState({
          ...turnOf(world, turn, record),
          ...(supersede && { onConflict: 'supersede' as const }),
        })
        return { created, superseded }
      }
      case 'deleteWorld':
        await this.#client.deleteWorld(of)
        return null
      case 'getTurnRunStatus': {
        const { run, currentTurn } = await this.#runs.getTurnRunStatus(ofRun)
        return { run, currentTurn }
      }
      case 'listAttemptsOfRun': {
        const { run } = await this.#runs.getTurnRunStatus(ofRun)
        return this.#runs.listAttemptsOfRun(run, command.limit, command.before)
      }
      case 'listAttemptsOfWorld':
        return this.#runs.listAttemptsOfWorld(of, command.limit, command.before)
    }
  }

  /** A worker's record is of the turn that its attempt is at. */
  async #commit(
    ref: { project: string; worldSlug: string; attemptId: string },
    { fence, record, tokens }: Command & { do: 'commitAttempt' },
  ): Promise<Attempt> {
    const attempt = await this.#runs.getAttempt(ref).catch(() => null) // of a deleted world: it was told before
    if (attempt !== null) this.#tried.set(ref.attemptId, attempt.attemptedTurn)
    const turn = captureRequest.parse(turnOf(ref.worldSlug, this.#tried.get(ref.attemptId) ?? 1, record))
    return this.#runs.commitAttempt(ref, fence, turn, tokens)
  }
}

/** Rows with the model's names of records and its clock. */
function asModelled<T>(answer: T): T {
  if (Array.isArray(answer)) return answer.map(asModelled) as T
  if (answer === null || typeof answer !== 'object') return answer
  const entries = Object.entries(answer).map(([name, value]) => {
    if (name === 'leaseUntil') return [name, steady(value)]
    if (name === 'digest') return [name, value === null ? null : RECORDS.get(value)]
    return [name, asModelled(value)]
  })
  return Object.fromEntries(entries)
}

describe('turn runs on the embedded engine', () => {
  const times = passing([1, 1, 1, 1, 2, 3, 4, 10, -1].map((steps) => steps * STEP_MS))
  const worlds: WorldSettings[] = [
    { project: PROJECT, slug: 'outside', executor: 'external', leaseTtlMs: 70_000, resume: 'never' },
    { project: PROJECT, slug: 'inside', executor: 'simulated', leaseTtlMs: 30_000, resume: 'auto' },
  ]

  /** A graph for each sequence takes 7 ms, and what a failed one leaves behind disturbs none of those that shrink it. */
  async function withStore(work: (model: RunModel, store: StoreInTime) => Promise<void>): Promise<void> {
    const graph = EmbeddedGraph.open({ folder: null })
    try {
      await migrate(graph)
      for (const { slug: worldSlug, ...settings } of worlds)
        await createWorld(graph, { ...settings, featureId: FEATURE, taskId: TASK, worldSlug })
      await work(RunModel.of(BEGIN, worlds), new StoreInTime(graph, BEGIN))
    } finally {
      await graph.close()
    }
  }

  async function expectAgreement(model: RunModel, store: StoreInTime, witness: Witness, done: Command[]) {
    for (const { slug, runs } of model.worlds) {
      const seen = await store.seen(
        slug,
        runs.map(({ id }) => id),
      )
      same(seen, model.seen(slug), () => told(done))
      if (seen === null) continue
      expectWhole(seen)
      for (const row of [...seen.runs, ...seen.attempts]) witness.sees(row)
    }
  }

  test('answer, change and refuse as the seed and the contract say, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(sequenceOf(anyMove(changes, sweeps, deletions, reads, times), 50), (moves) =>
        withStore(async (model, store) => {
          const witness = new Witness()
          const done: Command[] = []
          const ask = async (command: Command) => {
            done.push(command)
            const expected = model.answer(command)
            const actual = await store.answer(command)
            if (!agrees(actual, expected)) expect(actual, told(done)).toEqual(expected)
            for (const row of [...rowsOf(actual), ...store.resumed.splice(0)]) witness.sees(row)
          }
          for (const move of moves) await ask(commandOf(move, model, done.length))
          await expectAgreement(model, store, witness, done)
          // Whatever was left, no world stays held.
          await ask({ do: 'pass', ms: 10 * STEP_MS })
          await ask({ do: 'reconcileRunningAttempts', instance: null, held: [], by: null, id: 'nobody' })
          await ask({ do: 'reconcileRunningAttempts', instance: null, held: [], by: null, id: 'nobody' })
          await expectAgreement(model, store, witness, done)
          for (const { slug } of model.worlds) expect(model.seen(slug) ?? IDLE).toMatchObject(IDLE)
        }),
      ),
      { numRuns: STORED_SEQUENCES },
    )
  })

  for (const slug of world) {
    test(`${slug}: commands at the same time are answered as if they had come one after the other`, async () => {
      const atOnce = fc.oneof(
        { weight: 6, arbitrary: fc.array(atOnceIn(slug), { minLength: 1, maxLength: 4, size: 'max' }) },
        { weight: 1, arbitrary: anyMove(times).map((move) => [move]) },
      )
      await fc.assert(
        fc.asyncProperty(fc.noBias(fc.array(atOnce, { maxLength: 24, size: 'max' })), (bursts) =>
          withStore(async (start, store) => {
            let model = start
            const done: Command[] = []
            for (const moves of bursts) {
              const commands = moves.map((move, i) => commandOf(move, model, done.length + i))
              const asked = await Promise.all(
                commands.map(async (command) => ({ command, answer: await store.answer(command) })),
              )
              done.push(...commands)
              const seen = byId(await store.seen(slug, runIdsOf(model, asked)))
              const after = explained(model, asked, (after) =>
                isDeepStrictEqual(byId(after.seen(slug)), seen),
              )
              if (after === null)
                expect.fail(
                  `${told(done)}no order explains the last ${asked.length}: ${JSON.stringify(asked)}, ${JSON.stringify(seen)}`,
                )
              model = after
            }
          }),
        ),
        { numRuns: SEQUENCES_AT_ONCE, endOnFailure: true },
      )
    })
  }
})

/** The state after them, where some order of these commands would have got these answers and left this world. */
function explained(
  model: RunModel,
  asked: readonly { command: Command; answer: Answer }[],
  left: (after: RunModel) => boolean,
): RunModel | null {
  if (asked.length === 0) return left(model) ? model : null
  for (const [i, { command, answer }] of asked.entries()) {
    const next = model.clone()
    if (!agrees(answer, next.answer(command))) continue
    const after = explained(next, asked.toSpliced(i, 1), left)
    if (after !== null) return after
  }
  return null
}

const runIdsOf = (model: RunModel, asked: readonly { command: Command; answer: Answer }[]): string[] => {
  const started = asked.flatMap(({ command, answer }) =>
    (command.do === 'startTurnRun' || command.do === 'reconcileRunningAttempts') && 'said' in answer
      ? [command.id]
      : [],
  )
  return [...new Set([...model.worlds.flatMap(({ runs }) => runs.map(({ id }) => id)), ...started])]
}

/** Of runs that began at the same time nobody knows which was first. */
const byId = (seen: WorldSeen | null): WorldSeen | null =>
  seen && { ...seen, runs: seen.runs.toSorted((a, b) => (a.turnRunId < b.turnRunId ? -1 : 1)) }

const IDLE = { activeTurnRunId: null, activeAttemptId: null }
