/** Declares each kind of node: its label, key, properties, and what it is exported as. */
import * as z from 'zod'
import {
  ATTEMPT_STATUSES,
  COACH_DECISIONS,
  COUNT_SOURCES,
  CRITERION_STATUSES,
  GATE_STATUSES,
  MODES,
  PLAYER_DECISIONS,
  PROMISE_STATUSES,
  RESUME_POLICIES,
  SEVERITIES,
  SOURCES,
  STEP_STATUSES,
  STOP_REASONS,
  TRANSCRIPT_TURN_KINDS,
  TRANSCRIPT_TURN_STATUSES,
  TURN_RUN_STATUSES,
} from '../../rules/values.ts'
import {
  count,
  counts,
  epochMs,
  flag,
  instant,
  json,
  key,
  number,
  oneOf,
  text,
  texts,
  token,
  whole,
} from './properties.ts'

/**
 * The nodes of the graph: what each is, and the properties that it holds. What is not here is not stored. On what each
 * hangs, relationships.ts says. The doctor and forget are driven by both, and so are export and restore for a kind with a
 * key below a project, a feature, a task or a world; a kind elsewhere, or a new part of a turn, has its form in
 * src/maintenance/export (records.ts, stored-form.ts), and what reads and writes turns reads and writes it.
 */
export type StoredNode = {
  says: string
  properties: z.ZodObject
  /** The property that names one of them: its key, where it has one. */
  name: string
  /** The record in which it leaves with an export; 'part': in its owner's; null: it is derived from others, or local. */
  exported: string | null
}

const node = <S extends z.ZodRawShape>(exported: string | null, says: string, shape: S) => ({
  says,
  properties: z.strictObject(shape),
  name: 'key' in shape ? 'key' : (Object.keys(shape)[0] ?? ''),
  exported,
})

const part = <S extends z.ZodRawShape>(name: keyof S & string, says: string, shape: S) => ({
  ...node('part', says, shape),
  name: name as string,
})

/**
 * What a turn says: its record, its rows, its defaults and its export derive from here. A new field is added here and to
 * what comes in (`turnInput` in src/memory/record/record.ts).
 */
export const turnFields = {
  playerSummary: text,
  playerDecision: oneOf(PLAYER_DECISIONS),
  playerDecisionRaw: text.optional(),
  coachDecision: oneOf(COACH_DECISIONS),
  coachDecisionRaw: text.optional(),
  coachFeedback: text.optional(),
  deliveredFeedback: text.optional(),
  mode: oneOf(MODES),
  blockersFound: texts,
  lessonsFromTurn: texts,
  filesModified: texts,
  progressSummary: text,
  testsPassed: number.optional(),
  testsFailed: number.optional(),
  coverage: number.optional(),
  archScore: number.optional(),
  startedAt: instant.optional(),
  completedAt: instant.optional(),
  createdAt: instant,
  durationSeconds: number.optional(),
  whatToTryNext: text.optional(),
  commit: text.optional(),
  transcriptSessionIds: texts,
  extra: json.optional(),
}

const turnShape = {
  key,
  id: text,
  number: count,
  revision: count,
  digest: text,
  writeId: token,
  ...turnFields,
  outcome: json.optional(),
  verificationCount: count,
  verifiedCount: count,
  rejectedCount: count,
  promiseCount: count,
  issueCount: count,
  gateCount: count,
}

/**
 * When the runs of a world stop early, and how they pause and resume: their wire form, `budget` and `backoff` as objects,
 * is that of src/memory/worlds/run-settings.ts.
 */
export const runSettingsFields = {
  stopWhen: texts.optional(),
  budgetMinutes: number.optional(),
  budgetAttemptsFailedInARow: count.optional(),
  budgetTokens: count.optional(),
  backoffFirstMs: count.optional(),
  backoffFactor: number.optional(),
  backoffMostMs: count.optional(),
  resume: oneOf(RESUME_POLICIES).optional(),
}

/** When it last changed, by the database's clock, and in which minute since 1970: what events look for. */
const changeShape = { changedAt: epochMs.optional(), changedIn: count.optional() }

/** Who may write, until when by the database's clock. The fence only rises in its world: a later owner has a greater one. */
const leaseShape = { fence: count.optional(), leaseOwner: text.optional(), leaseUntil: epochMs }

const stepShape = {
  id: text,
  sequence: count,
  status: oneOf(STEP_STATUSES),
  isParallel: flag,
  parallelGroup: count.optional(),
  durationMs: number.optional(),
  agentId: text.optional(),
}

