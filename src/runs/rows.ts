// Converts turn runs and attempts between rows, records and parameters.
import * as z from 'zod'
import { recordKey, runSeqKey, turnKey, worldKey, worldSeqKey } from '../core/keys.ts'
import type { Value } from '../graph/port.ts'
import { runSettingsColumns, runSettingsFrom } from '../memory/worlds/run-settings.ts'
import { optionalNumber, textList } from '../rules/values.ts'
import type { View } from './decision.ts'
import { noSuch } from './lifecycle/refusals.ts'
import {
  type Attempt,
  attemptRow,
  isActiveRun,
  runRow,
  seenAttempt,
  seenRun,
  type TurnRun,
} from './record.ts'

const count = optionalNumber.transform((value) => value ?? 0)

export const viewRow = z.object({
  world: z.object({
    project: z.string(),
    slug: z.string(),
    currentTurn: z.number(),
    deletedAt: z.unknown(),
    executor: z.string(),
    leaseTtlMs: z.number(),
    ...runSettingsColumns,
    fence: count,
    attemptCount: count,
  }),
  run: runRow.nullable(),
  attempt: attemptRow.nullable(),
  askedRun: runRow.nullable(),
  askedAttempt: attemptRow.nullable(),
  now: z.number(),
})

/** @throws `not_found` if the requested run or attempt belongs to another world */
export function viewFrom({ world, ...seen }: z.output<typeof viewRow>): View {
  const { project, slug, currentTurn, executor, leaseTtlMs, fence, attemptCount } = world
  const { askedRun, askedAttempt } = seen
  if (askedRun !== null && askedRun.worldSlug !== world.slug) throw noSuch('turn run')
  if (askedAttempt !== null && askedAttempt.worldSlug !== world.slug) throw noSuch('attempt')
  const { stopWhen, resume } = runSettingsFrom(world)
  const state = {
    ...{ project, slug, currentTurn, executor, leaseTtlMs, fence, attemptCount },
    deleted: world.deletedAt != null,
    resume: resume ?? 'never',
    hasGoals: stopWhen !== undefined,
  }
  return { ...seen, world: state }
}

export const leasedRow = z.object({
  project: z.string(),
  worldSlug: z.string(),
  leaseUntil: z.number(),
  leaseTtlMs: z.number(),
  leaseOwners: textList,
  now: z.number(),
})

/** A sum of 0 is not stored. */
const orAbsent = (sum: number): number | null => (sum === 0 ? null : sum)

/** The schema removes undeclared keys. The object of a caller may have more keys, and none of them may reach the graph. */
export function runParams(run: TurnRun, before: TurnRun | null): Value {
  const { enqueuedAt, startedAt, endedAt, cancelRequestedAt, nextAttemptAt, ...properties } =
    seenRun.parse(run)
  const ofWorld = worldKey(run.project, run.worldSlug)
  return {
    key: recordKey(run.project, run.turnRunId),
    properties: {
      ...properties,
      resumption: orAbsent(run.resumption),
      earlierMs: orAbsent(run.earlierMs),
      failedInARow: orAbsent(run.failedInARow),
      usedTokens: orAbsent(run.usedTokens),
      activeWorldKey: isActiveRun(run.status) ? ofWorld : null,
    },
    at: {
      enqueued: enqueuedAt,
      started: startedAt,
      ended: endedAt,
      cancelRequested: cancelRequestedAt,
      nextAttempt: nextAttemptAt,
    },
    created: before === null ? [true] : [],
  }
}

export function attemptParams(attempt: Attempt, before: Attempt | null): Value {
  const { startedAt, endedAt, ...properties } = seenAttempt.parse(attempt)
  const { project, worldSlug, turnRunId, turnRunSeq } = attempt
  const ofWorld = worldKey(project, worldSlug)
  const ofRun = turnRunId === null ? null : recordKey(project, turnRunId)
  const isNew = before === null
  return {
    key: recordKey(project, attempt.attemptId),
    properties: {
      ...properties,
      usedTokens: orAbsent(attempt.usedTokens),
      worldSeqKey: worldSeqKey(ofWorld, attempt.number),
      runSeqKey: ofRun === null || turnRunSeq === null ? null : runSeqKey(ofRun, turnRunSeq),
      activeWorldKey: attempt.status === 'running' ? ofWorld : null,
    },
    at: { started: startedAt, ended: endedAt },
    created: isNew ? [true] : [],
    createdIn: isNew && ofRun !== null ? [ofRun] : [],
    produced:
      attempt.status === 'committed' && before?.status === 'running'
        ? [turnKey(ofWorld, attempt.attemptedTurn)]
        : [],
  }
}
