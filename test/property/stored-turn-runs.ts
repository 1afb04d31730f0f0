/** Compares the store of turn runs with the model, command by command, on any engine. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Graph, graphWith, type Row } from '../../src/graph/port.ts'
import { digestRecord } from '../../src/memory/record/digest.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import { createWorld } from '../../src/memory/worlds/worlds.ts'
import type { Attempt, TurnRun } from '../../src/runs/record.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { aTurn, clientOf, FEATURE, TASK } from '../support/records.ts'
import { agrees, expectWhole, refusalOf, rowsOf, same, told, Witness } from './run-checks.ts'
import {
  type Answer,
  BEGIN,
  type Command,
  RunModel,
  serviceClock,
  type WorldSeen,
  type WorldSettings,
} from './run-model.ts'
import {
  anyMove,
  atOnceIn,
  changes,
  commandOf,
  deletions,
  INSIDE,
  type Move,
  OUTSIDE,
  passing,
  reads,
  sequenceOf,
  sweeps,
  world,
} from './run-moves.ts'

export type StoredSuite = {
  open: () => Promise<{ graph: Graph; close: () => Promise<void> }>
  sequences: number
  /** Number of sequences with parallel commands, or 0 to skip them. */
  atOnceSequences: number
}

const COMPLETED_AT = '2026-01-01T00:00:00Z'
const turnOf = (worldSlug: string, turnNumber: number, record: string) => {
  const { project, ...turn } = aTurn(turnNumber, {
    worldSlug,
    playerSummary: record,
    completedAt: COMPLETED_AT,
  })
  return turn
}
const recordOfDigest = new Map(
  ['a', 'b'].map((record) => [digestRecord(captureRequest.parse(turnOf('w', 1, record))), record]),
)

/** Returns the graph with the given clock of its database. */
function graphAt(graph: Graph, now: () => number): Graph {
  const atNow = (rows: Row[]): Row[] => rows.map((row) => ('now' in row ? { ...row, now: now() } : row))
  return graphWith(graph, {
    read: async (...args) => atNow(await graph.read(...args)),
    transact: (work, deadline) =>
      graph.transact((run) => work(async (step) => atNow(await run(step))), deadline),
  })
}

class StoreInTime {
  now: number
  /** The runs that resumed others since this list was emptied. */
  readonly resumed: TurnRun[] = []
  readonly #project: string
  readonly #runs: TurnRunStore
  readonly #storeOf: (newId: () => string) => TurnRunStore
  readonly #client: ReturnType<typeof clientOf>
  /** The turn of each attempt, as its worker received it. */
  readonly #tried = new Map<string, number>()

  constructor(graph: Graph, project: string, now: number) {
    this.now = now
    this.#project = project
    this.#client = clientOf(graph, project)
    this.#storeOf = (newId) =>
      new TurnRunStore(
        graphAt(graph, () => this.now),
        { now: () => serviceClock(this.now), newId },
      )
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
    const of = { project: this.#project, worldSlug: command.world }
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

  /** The record of a worker has the turn of its attempt. */
  async #commit(
    ref: { project: string; worldSlug: string; attemptId: string },
    { fence, record, tokens }: Command & { do: 'commitAttempt' },
  ): Promise<Attempt> {
    const attempt = await this.#runs.getAttempt(ref).catch(() => null) // the world is deleted: the turn is known already
    if (attempt !== null) this.#tried.set(ref.attemptId, attempt.attemptedTurn)
    const turn = captureRequest.parse(turnOf(ref.worldSlug, this.#tried.get(ref.attemptId) ?? 1, record))
    return this.#runs.commitAttempt(ref, fence, turn, tokens === undefined ? {} : { usedTokens: tokens })
  }
}

/** Rows with the model's names of records. */
function asModelled<T>(answer: T): T {
  if (Array.isArray(answer)) return answer.map(asModelled) as T
  if (answer === null || typeof answer !== 'object') return answer
  const entries = Object.entries(answer).map(([name, value]) => {
    if (name === 'digest') return [name, value === null ? null : recordOfDigest.get(value)]
    return [name, asModelled(value)]
  })
  return Object.fromEntries(entries)
}

/**
 * Compares the store with the model on an engine.
 *
 * @param open opens a graph for one sequence. If it is empty, the data of a failed sequence does not affect its shrunk ones
 */
export function storedTurnRuns({ open, sequences, atOnceSequences }: StoredSuite): void {
  // Times at the exact end of a lease, and earlier ones: the time of a request that waited for a lock is old.
  const times = passing([
    1, 1, 5_000, 5_000, 5_000, 20_000, 20_000, 25_000, 35_000, 60_000, 60_001, 200_000, -1, -20_000,
  ])

  async function withStore(work: (model: RunModel, store: StoreInTime) => Promise<void>): Promise<void> {
    const project = `run ${crypto.randomUUID()}`
    const worlds: WorldSettings[] = [
      { project, slug: OUTSIDE, executor: 'external', leaseTtlMs: 60_000, resume: 'never' },
      { project, slug: INSIDE, executor: 'simulated', leaseTtlMs: 25_000, resume: 'auto' },
    ]
    const { graph, close } = await open()
    try {
      for (const { slug: worldSlug, ...settings } of worlds)
        await createWorld(graph, { ...settings, featureId: FEATURE, taskId: TASK, worldSlug })
      await work(RunModel.of(BEGIN, worlds), new StoreInTime(graph, project, BEGIN))
    } finally {
      await close()
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

  async function playThrough(moves: readonly Move[], model: RunModel, store: StoreInTime): Promise<void> {
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
    // No world stays held, whatever ran before.
    await ask({ do: 'pass', ms: 200_000 })
    await ask({ do: 'reconcileRunningAttempts', instance: null, held: [], by: null, id: 'nobody' })
    await ask({ do: 'reconcileRunningAttempts', instance: null, held: [], by: null, id: 'nobody' })
    await expectAgreement(model, store, witness, done)
    for (const { slug } of model.worlds) expect(model.seen(slug) ?? IDLE).toMatchObject(IDLE)
  }

  test('turn runs answer, change and reject as in the seed and the contract, for any events in any order', async () => {
    await fc.assert(
      fc.asyncProperty(sequenceOf(anyMove(changes, sweeps, deletions, reads, times), 50), (moves) =>
        withStore((model, store) => playThrough(moves, model, store)),
      ),
      { numRuns: sequences },
    )
  })

  for (const slug of atOnceSequences === 0 ? [] : world) {
    test(`${slug}: parallel commands are answered as if they were sent one after another`, async () => {
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
        { numRuns: atOnceSequences, endOnFailure: true },
      )
    })
  }
}

/** Returns the state after the commands, if some order of them gives these answers and this world. */
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

/** Sorts runs by id: the order of runs that started at the same time is not defined. */
const byId = (seen: WorldSeen | null): WorldSeen | null =>
  seen && { ...seen, runs: seen.runs.toSorted((a, b) => (a.turnRunId < b.turnRunId ? -1 : 1)) }

const IDLE = { activeTurnRunId: null, activeAttemptId: null }
