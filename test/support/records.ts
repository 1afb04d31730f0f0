import { inProcessClient } from '../../src/client/in-process.ts'
import type { Graph } from '../../src/graph/port.ts'
import { captureTurnState } from '../../src/memory/capture/capture.ts'
import { type CaptureRequest, captureRequest, type TurnState } from '../../src/memory/record/record.ts'
import type { OperationInput } from '../../src/operations/table.ts'
import { Executors } from '../../src/runs/executors.ts'
import { simulatedExecutor } from '../../src/runs/simulated-executor.ts'
import { TurnRuns } from '../../src/runs/turn-runs.ts'

/** A capture in the form that a caller of the library writes. */
export type TurnToSend = OperationInput<'captureTurnState'>

export const PROJECT = 'shop'
export const FEATURE = 'FEAT-1'
export const TASK = 'TASK-1'

/** Makes a turn with the required fields only and a unique time. */
export const aTurn = (turnNumber: number, more: Partial<TurnToSend> = {}): TurnToSend => ({
  project: PROJECT,
  featureId: FEATURE,
  taskId: TASK,
  turnNumber,
  playerSummary: `Attempt ${turnNumber}`,
  coachDecision: 'feedback',
  completedAt: new Date(Date.UTC(2026, 0, 1, 0, turnNumber)).toISOString(),
  ...more,
})

/** Makes a client with executors of two names, for worlds that need one. */
export const clientOf = (graph: Graph, project = PROJECT) =>
  inProcessClient({ graph, project, runs: new TurnRuns({ graph, instance: 'tests', executors }) })

const trial = simulatedExecutor({ durationMs: 0, outcomes: ['committed'], repeat: true })
const executors = new Executors({ simulated: trial, other: trial })

/** Parses a capture like every interface. */
const parsedCapture = (sent: TurnToSend): CaptureRequest & { project: string } =>
  ({
    project: PROJECT,
    ...captureRequest.parse(sent),
  }) as CaptureRequest & { project: string }

/** Captures with a fixed clock and counted ids: the stored data depends only on the record. */
export async function captureSteadily(
  graph: Graph,
  sent: TurnToSend,
  now = '2026-02-01T00:00:00Z',
): Promise<TurnState> {
  let ids = 0
  const { turn } = await captureTurnState(graph, parsedCapture(sent), {
    now: () => new Date(now),
    newId: () => `id-${++ids}`,
  })
  return turn
}

export type ContextToLoad = OperationInput<'loadTurnContinuationContext'>

export const aContext = (currentTurn: number, more: Partial<ContextToLoad> = {}): ContextToLoad => ({
  project: PROJECT,
  featureId: FEATURE,
  taskId: TASK,
  currentTurn,
  ...more,
})

/** Every field of the contract, each with a distinct value. */
export const everyField: TurnToSend = {
  project: PROJECT,
  featureId: FEATURE,
  taskId: TASK,
  worldSlug: 'session%2F1~%CE%B1',
  turnNumber: 3,
  playerSummary: 'Rebuilt the template\n\twith “placeholders” \u{1f9e9}',
  playerDecision: 'Completed',
  coachDecision: 'needs work',
  coachFeedback: 'Not all acceptance criteria met',
  deliveredFeedback: 'Write it first',
  mode: 'recovering_state',
  recovered: true,
  blockersFound: ['port in use', 'no network', ''],
  lessonsFromTurn: ['run ruff first', 'keep the template minimal'],
  filesModified: ['src/a b.py', 'src/ä.py', 'src/a b.py'],
  filesSource: 'git',
  progressSummary: 'half way',
  acceptanceCriteriaStatus: { criterion_1: 'passed', criterion_2: 'failed', criterion_3: 'not_started' },
  verifications: [
    { criterionId: 'AC-1', criterionText: '- [ ] It answers with 404', status: 'done', evidence: 'seen' },
    { criterionId: 'AC-02', status: 'absent', source: 'validator' },
    {
      criterionId: 'AC-003',
      criterionText: 'It keeps a log',
      status: 'rejected',
      source: 'gate',
      evidence: null,
    },
  ],
  promises: [
    {
      criterionId: 'AC-001',
      criterionText: 'It answers with 404',
      status: 'implemented',
      evidence: 'test_404 passes',
      evidenceType: 'test',
      confidence: 0.85,
      testFile: 'tests/test_404.py',
      implementationFiles: ['src/a b.py', 'src/ä.py'],
    },
    { criterionId: 'AC-002', status: 'in progress' },
  ],
  issues: [
    {
      severity: 'must_fix',
      category: 'missing_requirement',
      description: 'AC-002 is not met',
      criterionIds: ['AC-002', 'AC-999'],
      suggestion: 'Write it',
      details: { lines: [1, 2.5], nested: { none: null, text: 'ß' } },
    },
    { severity: 'nit', description: 'A blank line' },
  ],
  gates: { tests: 'passed', 'plan audit': 'failed', coverage: 'unknown' },
  testsPassed: 17,
  testsFailed: 0,
  coverage: 81.5,
  archScore: 82,
  startedAt: '2026-03-08 14:07:00.397166',
  completedAt: '2026-03-08T16:07:30+01:00',
  durationSeconds: 90.25,
  whatToTryNext: 'AC-006',
  commit: 'deadbeef',
  transcriptSessionIds: ['s-1', 's-2'],
  usage: { player: { inputTokens: 0, outputTokens: 12 }, coach: { cacheReadTokens: 1_000_000_000_000 } },
  extra: { cost: { usd: 1.25, cents: 125 }, list: [null, true, 'x'], 'odd key/%': '' },
}

