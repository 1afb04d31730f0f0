/**
 * Writes a store like after years of use: thousands of sessions, and a run of thousands of attempts over many
 * days.
 */
import type { TurngraphClient } from '../../src/client/client.ts'
import {
  featureKey,
  projectKey,
  recordKey,
  runSeqKey,
  taskKey,
  worldKey,
  worldSeqKey,
} from '../../src/core/keys.ts'
import type { ExportRecord, RecordOf } from '../../src/maintenance/export/records.ts'

const START = Date.UTC(2026, 0, 5, 8)
const MINUTE = 60_000
const DAY = 1_440 * MINUTE

/**
 * Number of captures at the same time. A server runs them in parallel; the embedded graph still writes one by
 * one.
 */
const WIDTH = 4
const CRITERIA = 4

/**
 * Courses of sessions, used in rotation, with the number of verified criteria after each turn. The third
 * stalls.
 */
const COURSES = [
  { decisions: ['feedback', 'approved'], verified: [2, 4] },
  { decisions: ['feedback'], verified: [1] },
  { decisions: ['feedback', 'feedback', 'feedback'], verified: [0, 0, 0] },
  { decisions: ['approved'], verified: [4] },
  { decisions: ['feedback', 'error', 'rejected'], verified: [1, 1, 2] },
  { decisions: ['feedback', 'feedback', 'approved'], verified: [1, 3, 4] },
] as const

/** Writes sessions of a project in six features. `SESSION-00001` is the first one and was active last. */
export async function writeManySessions(
  client: TurngraphClient,
  { project, sessions }: { project: string; sessions: number },
): Promise<void> {
  for (let from = 0; from < sessions; from += WIDTH) {
    const width = Math.min(WIDTH, sessions - from)
    await Promise.all(Array.from({ length: width }, (_, i) => writeSession(client, project, from + i)))
  }
}

async function writeSession(client: TurngraphClient, project: string, place: number): Promise<void> {
  const { decisions, verified } = COURSES[place % COURSES.length] ?? COURSES[0]
  const taskId = `SESSION-${String(place + 1).padStart(5, '0')}`
  for (const [i, coachDecision] of decisions.entries()) {
    await client.captureTurnState({
      project,
      featureId: `FEAT-${(place % 6) + 1}`,
      taskId,
      turnNumber: i + 1,
      playerSummary: `Round ${i + 1} of ${taskId}`,
      coachDecision,
      completedAt: new Date(START - place * 10 * MINUTE + i * MINUTE).toISOString(),
      verifications: Array.from({ length: CRITERIA }, (_, criterion) => ({
        criterionId: `AC-${criterion + 1}`,
        criterionText: `Part ${criterion + 1} of ${taskId} answers as its page of the specification says`,
        status: criterion < (verified[i] ?? 0) ? ('verified' as const) : ('rejected' as const),
      })),
      ...(coachDecision === 'feedback' && {
        issues: [{ severity: 'blocking' as const, description: 'The build is broken' }],
      }),
    })
  }
}

const ATTEMPTS_A_DAY = 40
/** Records per transaction of a restore: more would take longer than a request may. */
const RECORDS_AT_ONCE = 250

/**
 * Writes a run that failed after the given number of attempts, forty per day, and returns the run's id. It is
 * restored, because a real run would take as many days.
 */
export async function writeLongRun(
  client: TurngraphClient,
  { project, attempts, worldSlug = 'LONG-RUN' }: { project: string; attempts: number; worldSlug?: string },
): Promise<string> {
  const records: ExportRecord[] = recordsOfLongRun(project, worldSlug, attempts)
  for (let at = 0; at < records.length; at += RECORDS_AT_ONCE)
    await client.restoreRecords({ records: records.slice(at, at + RECORDS_AT_ONCE) })
  return LONG_RUN
}

/** The id of the long run. */
export const LONG_RUN = '5a0b7c11-3d52-4f6e-9a41-0c8d2e6f1a99'
const FEATURE = 'FEAT-LONG'
const LEASE_MS = 60_000
const EXHAUSTED = 'max_attempts exhausted before requested turn_count committed'

function recordsOfLongRun(project: string, worldSlug: string, attempts: number): ExportRecord[] {
  const world = worldKey(project, worldSlug)
  const task = taskKey(project, FEATURE, worldSlug)
  const feature = featureKey(project, FEATURE)
  const createdAt = new Date(START - MINUTE).toISOString()
  const made = Array.from({ length: attempts }, (_, i) => attemptOf(project, worldSlug, i + 1))
  const last = made.at(-1)?.attempt
  const failed = made.filter(({ attempt }) => attempt.status === 'failed').length
  return [
    { kind: 'project', key: projectKey(project), name: project },
    { kind: 'feature', project: projectKey(project), key: feature, id: FEATURE },
    { kind: 'task', feature, key: task, id: worldSlug, criteriaRev: 0, worldCount: 1 },
    {
      kind: 'world',
      key: world,
      slug: worldSlug,
      project,
      featureId: FEATURE,
      taskId: worldSlug,
      taskKey: task,
      ordinal: 1,
      executor: 'simulated',
      leaseTtlMs: LEASE_MS,
      createdAt,
    },
    ...made,
    {
      kind: 'turn_run',
      world,
      run: {
        key: recordKey(project, LONG_RUN),
        turnRunId: LONG_RUN,
        project,
        worldSlug,
        status: 'failed',
        requestedTurnCount: attempts,
        maxAttempts: attempts,
        turnCountSource: 'explicit',
        maxAttemptsSource: 'explicit',
        startTurn: 0,
        targetTurn: attempts,
        committedTurnCount: 0,
        attemptCount: attempts,
        failedAttemptCount: failed,
        interruptedAttemptCount: attempts - failed,
        lastAttemptId: last?.attemptId,
        lastAttemptStatus: last?.status,
        failureReason: EXHAUSTED,
        enqueuedAt: createdAt,
        startedAt: createdAt,
        endedAt: last?.endedAt ?? createdAt,
        fence: attempts + 1,
        leaseOwner: 'worker-1',
        leaseUntil: START,
      },
    },
    {
      kind: 'standing',
      world,
      currentTurn: 0,
      turnCount: 0,
      fence: attempts + 1,
      attemptCount: attempts,
    },
  ]
}

function attemptOf(project: string, worldSlug: string, number: number): RecordOf<'attempt'> {
  const world = worldKey(project, worldSlug)
  const attemptId = `5a0b7c11-3d52-4f6e-9a42-${String(number).padStart(12, '0')}`
  const [day, ofDay] = [Math.floor((number - 1) / ATTEMPTS_A_DAY), (number - 1) % ATTEMPTS_A_DAY]
  const start = START + day * DAY + ofDay * 4 * MINUTE
  return {
    kind: 'attempt',
    world,
    produced: null,
    attempt: {
      key: recordKey(project, attemptId),
      attemptId,
      project,
      worldSlug,
      number,
      status: number % 10 === 0 ? 'interrupted' : 'failed',
      turnBefore: 0,
      attemptedTurn: 1,
      turnRunId: LONG_RUN,
      turnRunSeq: number,
      executor: 'simulated',
      failureReason: `attempt ${number} met a broken build`,
      startedAt: new Date(start).toISOString(),
      endedAt: new Date(start + (1 + (number % 3)) * MINUTE).toISOString(),
      abortRequested: false,
      worldSeqKey: worldSeqKey(world, number),
      runSeqKey: runSeqKey(recordKey(project, LONG_RUN), number),
      fence: number,
      leaseOwner: 'worker-1',
      leaseUntil: start + LEASE_MS,
    },
  }
}
