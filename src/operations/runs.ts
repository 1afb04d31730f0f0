// Declares the operations on turn runs and attempts: the tools of seed 001 (contract: runs.md).
import * as z from 'zod'
import { invalidField, TurngraphError } from '../core/errors.ts'
import { integerBetween, name, project, text, wholeNumber } from '../core/fields.ts'
import { page, pageFields, readPage } from '../core/pages.ts'
import { scrubText } from '../core/scrub/scrub.ts'
import type { Graph } from '../graph/port.ts'
import { getWorld } from '../memory/worlds/worlds.ts'
import { logRecovery } from '../rules/notes.ts'
import { TURN_RUN_STATUSES } from '../rules/values.ts'
import { attemptTurn, usage, usedTokens } from '../runs/attempt-turn.ts'
import { loadContinuation } from '../runs/coordinator.ts'
import { type Attempt, EXTERNAL, RUN_LIMITS, recordId, type TurnRun } from '../runs/record.ts'
import { runPosition } from '../runs/turn-run-store.ts'
import type { TurnRuns } from '../runs/turn-runs.ts'
import {
  attemptList,
  type Counts,
  claimAnswer,
  heartbeatAnswer,
  nextAttemptAnswer,
  runTurnAnswer,
  singleAttemptAnswer,
  summarizeAttempt,
  turnRunAnswer,
  turnRunStatus,
  turnStatus,
  viewClaim,
  viewHeartbeat,
  viewTurnRunStatus,
  viewTurnStatus,
} from '../runs/views.ts'
import { takeNextAttempt } from './next-attempt.ts'
import { type Call, flag, operation, worldSlug } from './operation.ts'

const turnRunId = recordId
const attemptId = recordId
const inWorld = worldSlug.optional().describe('the world it must be of')
const reason = text.check(
  z.refine(
    (given) => [...given].length <= RUN_LIMITS.reasonCharacters,
    `is longer than ${RUN_LIMITS.reasonCharacters} characters; cut it`,
  ),
)
const fence = z.number().int().min(1).describe('what the claim answered')
const used = usage.nullish().describe('what the attempt used; a budget of its run counts it')
const WITH_CONTINUATION = 'false: for a worker that loads its contexts itself; `continuation` is null then'
const withContinuation = z.boolean().describe(WITH_CONTINUATION)
const runTurnInput = z.strictObject({
  project,
  worldSlug,
  turnCount: integerBetween(1, RUN_LIMITS.turnCount).optional().describe('committed turns; default: 1'),
  maxAttempts: integerBetween(1, RUN_LIMITS.maxAttempts)
    .optional()
    .describe('at least turn_count; default: turn_count'),
})

