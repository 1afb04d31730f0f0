/** Declares the nodes of durable runs and their attempts. */
import { ATTEMPT_STATUSES, COUNT_SOURCES, STOP_REASONS, TURN_RUN_STATUSES } from '../../rules/values.ts'
import { changeShape, leaseShape, node, nodeKey, projectName, type StoredNode } from './kinds.ts'
import { count, flag, instant, key, oneOf, text } from './properties.ts'

export const runNodes = {
  TurnRun: node('turn_run', 'a durable sequence of attempts towards a number of committed turns', {
    key: nodeKey,
    turnRunId: text.describe('id of the run'),
    project: projectName,
    worldSlug: text.describe('slug of its world'),
    status: oneOf(TURN_RUN_STATUSES).describe('status of the run'),
    requestedTurnCount: count.describe('number of turns that were requested'),
    maxAttempts: count.describe('maximum number of attempts'),
    turnCountSource: oneOf(COUNT_SOURCES).describe('whether the number of turns was given'),
    maxAttemptsSource: oneOf(COUNT_SOURCES).describe('whether the maximum of attempts was given'),
    startTurn: count.describe('number of the newest turn when the run began'),
    targetTurn: count.describe('number of the turn that the run is to reach'),
    committedTurnCount: count.describe('number of committed turns'),
    attemptCount: count.describe('number of attempts'),
    failedAttemptCount: count.describe('number of failed attempts'),
    interruptedAttemptCount: count.describe('number of interrupted attempts'),
    activeAttemptId: text.describe('id of the attempt that is active').optional(),
    lastAttemptId: text.describe('id of the newest attempt').optional(),
    lastAttemptStatus: oneOf(ATTEMPT_STATUSES).describe('status of the newest attempt').optional(),
    cancelRequestedAt: instant.describe('when cancelling was requested').optional(),
    cancelReason: text.describe('reason given for cancelling').optional(),
    stopReason: oneOf(STOP_REASONS).describe("entry of the world's stopWhen that ended it").optional(),
    failureReason: text.describe('why it failed').optional(),
    nextAttemptAt: instant.describe('end of the pause after a failed attempt').optional(),
    resumesRunId: text.describe('id of the interrupted run that it resumes').optional(),
    resumption: count.describe('number of runs before it in a chain of resumed runs').optional(),
    earlierMs: count.describe('time that those earlier runs took, in milliseconds').optional(),
    failedInARow: count.describe('number of failed attempts since the last committed turn').optional(),
    usedTokens: count.describe('sum of the tokens that its attempts report').optional(),
    enqueuedAt: instant.describe('when the run was requested'),
    startedAt: instant.describe('when the run began'),
    endedAt: instant.describe('when the run ended').optional(),
    activeWorldKey: key
      .describe('key of its world while it is active: a world has one active run')
      .optional(),
    ...leaseShape,
    ...changeShape,
  }),
  Attempt: node('attempt', 'one try at a turn', {
    key: nodeKey,
    attemptId: text.describe('id of the attempt'),
    project: projectName,
    worldSlug: text.describe('slug of its world'),
    number: count.describe('number of the attempt in its world, from 1'),
    status: oneOf(ATTEMPT_STATUSES).describe('status of the attempt'),
    turnBefore: count.describe('number of the newest turn when it began'),
    attemptedTurn: count.describe('number of the turn that it tries'),
    producedTurn: count.describe('number of the turn that it committed').optional(),
    turnRunId: text.describe('id of its run; missing if it has none').optional(),
    turnRunSeq: count.describe('place in its run, from 1').optional(),
    executor: text.describe('name of its executor'),
    failureReason: text.describe('why it failed').optional(),
    usedTokens: count.describe('number of tokens that it reports').optional(),
    startedAt: instant.describe('when the attempt began'),
    endedAt: instant.describe('when the attempt ended').optional(),
    abortRequested: flag.describe('whether its worker was asked to stop'),
    digest: text
      .describe('digest of the record that was committed: the same commit again gets the same answer')
      .optional(),
    worldSeqKey: key.describe('key of its place in the world'),
    runSeqKey: key.describe('key of its place in the run').optional(),
    activeWorldKey: key
      .describe('key of its world while it is active: a world has one active attempt')
      .optional(),
    ...leaseShape,
  }),
} as const satisfies Record<string, StoredNode>