export const nodes = {
  Project: node('project', 'a project; everything of it has a key that begins with its own', {
    key,
    name: text,
  }),
  Feature: node('feature', 'a feature of a project', { key, id: text }),
  Task: node('task', 'a task of a feature; the criteria are its', {
    key,
    id: text,
    criteriaRev: count,
    worldCount: count,
    specificationVersion: count.optional(),
    rev: token.optional(),
  }),
  World: node('world', 'one autobuild session of a task, where turns are numbered from 1', {
    key,
    slug: text,
    project: text,
    featureId: text,
    taskId: text,
    taskKey: key,
    ordinal: count,
    executor: text,
    leaseTtlMs: count,
    ...runSettingsFields,
    createdAt: instant,
    deletedAt: instant.optional(),
    requestId: text.optional(),
    currentTurn: count,
    turnCount: count,
    lastCompletedAt: instant.optional(),
    lastActivityAt: instant,
    newestDigest: text.optional(),
    promisedTurn: count.optional(),
    promisedDigest: text.optional(),
    outcomes: texts,
    ledgerRev: count,
    progressSum: count,
    lastGainTurn: count.optional(),
    contestedCount: count,
    flippedCount: count,
    brokenPromiseCount: count,
    specifiedAfter: counts.optional(),
    hasProofFiles: flag.optional(),
    activeRunId: text.optional(),
    activeAttemptId: text.optional(),
    leased: flag.optional(),
    leaseUntil: epochMs.optional(),
    leaseOwners: texts.optional(),
    fence: count.optional(),
    attemptCount: count.optional(),
    restoring: flag.optional(),
    forgottenAt: instant.optional(),
    creation: token,
    rev: token,
    ...changeShape,
  }),
  Turn: node('turn', 'one round of Player and Coach, as it stands', {
    ...turnShape,
    topics: texts.optional(),
  }),
  SupersededTurn: node('superseded_turn', 'a record that once stood at a turn', turnShape),
  Specification: node('specification', 'what a task declares must hold, in one version', {
    key,
    version: count,
    declaredAt: instant,
    path: text.optional(),
    commit: text.optional(),
    digest: text,
    criteriaCount: count,
  }),
  Topic: node(
    null,
    'a file, a failed gate, a complaint or a feature of a project, with the newest turns about it: other sessions find them',
    { key, turns: texts, incomplete: flag.optional(), rev: token },
  ),
  Criterion: node('criterion', 'what must hold; its identity is its text, or its label in one world', {
    key,
    texts,
    textSources: texts,
    labels: texts,
    labelSources: texts,
    mergedInto: key.optional(),
    worldKey: key.optional(),
  }),
  Verification: part('criterionId', "one observation of a criterion's status", {
    position: count,
    form: oneOf(['status', 'entry']),
    criterionId: text,
    criterionText: text.optional(),
    status: oneOf(CRITERION_STATUSES),
    source: oneOf(SOURCES),
    evidence: text.optional(),
    substantiated: flag,
    files: texts.optional(),
  }),
  Promise: part('criterionId', 'one claim by the Player that a criterion is met', {
    position: count,
    criterionId: text,
    criterionText: text.optional(),
    status: oneOf(PROMISE_STATUSES),
    evidence: text.optional(),
    evidenceType: text.optional(),
    confidence: number.optional(),
    testFile: text.optional(),
    implementationFiles: texts,
  }),
  Issue: part('description', 'what the Coach complained of', {
    position: count,
    severity: oneOf(SEVERITIES),
    severityRaw: text,
    category: text.optional(),
    description: text,
    criterionIds: texts,
    suggestion: text.optional(),
    details: json.optional(),
    signature: text.optional(),
  }),
  Gate: part('name', 'a quality gate that the turn went through', {
    position: count,
    name: text,
    status: oneOf(GATE_STATUSES),
  }),
  TurnRun: node('turn_run', 'a durable sequence of attempts towards a number of committed turns', {
    key,
    turnRunId: text,
    project: text,
    worldSlug: text,
    status: oneOf(TURN_RUN_STATUSES),
    requestedTurnCount: count,
    maxAttempts: count,
    turnCountSource: oneOf(COUNT_SOURCES),
    maxAttemptsSource: oneOf(COUNT_SOURCES),
    startTurn: count,
    targetTurn: count,
    committedTurnCount: count,
    attemptCount: count,
    failedAttemptCount: count,
    interruptedAttemptCount: count,
    activeAttemptId: text.optional(),
    lastAttemptId: text.optional(),
    lastAttemptStatus: oneOf(ATTEMPT_STATUSES).optional(),
    cancelRequestedAt: instant.optional(),
    cancelReason: text.optional(),
    /** What of its world's `stopWhen` came true. */
    stopReason: oneOf(STOP_REASONS).optional(),
    failureReason: text.optional(),
    /** Until when it pauses after a failed attempt. */
    nextAttemptAt: instant.optional(),
    /** The interrupted run that it resumes. */
    resumesRunId: text.optional(),
    resumption: count.optional(),
    earlierMs: count.optional(),
    failedInARow: count.optional(),
    usedTokens: count.optional(),
    enqueuedAt: instant,
    startedAt: instant,
    endedAt: instant.optional(),
    activeWorldKey: key.optional(),
    ...leaseShape,
    ...changeShape,
  }),
  Attempt: node('attempt', 'one try at a turn', {
    key,
    attemptId: text,
    project: text,
    worldSlug: text,
    /** Counts the attempts of the world, from 1. */
    number: count,
    status: oneOf(ATTEMPT_STATUSES),
    turnBefore: count,
    attemptedTurn: count,
    producedTurn: count.optional(),
    turnRunId: text.optional(),
    turnRunSeq: count.optional(),
    executor: text,
    failureReason: text.optional(),
    usedTokens: count.optional(),
    startedAt: instant,
    endedAt: instant.optional(),
    abortRequested: flag,
    /** Of the record that was committed: the same commit again is answered alike. */
    digest: text.optional(),
    worldSeqKey: key,
    runSeqKey: key.optional(),
    activeWorldKey: key.optional(),
    ...leaseShape,
  }),
  TranscriptFile: node('transcript_file', 'how far a transcript was read, and what stood open there', {
    key,
    project: text,
    sessionId: text,
    path: text.optional(),
    inode: whole.optional(),
    offset: count,
    isWhole: flag,
    tail: text,
    state: json,
    rev: token,
    ...changeShape,
  }),
  // One that a turn names before its transcript comes has an id alone; one that a subagent's file names, a key alone.
  TranscriptSession: node('transcript_session', 'a session of a transcript, or the thread of a subagent', {
    key,
    id: text.optional(),
    project: text.optional(),
    isTranscribed: flag.optional(),
    agentId: text.optional(),
    parentStepId: text.optional(),
    cwd: text.optional(),
    version: text.optional(),
    startedAt: instant.optional(),
    endedAt: instant.optional(),
  }),
  TranscriptTurn: node(
    'transcript_turn',
    'one human, model, human cycle of a transcript: its structure, never a word',
    {
      key,
      id: text,
      project: text,
      sessionId: text,
      fileKey: key,
      index: count,
      kind: oneOf(TRANSCRIPT_TURN_KINDS),
      status: oneOf(TRANSCRIPT_TURN_STATUSES),
      startedAt: instant.optional(),
      begunMs: epochMs,
      durationMs: number.optional(),
      durationSource: oneOf(['turn_duration', 'timestamps']).optional(),
      length: count,
      pattern: text.optional(),
      patternKey: key.optional(),
      tools: texts,
      errors: count,
      parallelSteps: count,
      rev: token,
    },
  ),
  Step: part('id', 'one tool call', stepShape),
  FailedStep: part('id', 'one that failed: it is a Step too', {
    ...stepShape,
    error: text,
    failure: text,
    project: text,
    tool: text,
    sessionId: text,
    begunMs: epochMs,
  }),
  Tool: node(null, 'a tool that was called in a project', { key, name: text, project: text }),
  TurnPattern: node(
    null,
    'an abstract sequence of tools, with how many turns follow it and with how many calls',
    {
      key,
      project: text,
      pattern: text,
      turns: count,
      calls: count,
      rev: token.optional(),
    },
  ),
  ToolUse: node(null, 'the calls of a tool in the turns of one length and one period of 7 days', {
    key,
    project: text,
    tool: text,
    period: whole,
    length: count,
    turns: count,
    calls: count,
    rev: token,
  }),
  Desire: node('desire', 'a long pattern that recurs: worth a better tool', {
    key,
    project: text,
    toolName: text,
    error: text,
    category: oneOf(['turn-pattern']),
    source: oneOf(['transcript-analysis']),
    pattern: text,
    count,
    avgLength: number,
    sessions: count,
    firstSeen: instant.optional(),
    lastSeen: instant.optional(),
  }),
  SchemaMigration: node(null, 'a migration that was applied', {
    version: text,
    description: text,
    checksum: text,
    appliedAt: instant,
  }),
  SchemaMigrationLock: node(null, 'who migrates at this moment', {
    key,
    rev: token,
    owner: text.optional(),
    leaseUntil: epochMs.optional(),
  }),
} as const satisfies Record<string, StoredNode>

export type Label = keyof typeof nodes
export type Stored<L extends Label> = z.output<(typeof nodes)[L]['properties']>

export const LABELS = Object.keys(nodes) as Label[]