export const runOperations = {
  runTurn: operation({
    summary: 'Start one attempt at the next turn, or a durable run of several',
    scope: 'write',
    input: runTurnInput,
    output: runTurnAnswer,
    run: async (_graph, input, { runs }) => {
      const counts = chooseCounts(input)
      if (counts.turnCount === 1 && counts.maxAttempts === 1) {
        return singleAttemptAnswer(await runs.startAttempt(input), counts)
      }
      const { turnCount: requestedTurnCount, ...rest } = counts
      const { project, worldSlug } = input
      const run = await runs.startTurnRun({ project, worldSlug }, { requestedTurnCount, ...rest })
      return turnRunAnswer(run, counts)
    },
  }),
  getTurnRunStatus: operation({
    summary: 'How far a turn run is, and how it ended',
    scope: 'read',
    roles: ['judge'],
    input: z.strictObject({
      project,
      turnRunId,
      worldSlug: inWorld,
      includeAttempts: flag,
      attemptLimit: wholeNumber(1, 100).default(20),
    }),
    output: turnRunStatus,
    run: async (_graph, { includeAttempts, attemptLimit, ...ref }, { runs }) => {
      const { run, currentTurn } = await runs.store.getTurnRunStatus(ref)
      const lastFailures = await runs.store.lastFailures([run])
      if (!includeAttempts) return viewTurnRunStatus(run, currentTurn, lastFailures)
      const { attempts } = await runs.store.listAttemptsOfRun(run, attemptLimit)
      return viewTurnRunStatus(run, currentTurn, lastFailures, attempts)
    },
  }),
  listTurnRuns: operation({
    summary: 'The turn runs of a project or of one of its worlds, newest first',
    scope: 'read',
    roles: ['judge'],
    input: z.strictObject({
      project,
      worldSlug: worldSlug.optional(),
      status: z.enum(TURN_RUN_STATUSES).optional(),
      ...pageFields,
    }),
    output: page(turnRunStatus),
    run: async (_graph, { limit, cursor, maxBytes, project, worldSlug, status }, { runs }) => {
      const filter = {
        project,
        ...(worldSlug !== undefined && { worldSlug }),
        ...(status !== undefined && { status }),
      }
      const { items, nextCursor } = await readPage(
        { limit, cursor, maxBytes },
        runPosition,
        (after, most) => runs.store.listTurnRuns(filter, most, after),
        ({ run: { enqueuedAt, turnRunId } }) => ({ enqueuedAt, turnRunId }),
      )
      const lastFailures = await runs.store.lastFailures(items.map(({ run }) => run))
      return {
        items: items.map(({ run, currentTurn }) => viewTurnRunStatus(run, currentTurn, lastFailures)),
        nextCursor,
      }
    },
  }),
  cancelTurnRun: operation({
    summary: 'End a turn run: the attempt under way finishes, none follows it',
    scope: 'write',
    input: z.strictObject({
      project,
      turnRunId,
      worldSlug: inWorld,
      reason: reason.default('cancelled by caller'),
      abort: z.boolean().default(false).describe('true: the attempt under way is stopped too'),
    }),
    output: turnRunStatus,
    run: async (_graph, { reason, abort, ...ref }, { runs }) => {
      const { run } = await runs.store.getTurnRunStatus(ref)
      const ended = await runs.cancelTurnRun(run, reason, abort)
      return toStatus(runs, ended)
    },
  }),
  listAttempts: operation({
    summary: 'The attempts of a world or of one of its runs, newest first',
    scope: 'read',
    roles: ['judge'],
    input: z.strictObject({
      project,
      worldSlug,
      turnRunId: turnRunId.optional(),
      upTo: wholeNumber(1, RUN_LIMITS.maxAttempts)
        .optional()
        .describe('begin at the attempt of this number in its run, or in its world where no run is named'),
      ...pageFields,
    }),
    output: attemptList,
    run: async (_graph, { turnRunId, upTo, limit, cursor, maxBytes, ...world }, { runs }) => {
      const run = turnRunId === undefined ? null : await runs.store.getTurnRunStatus({ ...world, turnRunId })
      const { items, nextCursor } = await readPage(
        { limit, cursor, maxBytes },
        z.int(),
        async (at, most) => {
          const before = at ?? (upTo === undefined ? undefined : upTo + 1)
          const { attempts } =
            run === null
              ? await runs.store.listAttemptsOfWorld(world, most, before)
              : await runs.store.listAttemptsOfRun(run.run, most, before)
          return attempts
        },
        (last) => (run === null ? null : last.turnRunSeq) ?? last.number,
      )
      return { items: items.map(summarizeAttempt), nextCursor }
    },
  }),
  getTurnStatus: operation({
    summary: 'One attempt: whether it runs, what it produced, or why it failed',
    scope: 'read',
    roles: ['judge'],
    input: z.strictObject({
      project,
      attemptId,
      worldSlug: inWorld,
      workerId: name.nullish().describe('name of the worker that claimed it: the answer has its fence then'),
    }),
    output: turnStatus,
    run: async (_graph, { workerId, ...ref }, { runs }) =>
      viewTurnStatus(await runs.store.getAttempt(ref), workerId == null ? null : scrubText(workerId)),
  }),
  claimAttempt: operation({
    summary: 'Take an external attempt, and learn what its turn needs to know',
    scope: 'write',
    roles: ['judge'],
    input: z.strictObject({
      project,
      attemptId,
      workerId: name,
      withContinuation: withContinuation.default(true),
    }),
    output: claimAnswer,
    run: async (graph, { workerId, withContinuation, ...ref }, call) => {
      const { store } = call.runs
      const claimed = await store.claimAttempt(await store.getAttempt(ref), workerId)
      return answerClaim(graph, claimed, withContinuation, call)
    },
  }),
  nextAttempt: operation({
    summary: 'Take whatever external attempt of a world is open, or wait for one',
    scope: 'write',
    roles: ['judge'],
    input: z.strictObject({
      project,
      worldSlug,
      workerId: name.describe('a repeat by the same worker answers the attempt that it has'),
      waitMs: wholeNumber(0, RUN_LIMITS.waitMs)
        .default(RUN_LIMITS.waitMs)
        .describe('how long to wait for an attempt, in milliseconds'),
      withContinuation: flag.default(true).describe(WITH_CONTINUATION),
    }),
    output: nextAttemptAnswer,
    run: async (graph, { withContinuation, ...filter }, call) => {
      const taken = await takeNextAttempt(graph, filter, call)
      return { claim: taken === null ? null : await answerClaim(graph, taken, withContinuation, call) }
    },
  }),
  heartbeatAttempt: operation({
    summary: "Renew a worker's lease, and learn whether the run was cancelled",
    scope: 'write',
    roles: ['judge'],
    input: z.strictObject({ project, attemptId, fence }),
    output: heartbeatAnswer,
    run: async (_graph, { fence, ...ref }, { runs }) =>
      viewHeartbeat(await runs.store.heartbeatAttempt(await attemptOfWorker(runs, ref), fence)),
  }),
  commitAttempt: operation({
    summary: 'End an attempt with the record of its turn',
    scope: 'write',
    roles: ['judge'],
    input: z.strictObject({ project, attemptId, fence, turn: attemptTurn, usage: used }),
    output: turnStatus,
    run: async (_graph, { fence, turn, usage, ...ref }, { runs, caller }) => {
      const attempt = await attemptOfWorker(runs, ref)
      const used = { usedTokens: usedTokens(usage), recordedBy: caller?.tokenName }
      return viewTurnStatus(await runs.commitAttempt(attempt, fence, turn, used))
    },
  }),
  failAttempt: operation({
    summary: 'End an attempt without a turn',
    scope: 'write',
    roles: ['judge'],
    input: z.strictObject({ project, attemptId, fence, reason, usage: used }),
    output: turnStatus,
    run: async (_graph, { fence, reason, usage, ...ref }, { runs }) => {
      const attempt = await attemptOfWorker(runs, ref)
      return viewTurnStatus(await runs.failAttempt(attempt, fence, reason, usedTokens(usage)))
    },
  }),
} as const

