// Stores turn runs and attempts in the graph.
import * as z from 'zod'
import { hasCode, type TurngraphError } from '../core/errors.ts'
import { compareInstants, LATEST_INSTANT, toInstant } from '../core/instants.ts'
import { recordKey, runSeqKey, worldKey, worldSeqKey } from '../core/keys.ts'
import { scrub, scrubText } from '../core/scrub/scrub.ts'
import { withOneDeadline } from '../graph/deadline.ts'
import { decodeRow, readRows, readWholeRow, retryTornRead } from '../graph/decode.ts'
import { markerOfProject } from '../graph/mask-key.ts'
import { nodeReader } from '../graph/node-reader.ts'
import { type Graph, inOrder, type Run, type Step } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { captureAsOwner } from '../memory/capture/capture.ts'
import { digestRecord } from '../memory/record/digest.ts'
import type { CaptureRequest } from '../memory/record/record.ts'
import { unknownWorld, worldDeleted } from '../memory/scope/world-errors.ts'
import { getWorld } from '../memory/worlds/worlds.ts'
import { compareCodeUnits } from '../rules/labels.ts'
import type { StopReason } from '../rules/values.ts'
import type { Change, Decision, View } from './decision.ts'
import * as attemptSteps from './lifecycle/attempts.ts'
import { mayBeDue, type Renewed } from './lifecycle/leases.ts'
import { reconcile, worldAfter } from './lifecycle/reconcile.ts'
import { noSuch, refuseOtherTurn } from './lifecycle/refusals.ts'
import * as runSteps from './lifecycle/runs.ts'
import {
  ATTEMPT_RESTARTED,
  type Attempt,
  brokenAttemptRules,
  brokenRules,
  RESTARTED,
  type RunCounts,
  seenAttempt,
  seenRun,
  type TurnRun,
} from './record.ts'
import { attemptParams, leasedRow, runParams, viewFrom, viewRow } from './rows.ts'

const lock = statement('runs/lock')
const change = statement('runs/change')
const runsByKeys = statement('runs/by-keys')
const runsOfWorld = statement('runs/page', 'of-world')
const runsOfProject = statement('runs/page', 'of-project')
const attemptStatement = statement('runs/attempt')
const attemptsOfRun = statement('runs/attempts', 'of-run')
const attemptsOfWorld = statement('runs/attempts', 'of-world')
const readAttemptEnds = nodeReader('Attempt', ['attemptId', 'status', 'failureReason'])
const readAttemptCount = nodeReader('World', ['attemptCount', 'deletedAt'])
const leased = statement('runs/leased')

export type WorldRef = { project: string; worldSlug: string }
export type RunRef = WorldRef & { turnRunId: string }
export type AttemptRef = WorldRef & { attemptId: string }

/** `workerId`: the instance that will coordinate the run. */
export type StartTurnRunInput = WorldRef & RunCounts & { workerId: string }

export type TurnRunStatusRow = { run: TurnRun; currentTurn: number }

/** A page of attempts, newest first. `next` is the start of the next page; null on the last page. */
export type AttemptPage = { attempts: Attempt[]; next: number | null }

/** The start of a page of runs: after the run with this time and id. */
export const runPosition = z.strictObject({ enqueuedAt: z.iso.datetime(), turnRunId: z.string().min(1) })
type RunPosition = z.output<typeof runPosition>

/** The number of interrupted runs and attempts, and the errors of single worlds. */
export type Reconciled = { runs: number; attempts: number; errors: unknown[] }

/** The process that resumes interrupted runs and coordinates the new runs. */
export type Resuming = {
  workerId: string
  canExecute: (executor: string) => boolean
  coordinate: (run: TurnRun) => Promise<void>
}

const isHere = (resuming: Resuming | 'later' | null): resuming is Resuming =>
  resuming !== null && resuming !== 'later'

export type StoreOptions = {
  now?: () => Date
  newId?: () => string
  /** Milliseconds that are added to the database's clock, for tests of leases. */
  skew?: () => number
}