/** The stored form of {@link everyField}, as it is returned. */
export const everyFieldKept = {
  id: 'TURN-FEAT-1-3',
  key: 'shop/session%252F1~%25CE%25B1/3',
  project: PROJECT,
  featureId: FEATURE,
  taskId: TASK,
  worldSlug: 'session%2F1~%CE%B1',
  turnNumber: 3,
  playerSummary: 'Rebuilt the template\n\twith “placeholders” \u{1f9e9}',
  playerDecision: 'implemented',
  playerDecisionRaw: 'Completed',
  coachDecision: 'feedback',
  coachDecisionRaw: 'needs work',
  coachFeedback: 'Not all acceptance criteria met',
  deliveredFeedback: 'Write it first',
  mode: 'recovering_state',
  blockersFound: ['port in use', 'no network', ''],
  progressSummary: 'half way',
  acceptanceCriteriaStatus: { criterion_1: 'verified', criterion_2: 'rejected', criterion_3: 'pending' },
  verifications: [
    {
      criterionId: 'AC-1',
      criterionText: '- [ ] It answers with 404',
      status: 'verified',
      source: 'coach',
      evidence: 'seen',
    },
    { criterionId: 'AC-02', criterionText: null, status: 'unknown', source: 'validator', evidence: null },
    {
      criterionId: 'AC-003',
      criterionText: 'It keeps a log',
      status: 'rejected',
      source: 'gate',
      evidence: null,
    },
  ],
  promises: [
    {
      criterionId: 'AC-001',
      criterionText: 'It answers with 404',
      status: 'complete',
      evidence: 'test_404 passes',
      evidenceType: 'test',
      confidence: 0.85,
      testFile: 'tests/test_404.py',
      implementationFiles: ['src/a b.py', 'src/ä.py'],
    },
    {
      criterionId: 'AC-002',
      criterionText: null,
      status: 'partial',
      evidence: null,
      evidenceType: null,
      confidence: null,
      testFile: null,
      implementationFiles: [],
    },
  ],
  issues: [
    {
      severity: 'blocking',
      severityRaw: 'must_fix',
      category: 'missing_requirement',
      description: 'AC-002 is not met',
      criterionIds: ['AC-002', 'AC-999'],
      suggestion: 'Write it',
      details: { lines: [1, 2.5], nested: { none: null, text: 'ß' } },
    },
    {
      severity: 'advisory',
      severityRaw: 'nit',
      category: null,
      description: 'A blank line',
      criterionIds: [],
      suggestion: null,
      details: null,
    },
  ],
  gates: { tests: 'passed', 'plan audit': 'failed', coverage: 'unknown' },
  testsPassed: 17,
  testsFailed: 0,
  coverage: 81.5,
  archScore: 82,
  startedAt: '2026-03-08T14:07:00.397166Z',
  completedAt: '2026-03-08T15:07:30Z',
  durationSeconds: 90.25,
  lessonsFromTurn: ['run ruff first', 'keep the template minimal'],
  whatToTryNext: 'AC-006',
  filesModified: ['src/a b.py', 'src/ä.py', 'src/a b.py'],
  filesSource: 'git',
  commit: 'deadbeef',
  transcriptSessionIds: ['s-1', 's-2'],
  usage: {
    player: { inputTokens: 0, outputTokens: 12, cacheReadTokens: null, cacheCreationTokens: null },
    coach: {
      inputTokens: null,
      outputTokens: null,
      cacheReadTokens: 1_000_000_000_000,
      cacheCreationTokens: null,
    },
  },
  extra: { cost: { usd: 1.25, cents: 125 }, list: [null, true, 'x'], 'odd key/%': '' },
}