async function answerClaim(
  graph: Graph,
  claimed: Attempt,
  withContinuation: boolean,
  { log }: Call,
): Promise<z.output<typeof claimAnswer>> {
  if (!withContinuation) return viewClaim(claimed, null)
  const world = await getWorld(graph, claimed.project, claimed.worldSlug)
  const continuation = await loadContinuation(graph, claimed, world)
  logRecovery(log, continuation.coach)
  return viewClaim(claimed, continuation)
}

/** Reads an attempt of a worker. Rejects attempts that the service executes, whatever fence the worker sends. */
async function attemptOfWorker(
  runs: TurnRuns,
  ref: { project: string; attemptId: string },
): Promise<Attempt> {
  const attempt = await runs.store.getAttempt(ref)
  if (attempt.executor === EXTERNAL) return attempt
  throw new TurngraphError('lease_lost', `Attempt ${attempt.attemptId} is executed by its service.`, {
    hint: `Workers claim attempts of worlds whose executor is "${EXTERNAL}".`,
  })
}

async function toStatus(runs: TurnRuns, run: TurnRun): Promise<z.output<typeof turnRunStatus>> {
  const { currentTurn } = await runs.store.getTurnRunStatus(run)
  return viewTurnRunStatus(run, currentTurn, await runs.store.lastFailures([run]))
}

/** Chooses the counts of a run, given or by default (seed 001, `handle_run_turn`). */
function chooseCounts({ turnCount, maxAttempts }: z.output<typeof runTurnInput>): Counts {
  const wanted = turnCount ?? 1
  if (maxAttempts !== undefined && maxAttempts < wanted) {
    throw invalidField('max_attempts', `must be at least turn_count (${wanted})`, {
      hint: 'Each committed turn takes an attempt; leave max_attempts out for as many as turn_count.',
    })
  }
  return {
    turnCount: wanted,
    turnCountSource: turnCount === undefined ? 'default' : 'explicit',
    maxAttempts: maxAttempts ?? wanted,
    maxAttemptsSource: maxAttempts === undefined ? 'default' : 'explicit',
  }
}