/**
 * Stores turn runs and attempts in the graph: seed 001's store, with its method names. Every mutation is one
 * transaction: it locks the world, decides with `lifecycle/` on the stored state, and writes the decision.
 *
 * Errors: `unknown_world`, `world_deleted`, `not_found`, `busy`, `lease_lost`, and those of the graph.
 *
 * @example
 * const store = new TurnRunStore(graph)
 * const run = await store.startTurnRun({ project, worldSlug, workerId, requestedTurnCount: 3, maxAttempts: 9, … })
 */
export class TurnRunStore {
  readonly #graph: Graph
  readonly #now: () => string
  readonly #newId: () => string
  readonly #skew: () => number

  constructor(graph: Graph, options: StoreOptions = {}) {
    const { now = () => new Date(), newId = () => crypto.randomUUID(), skew = () => 0 } = options
    this.#graph = graph
    this.#now = () => toInstant(now())
    this.#newId = newId
    this.#skew = skew
  }

  /** Returns the time of the service's clock, or of the test's. */
  now(): Date {
    return new Date(this.#now())
  }

  /** @param turnRunId lets a caller whose reply was lost repeat the call, or find its result */
  startTurnRun(
    { project, worldSlug, workerId, ...counts }: StartTurnRunInput,
    turnRunId = this.#newId(),
  ): Promise<TurnRun> {
    const command = { ...counts, turnRunId, owner: scrubText(workerId), at: this.#now() }
    return this.#decide({ project, worldSlug, turnRunId }, (view) => runSteps.startTurnRun(view, command))
  }

  /** Starts a single attempt that does not belong to a run. */
  startAttempt(world: WorldRef, workerId: string, attemptId = this.#newId()): Promise<Attempt> {
    const command = { attemptId, owner: scrubText(workerId), at: this.#now() }
    return this.#decide({ ...world, attemptId }, (view) => attemptSteps.startAttempt(view, command))
  }

  /** @param attemptId makes the call repeatable for a caller whose reply was lost */
  startAttemptForTurnRun(
    run: RunRef,
    workerId: string,
    fence: number,
    attemptId = this.#newId(),
  ): Promise<Attempt> {
    const command = { attemptId, owner: scrubText(workerId), at: this.#now(), fence }
    return this.#decide({ ...run, attemptId }, (view) => attemptSteps.startAttemptForTurnRun(view, command))
  }

  claimAttempt(attempt: AttemptRef, workerId: string): Promise<Attempt> {
    return this.#decide(attempt, (view) => attemptSteps.claimAttempt(view, scrubText(workerId)))
  }

  heartbeatAttempt(attempt: AttemptRef, fence: number): Promise<Renewed> {
    return this.#decide(attempt, (view) => attemptSteps.heartbeatAttempt(view, fence))
  }

  /** Renews the leases of a run and its attempt together. `attemptFence`: fence of the attempt that the coordinator executes. */
  renewTurnRun(
    run: RunRef,
    fence: number,
    attemptFence: number | null,
  ): Promise<Renewed & { ownsAttempt: boolean }> {
    return this.#decide(run, (view) => runSteps.renewTurnRun(view, { fence, attemptFence }))
  }

  /** Commits an attempt. The same record may be repeated. @throws `turn_conflict` if the attempt has committed another record */
  async commitAttempt(
    attempt: AttemptRef,
    fence: number,
    turn: CaptureRequest,
    {
      usedTokens = 0,
      recordedBy = null,
    }: { usedTokens?: number; recordedBy?: string | null | undefined } = {},
  ): Promise<Attempt> {
    const request = { ...turn, project: attempt.project, worldSlug: attempt.worldSlug }
    const { scrubbed } = await scrub(request, () =>
      markerOfProject(this.#graph, attempt.project, () => this.getAttempt(attempt)),
    )
    const end = {
      fence,
      outcome: { status: 'committed' as const, digest: digestRecord(scrubbed), usedTokens },
      at: this.#now(),
    }
    const committed = await captureAsOwner(
      this.#graph,
      request,
      (graph, steps) =>
        this.#transact(graph, attempt, async (view, run) => {
          const decision = attemptSteps.endAttempt(view, end)
          refuseOtherTurn(decision.answer, turn.turnNumber)
          if (decision.change === null) return { decision }
          return (await inOrder(steps, run)) === null ? null : { decision }
        }),
      { now: () => new Date(end.at), recordedBy },
    )
    if (committed === null) throw new Error('a commit ended without a decision')
    return committed.decision.answer
  }

  async failAttempt(attempt: AttemptRef, fence: number, reason: string, usedTokens = 0): Promise<Attempt> {
    const outcome = {
      status: 'failed' as const,
      reason: await this.#scrub(reason, attempt.project, () => this.getAttempt(attempt)),
      usedTokens,
    }
    const end = { fence, outcome, at: this.#now() }
    return this.#decide(attempt, (view) => attemptSteps.endAttempt(view, end))
  }

  /** Returns the run unchanged, however often it is called, because the end of an attempt already counted it. */
  async finishTurnRunAttempt(ref: RunRef, attemptId: string): Promise<TurnRun> {
    const attempt = await this.getAttempt({ project: ref.project, worldSlug: ref.worldSlug, attemptId })
    const { run } = await this.getTurnRunStatus(ref) // read after its attempt, so it is not older
    return attemptSteps.finishTurnRunAttempt(run, attempt)
  }

  /** @param options.stopReason the goal of the world that the run has reached */
  async requestTurnRunCancel(
    run: RunRef,
    reason: string,
    { abort = false, stopReason = null }: { abort?: boolean; stopReason?: StopReason | null } = {},
  ): Promise<TurnRun> {
    const cancel = {
      reason: await this.#scrub(reason, run.project, () => this.getTurnRunStatus(run)),
      stopReason,
      abort,
      at: this.#now(),
    }
    return this.#decide(run, (view) => runSteps.requestTurnRunCancel(view, cancel))
  }

  finalizeCancelledTurnRunIfIdle(run: RunRef): Promise<TurnRun> {
    const at = this.#now()
    return this.#decide(run, (view) => runSteps.finalizeCancelledTurnRunIfIdle(view, at))
  }

  pauseTurnRun(run: RunRef, fence: number, ms: number): Promise<TurnRun> {
    const nextAttemptAt = toInstant(new Date(Date.parse(this.#now()) + ms))
    return this.#decide(run, (view) => runSteps.pauseTurnRun(view, { fence, nextAttemptAt }))
  }

  /** Fails a run whose coordinator cannot continue. */
  async failTurnRun(run: RunRef, fence: number, reason: string): Promise<TurnRun> {
    const command = {
      ...{ fence, status: 'failed' as const },
      reason: await this.#scrub(reason, run.project, () => this.getTurnRunStatus(run)),
      at: this.#now(),
    }
    return this.#decide(run, (view) => runSteps.endTurnRun(view, command))
  }

  /** Releases the run of a coordinator that ends: it is interrupted, or waits for the process that resumes it. */
  releaseTurnRun(run: RunRef, fence: number): Promise<TurnRun> {
    const command = { fence, at: this.#now() }
    return this.#decide(run, (view) => runSteps.releaseTurnRun(view, command))
  }

  /** @param check throws if there is no such run or attempt */
  async #scrub(reason: string, project: string, check: () => Promise<unknown>): Promise<string> {
    const { scrubbed } = await scrub({ reason }, () => markerOfProject(this.#graph, project, check))
    return scrubbed.reason
  }

  /** Interrupts a run that no caller waits for, instead of waiting until its lease expires. */
  handBackTurnRun(run: RunRef, fence: number): Promise<TurnRun> {
    const command = { fence, status: 'interrupted' as const, reason: RESTARTED, at: this.#now() }
    return this.#decide(run, (view) => runSteps.endTurnRun(view, command))
  }

  /** Interrupts a single attempt whose executor ends with this process. */
  interruptAttempt(attempt: AttemptRef, fence: number): Promise<Attempt> {
    const outcome = { status: 'interrupted' as const, reason: ATTEMPT_RESTARTED }
    const end = { fence, outcome, at: this.#now() }
    return this.#decide(attempt, (view) => attemptSteps.endAttempt(view, end))
  }

  /**
   * Ends abandoned runs and attempts: those whose lease has expired and, at the start of an instance, all
   * that it left behind before its restart.
   *
   * @param executing the runs and single attempts that this process executes. It is alive, so a renewal that
   *   takes longer than the lease is late, and the run is not lost
   * @param resuming resumes interrupted runs if their worlds allow it; `later`: another process will, and
   *   such runs wait for it; null: runs are not resumed
   */
  async reconcileRunningAttempts(
    formerLifeOf: string | null = null,
    executing: ReadonlySet<string> = new Set(),
    resuming: Resuming | 'later' | null = null,
  ): Promise<Reconciled> {
    const owner = formerLifeOf === null ? null : scrubText(formerLifeOf)
    const params = { leased: true, skew: this.#skew() }
    const rows = await readRows(this.#graph, leased, params, leasedRow)
    const due = rows
      .filter((world) => mayBeDue(world, owner))
      .toSorted((a, b) => (worldKey(a.project, a.worldSlug) < worldKey(b.project, b.worldSlug) ? -1 : 1))
    const found: Reconciled = { runs: 0, attempts: 0, errors: [] }
    for (const { project, worldSlug } of due) {
      const resumeAs = isHere(resuming)
        ? { turnRunId: this.#newId(), owner: scrubText(resuming.workerId), canExecute: resuming.canExecute }
        : resuming
      const command = { formerLifeOf: owner, executing, resumeAs, at: this.#now() }
      try {
        const ended = await this.#decide({ project, worldSlug }, (view) => reconcile(view, command))
        if (ended.interruptedRun !== null) found.runs++
        if (ended.interruptedAttempt !== null) found.attempts++
        if (ended.resuming !== null && isHere(resuming)) await resuming.coordinate(ended.resuming)
      } catch (error) {
        // A world with broken records must not block the other worlds.
        found.errors.push(error)
      }
    }
    return found
  }

  /** @throws `unknown_world`, `not_found`, also if the run belongs to another world than `worldSlug` */
  async getTurnRunStatus({ project, worldSlug, turnRunId }: Located<'turnRunId'>): Promise<TurnRunStatusRow> {
    const row = await readWholeRow(
      this.#graph,
      runsByKeys,
      { keys: [recordKey(project, turnRunId)] },
      runStatusRow,
      ({ run }) => brokenRules(run).length === 0,
    )
    if (row === null || (worldSlug != null && row.run.worldSlug !== worldSlug)) {
      throw await this.#noSuch('turn run', { project, worldSlug })
    }
    if (row.deleted) throw worldDeleted(row.run.worldSlug)
    return row
  }

  /** @throws `unknown_world`, `not_found`, also if the attempt belongs to another world than `worldSlug` */
  async getAttempt({ project, worldSlug, attemptId }: Located<'attemptId'>): Promise<Attempt> {
    const row = await readWholeRow(
      this.#graph,
      attemptStatement,
      { attemptKey: recordKey(project, attemptId) },
      attemptStatusRow,
      ({ attempt }) => brokenAttemptRules(attempt).length === 0,
    )
    if (row === null || (worldSlug != null && row.attempt.worldSlug !== worldSlug)) {
      throw await this.#noSuch('attempt', { project, worldSlug })
    }
    if (row.deleted) throw worldDeleted(row.attempt.worldSlug)
    return row.attempt
  }

  async endedAmong(attempts: readonly AttemptRef[]): Promise<Set<string>> {
    const keys = attempts.map(({ project, attemptId }) => recordKey(project, attemptId))
    const rows = await readAttemptEnds(this.#graph, keys)
    return new Set(rows.flatMap(({ attemptId, status }) => (status === 'running' ? [] : [attemptId])))
  }

  async lastFailures(runs: readonly TurnRun[]): Promise<ReadonlyMap<string, string>> {
    const failed = runs.flatMap(({ project, turnRunId, status, lastAttemptId, lastAttemptStatus }) =>
      status === 'failed' && lastAttemptStatus !== 'committed' && lastAttemptId !== null
        ? [{ turnRunId, lastAttemptId, key: recordKey(project, lastAttemptId) }]
        : [],
    )
    if (failed.length === 0) return new Map()
    const rows = await retryTornRead(
      () =>
        readAttemptEnds(
          this.#graph,
          failed.map(({ key }) => key),
        ),
      // The commit that ended the attempt also ended the run. A read may see only a part of it.
      (found) => found.every(({ failureReason }) => failureReason !== null),
    )
    const reasons = new Map(rows.map(({ attemptId, failureReason }) => [attemptId, failureReason]))
    return new Map(
      failed.flatMap(({ turnRunId, lastAttemptId }) => {
        const reason = reasons.get(lastAttemptId) ?? null
        return reason === null ? [] : [[turnRunId, reason] as const]
      }),
    )
  }

  /** Lists the attempts of a run, newest first. `before` is the number of an attempt in the run, exclusive. */
  listAttemptsOfRun(run: TurnRun, limit: number, before?: number): Promise<AttemptPage> {
    const ofRun = recordKey(run.project, run.turnRunId)
    const seqs = descending(Math.min(run.attemptCount, (before ?? Number.MAX_SAFE_INTEGER) - 1), limit)
    return this.#page(attemptsOfRun, seqs, (seq) => runSeqKey(ofRun, seq))
  }

  /** Lists all attempts of a world, newest first. `before` is the number of an attempt in the world, exclusive. */
  async listAttemptsOfWorld(world: WorldRef, limit: number, before?: number): Promise<AttemptPage> {
    const ofWorld = worldKey(world.project, world.worldSlug)
    const [row] = await readAttemptCount(this.#graph, [ofWorld])
    if (row === undefined) throw unknownWorld(world.project, world.worldSlug)
    if (row.deletedAt !== null) throw worldDeleted(world.worldSlug)
    const newest = Math.min(row.attemptCount ?? 0, (before ?? Number.MAX_SAFE_INTEGER) - 1)
    const numbers = descending(newest, limit)
    return this.#page(attemptsOfWorld, numbers, (number) => worldSeqKey(ofWorld, number))
  }

  /** Reads runs by their keys, even if their worlds were deleted. */
  readTurnRuns(keys: readonly string[]): Promise<TurnRunStatusRow[]> {
    return retryTornRead(
      () => readRows(this.#graph, runsByKeys, { keys: [...keys] }, runListRow),
      (rows) => rows.every(({ run }) => brokenRules(run).length === 0),
    )
  }

  /** @throws `unknown_world`, `world_deleted` if the named world does not exist or was deleted */
  async listTurnRuns(
    { project, worldSlug, status }: { project: string; worldSlug?: string; status?: TurnRun['status'] },
    limit: number,
    after: RunPosition | null,
  ): Promise<TurnRunStatusRow[]> {
    const params = {
      status: status ?? '',
      before: after?.enqueuedAt ?? LATEST_INSTANT,
      beforeId: after?.turnRunId ?? '',
      limit,
    }
    const [from, scope] =
      worldSlug === undefined
        ? [runsOfProject, { project }]
        : [runsOfWorld, { worldKey: worldKey(project, worldSlug) }]
    const rows = await retryTornRead(
      () => readRows(this.#graph, from, { ...params, ...scope }, runListRow),
      (found) => found.every(({ run }) => brokenRules(run).length === 0),
    )
    if (rows.length === 0 && worldSlug !== undefined) await getWorld(this.#graph, project, worldSlug)
    // An engine under test shuffles the rows that a statement returns.
    return rows.toSorted((a, b) => newestFirst(a.run, b.run))
  }

  /** Makes the error for a missing id. If the world does not exist, the error names the world. */
  async #noSuch(
    what: 'attempt' | 'turn run',
    { project, worldSlug }: { project: string; worldSlug?: string | null | undefined },
  ): Promise<TurngraphError> {
    if (worldSlug == null) return noSuch(what)
    try {
      await getWorld(this.#graph, project, worldSlug)
    } catch (error) {
      // A deleted world exists, so the error names the id.
      if (!hasCode(error, 'world_deleted')) throw error
    }
    return noSuch(what)
  }

  async #page(
    from: typeof attemptsOfRun,
    numbers: readonly number[],
    toKey: (number: number) => string,
  ): Promise<AttemptPage> {
    const last = numbers.at(-1)
    if (last === undefined) return { attempts: [], next: null }
    const params = { seqKeys: numbers.map(toKey) }
    // A read may see the counter before the attempt that it counts.
    const rows = await retryTornRead(
      () => readRows(this.#graph, from, params, attemptListRow),
      (found) =>
        found.length === numbers.length &&
        found.every(({ attempt }) => brokenAttemptRules(attempt).length === 0),
    )
    const attempts = rows.map(({ attempt }) => attempt).toSorted((a, b) => b.number - a.number)
    return { attempts, next: last > 1 ? last : null }
  }

  async #decide<T>(asked: Asked, decide: (view: View) => Decision<T>): Promise<T> {
    const done = await this.#transact(withOneDeadline(this.#graph), asked, async (view) => ({
      decision: decide(view),
    }))
    if (done === null) throw new Error('a decision without steps of its own refused')
    return done.decision.answer
  }

  /** Locks, decides and writes. A lost reply may repeat the transaction; the decision then finds its own effect. */
  async #transact<D extends { decision: Decision<unknown> }>(
    graph: Graph,
    asked: Asked,
    work: (view: View, run: Run) => Promise<D | null>,
  ): Promise<D | null> {
    const { project, worldSlug } = asked
    const keyOfWorld = worldKey(project, worldSlug)
    const params = {
      worldKey: keyOfWorld,
      runKey: recordKey(project, asked.turnRunId ?? ''),
      attemptKey: recordKey(project, asked.attemptId ?? ''),
      token: crypto.randomUUID(),
      skew: this.#skew(),
    }
    return graph.transact(async (run) => {
      const [row] = await run({ statement: lock, params })
      if (row === undefined) throw unknownWorld(project, worldSlug)
      const view = viewFrom(decodeRow(lock, viewRow, row))
      const done = await work(view, run)
      if (done === null) return null
      const { change: decided } = done.decision
      if (decided !== null) await run(changeStep(keyOfWorld, view, decided))
      return done
    })
  }
}

type Located<Id extends string> = { project: string; worldSlug?: string | null | undefined } & Record<
  Id,
  string
>
type Asked = WorldRef & { turnRunId?: string; attemptId?: string }

const runStatusRow = z.object({ run: seenRun, currentTurn: z.number(), deleted: z.boolean() })
const runListRow = z.object({ run: seenRun, currentTurn: z.number() })

const newestFirst = (a: TurnRun, b: TurnRun): number =>
  compareInstants(b.enqueuedAt, a.enqueuedAt) || compareCodeUnits(b.turnRunId, a.turnRunId)

const attemptStatusRow = z.object({ attempt: seenAttempt, deleted: z.boolean() })
const attemptListRow = z.object({ attempt: seenAttempt })

function changeStep(keyOfWorld: string, view: View, decided: NonNullable<Change>): Step {
  const { run, attempt, resuming } = decided
  const storedRun = view.run?.turnRunId === run?.turnRunId ? view.run : view.askedRun
  const storedAttempt = view.attempt?.attemptId === attempt?.attemptId ? view.attempt : view.askedAttempt
  return {
    statement: change,
    params: {
      worldKey: keyOfWorld,
      change: {
        world: worldAfter(view, decided),
        // The old run comes first, because only one run may be active.
        runs: [
          ...(run === undefined ? [] : [runParams(run, storedRun)]),
          ...(resuming === undefined ? [] : [runParams(resuming, null)]),
        ],
        attempts: attempt === undefined ? [] : [attemptParams(attempt, storedAttempt)],
      },
    },
  }
}

const descending = (from: number, limit: number): number[] =>
  Array.from({ length: Math.max(0, Math.min(from, limit)) }, (_, i) => from - i)

/** Executes the statements of a run without any match: see `warmUpCapture`. */
export async function warmUpTurnRuns(graph: Graph): Promise<void> {
  const nowhere = { worldKey: '', runKey: '', attemptKey: '' }
  await graph.write([{ statement: lock, params: { ...nowhere, token: '', skew: 0 } }])
  await graph.write([
    { statement: change, params: { worldKey: '', change: { world: {}, runs: [], attempts: [] } } },
  ])
  await graph.read(runsByKeys, { keys: [''] })
  await graph.read(attemptStatement, { attemptKey: '' })
}
