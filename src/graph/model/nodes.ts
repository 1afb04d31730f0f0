/** Declares each kind of node: its label, key, properties, and the record in which it is exported. */
import type * as z from 'zod'
import {
  COACH_DECISIONS,
  CRITERION_STATUSES,
  FILES_SOURCES,
  GATE_STATUSES,
  MODES,
  PLAYER_DECISIONS,
  PROMISE_STATUSES,
  RESUME_POLICIES,
  SEVERITIES,
  SOURCES,
} from '../../rules/values.ts'
import {
  changeShape,
  lock,
  node,
  nodeKey,
  ownProject,
  part,
  position,
  projectName,
  type StoredNode,
} from './kinds.ts'
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
} from './properties.ts'
import { runNodes } from './run-nodes.ts'
import { transcriptNodes } from './transcript-nodes.ts'

/**
 * Fields of a turn. Its record, rows, defaults and export derive from them. Add a new field here and to `turnInput` (record.ts).
 */
export const turnFields = {
  playerSummary: text.describe('what the Player implemented or attempted'),
  playerDecision: oneOf(PLAYER_DECISIONS).describe("the Player's own result"),
  playerDecisionRaw: text
    .describe('the word that was given for playerDecision, if it was another one')
    .optional(),
  coachDecision: oneOf(COACH_DECISIONS).describe("the Coach's judgement"),
  coachDecisionRaw: text
    .describe('the word that was given for coachDecision, if it was another one')
    .optional(),
  coachFeedback: text.describe('what the Coach asks of the next turn').optional(),
  deliveredFeedback: text
    .describe('feedback of the previous judgement, as the Player of this turn received it')
    .optional(),
  mode: oneOf(MODES).describe('how the turn began'),
  blockersFound: texts.describe('obstacles that the Player could not overcome'),
  lessonsFromTurn: texts.describe('what the turn learned, for later turns'),
  filesModified: texts.describe('paths of the files that the turn changed'),
  filesSource: oneOf(FILES_SOURCES)
    .describe('git: filesModified is what git shows; missing: it is what the Player claims')
    .optional(),
  progressSummary: text.describe('progress in one sentence, as it was given'),
  testsPassed: number.describe('number of tests that passed').optional(),
  testsFailed: number.describe('number of tests that failed').optional(),
  coverage: number.describe('test coverage, as it was given').optional(),
  archScore: number.describe('score of the architecture review, as it was given').optional(),
  startedAt: instant.describe('start of the turn').optional(),
  completedAt: instant.describe('end of the turn; missing if it is not known').optional(),
  createdAt: instant.describe('when the record was stored'),
  recordedBy: text.describe('name of the token that stored the record; missing without a token').optional(),
  durationSeconds: number.describe('length of the turn in seconds').optional(),
  whatToTryNext: text.describe('advice of this turn for the next one').optional(),
  commit: text.describe('commit that the turn ended with').optional(),
  transcriptSessionIds: texts.describe('ids of the transcript sessions in which the turn was worked on'),
  usage: json.describe('tokens of Player and Coach that the turn reports, as JSON').optional(),
  extra: json.describe('further fields of the caller, kept as they came').optional(),
}

/** Fields that the record of a verification has in their stored form. */
export const verificationFields = {
  criterionId: text.describe('label of the criterion, as given'),
  criterionText: text.describe('text of the criterion, as given').optional(),
  status: oneOf(CRITERION_STATUSES).describe('status that was observed'),
  source: oneOf(SOURCES).describe('who observed it'),
  evidence: text.describe('what the judge saw').optional(),
}

/** The agent that judged a turn or a criterion. A record has these properties as one field, `judge`. */
export const judgeFields = {
  judgeAgent: text.describe('name of the agent that judged; missing if it is not named').optional(),
  judgeModel: text.describe('model of that agent').optional(),
  judgePromptDigest: text.describe('SHA-256 of the prompt of that agent').optional(),
}

/** The agent that played a turn. A record has these properties as one field, `player`. */
export const playerFields = {
  playerAgent: text.describe('name of the agent that played; missing if it is not named').optional(),
  playerModel: text.describe('model of that agent').optional(),
}

const turnShape = {
  key: nodeKey,
  project: ownProject,
  id: text.describe('TURN-{feature_id}-{turn_number}, for display only'),
  number: count.describe('number of the turn in its world, from 1'),
  revision: count.describe('number of its record among the records of the turn, from 1'),
  digest: text.describe('SHA-256 of the record as it was sent'),
  writeId: token.describe('identifies the write that stored the record'),
  ...turnFields,
  ...judgeFields,
  ...playerFields,
  outcome: json.describe('what stall analysis reads of the turn: signatures, verdict and gates').optional(),
  deniedFiles: texts
    .describe('entries of filesModified that git shows as unchanged, by an issue of the turn')
    .optional(),
  verificationCount: count.describe('number of its verifications, with those that were added later'),
  verifiedCount: count.describe(
    'number of verifications of its record with status verified, without claims of the Player, and without entries of the status map that a full entry replaces',
  ),
  rejectedCount: count.describe(
    'number of verifications of its record with status rejected, without claims of the Player, and without entries of the status map that a full entry replaces',
  ),
  promiseCount: count.describe('number of its promises'),
  issueCount: count.describe('number of its issues'),
  gateCount: count.describe('number of its gates'),
}

/** Settings that end, pause and resume the runs of a world. Their wire form: src/memory/worlds/run-settings.ts. */
export const runSettingsFields = {
  stopWhen: texts
    .describe('what ends its runs early: approved, all_verified, all_observed, stalled, budget')
    .optional(),
  budgetMinutes: number.describe('minutes after which a run ends').optional(),
  budgetAttemptsFailedInARow: count
    .describe('number of failed attempts in a row after which a run ends')
    .optional(),
  budgetTokens: count.describe('number of used tokens after which a run ends').optional(),
  backoffFirstMs: count.describe('pause after the first failed attempt, in milliseconds').optional(),
  backoffFactor: number.describe('growth of the pause with each further failed attempt').optional(),
  backoffMostMs: count.describe('maximum pause after a failed attempt, in milliseconds').optional(),
  resume: oneOf(RESUME_POLICIES)
    .describe('whether a new run resumes one that a restart interrupted')
    .optional(),
}

export const nodes = {
  Project: node('project', 'a project; the keys of all of its nodes begin with its own key', {
    key: nodeKey,
    name: text.describe('name of the project'),
    maskKey: text
      .describe(
        'key of the marks of its secrets; missing if no secret was masked; answers show two digits of it',
      )
      .optional(),
  }),
  Feature: node('feature', 'a feature of a project', {
    key: nodeKey,
    project: ownProject,
    id: text.describe('id of the feature, as the orchestrator gives it'),
  }),
  Task: node('task', 'a task of a feature; it owns the criteria', {
    key: nodeKey,
    project: ownProject,
    id: text.describe('id of the task, as the orchestrator gives it'),
    criteriaRev: count.describe('rises when a text or a label of its criteria is added'),
    worldCount: count.describe('number of worlds made so far'),
    specificationVersion: count
      .describe('newest version of its specification; missing if nothing is declared')
      .optional(),
    restoring: flag.describe('whether a restore still has to write a part of the task').optional(),
    rev: lock.optional(),
  }),
  World: node('world', 'one autobuild session of a task; its turns are numbered from 1', {
    key: nodeKey,
    slug: text.describe('name of the session, unique in the project'),
    project: projectName,
    featureId: text.describe('id of its feature'),
    taskId: text.describe('id of its task'),
    taskKey: key.describe('key of its task'),
    ordinal: count.describe('number of the session within its task, from 1'),
    executor: text.describe('name of the executor of its runs; external: a worker outside of the service'),
    leaseTtlMs: count.describe('length of a lease in milliseconds'),
    ...runSettingsFields,
    createdAt: instant.describe('when the world was made'),
    deletedAt: instant.describe('when the world was deleted; a deleted world is in no view').optional(),
    requestId: text.describe('idempotency key of the request that made it').optional(),
    currentTurn: count.describe('greatest number of a turn; 0 before the first one'),
    turnCount: count.describe('number of its turns'),
    lastCompletedAt: instant.describe('end of the turn that was completed last').optional(),
    lastActivityAt: instant.describe(
      'end of the turn that was completed last; createdAt before the first one',
    ),
    state: json.describe('data about all turns that the next turn needs (derived)').optional(),
    promisedTurn: count.describe('number of the newest turn with promises').optional(),
    judgedTurn: count.describe('number of the newest turn with a verdict').optional(),
    turnsSinceApproval: count
      .describe('number of turns with a verdict since the last approval, among the newest 8')
      .optional(),
    ledgerRev: count.describe('revision of its turns: each write that changes them raises it'),
    lastGainTurn: count.describe('newest turn that verified a criterion for the first time').optional(),
    contestedCount: count.describe('number of criteria that are verified and were also rejected'),
    flippedCount: count.describe(
      'number of criteria whose status changed from verified to rejected at least once',
    ),
    brokenPromiseCount: count.describe(
      'number of criteria that were promised as complete and then rejected with evidence',
    ),
    specifiedAfter: counts
      .describe("number of the newest turn at the time of each version of the task's specification")
      .optional(),
    hasProofFiles: flag.describe('whether a verification names files').optional(),
    rollbacks: count.describe('number of rollbacks so far').optional(),
    activeRunId: text.describe('id of the run that is active').optional(),
    activeAttemptId: text.describe('id of the attempt that is active').optional(),
    leased: flag.describe('whether an owner holds a lease').optional(),
    leaseUntil: epochMs.describe("end of the lease, by the database's clock").optional(),
    leaseOwners: texts.describe('owners of the leases').optional(),
    fence: count.describe('number of leases so far').optional(),
    attemptCount: count.describe('number of attempts so far').optional(),
    restoring: flag.describe('whether a restore is still writing the world').optional(),
    forgottenAt: instant.describe('when forget began to delete the world').optional(),
    creation: token.describe('identifies the request that made the world'),
    rev: lock,
    ...changeShape,
  }),
  Turn: node('turn', 'one round of Player and Coach, with its current record', turnShape),
  SupersededTurn: node('superseded_turn', 'a record of a turn that was replaced or withdrawn', {
    ...turnShape,
    withdrawnAt: instant.describe('when a rollback withdrew the turn').optional(),
    withdrawnReason: text.describe('reason of the rollback').optional(),
  }),
  Specification: node('specification', 'one version of the criteria that a task declares', {
    key: nodeKey,
    project: ownProject,
    version: count.describe('number of the version, from 1'),
    declaredAt: instant.describe('when the version was declared'),
    path: text.describe('file that it was read from').optional(),
    commit: text.describe('commit of that file').optional(),
    digest: text.describe('SHA-256 of the declared criteria'),
    criteriaCount: count.describe('number of declared criteria'),
    recordedBy: text
      .describe('name of the token that declared the version; missing without a token')
      .optional(),
  }),
  File: node(null, 'a file of a project that turns changed', {
    key: nodeKey,
    project: ownProject,
    path: text.describe('path in the project'),
  }),
  Agent: node(null, 'an agent of a project that played or judged turns, with one model', {
    key: nodeKey,
    project: projectName,
    name: text.describe('name of the agent'),
    model: text.describe('its model; missing if it is not named').optional(),
  }),
  Criterion: node(
    'criterion',
    'a condition that must hold; identified by its text, or by its label in one world',
    {
      key: nodeKey,
      project: ownProject,
      texts: texts.describe('texts that were given for it; the first one is its name'),
      textSources: texts.describe('who gave each text, in the same order'),
      labels: texts.describe('labels that were given for it'),
      labelSources: texts.describe('who gave each label, in the same order'),
      mergedInto: key.describe('key of the criterion into which it was merged').optional(),
      worldKey: key.describe('key of its world, if it is known by a label only').optional(),
    },
  ),
  Verification: part('criterionId', "one observation of a criterion's status", {
    position,
    project: ownProject,
    form: oneOf(['status', 'entry']).describe(
      'how it was given: entry, with a text or evidence, or status, in a map of statuses',
    ),
    ...verificationFields,
    substantiated: flag.describe('whether the evidence describes the work'),
    files: texts.describe('paths of the files that the proof is about').optional(),
    ...judgeFields,
    observation: json.describe('observed result of a command or a test report').optional(),
    observedOn: json
      .describe('the tree, the changes and the commit of the observation, and its time')
      .optional(),
    addedAt: text
      .describe('when it was added to the turn after its end; missing if the record has it')
      .optional(),
    addedBy: text.describe('name of the token that added it').optional(),
    startedAt: text.describe('of an addition: time at which it was made; determines its order').optional(),
    additionDigest: text.describe('of an addition: SHA-256 of its content').optional(),
  }),
  Promise: part('criterionId', 'one claim by the Player that a criterion is met', {
    position,
    project: ownProject,
    criterionId: text.describe('label of the criterion, as given'),
    criterionText: text.describe('text of the criterion, as given').optional(),
    status: oneOf(PROMISE_STATUSES).describe('progress according to the Player'),
    evidence: text.describe('what the Player offers as proof').optional(),
    evidenceType: text.describe('kind of the evidence, as given').optional(),
    confidence: number.describe("the Player's confidence, as given").optional(),
    testFile: text.describe('path of the test').optional(),
    implementationFiles: texts.describe('paths of the files that implement it'),
  }),
  Issue: part('description', 'an issue that the Coach raised', {
    position,
    project: ownProject,
    severity: oneOf(SEVERITIES).describe('how severe it is'),
    severityRaw: text.describe('the word that was given for severity'),
    category: text.describe('category, as given').optional(),
    description: text.describe('what is wrong'),
    criterionIds: texts.describe('labels of the criteria that it names, as given'),
    suggestion: text.describe('what the Coach suggests').optional(),
    details: json.describe('further fields of the issue, kept as they came').optional(),
    signature: text
      .describe(
        'category and description without times, line numbers and other parts that vary: equal signatures are one complaint',
      )
      .optional(),
  }),
  Gate: part('name', 'a quality gate that the turn went through', {
    position,
    project: ownProject,
    name: text.describe('name of the gate'),
    status: oneOf(GATE_STATUSES).describe('result of the gate'),
  }),
  ...runNodes,
  ...transcriptNodes,
  SchemaMigration: node(null, 'a migration that was applied', {
    version: text.describe('number of the migration'),
    description: text.describe('what it does'),
    checksum: text.describe('SHA-256 of its file'),
    appliedAt: instant.describe('when it was applied'),
  }),
  SchemaMigrationLock: node(null, 'locked by the process that migrates', { key: nodeKey, rev: lock }),
} as const satisfies Record<string, StoredNode>

export type Label = keyof typeof nodes
export type Stored<L extends Label> = z.output<(typeof nodes)[L]['properties']>

export const LABELS = Object.keys(nodes) as Label[]

/** Labels of nodes whose `project` follows from a key. Exports leave out the project, and a restore sets it. */
export const PROJECT_FROM_KEY = [
  'Feature',
  'Task',
  'Turn',
  'SupersededTurn',
  'Specification',
  'File',
  'Criterion',
  'Verification',
  'Promise',
  'Issue',
  'Gate',
] as const satisfies readonly Label[]

export type ProjectFromKey = (typeof PROJECT_FROM_KEY)[number]

export const hasProjectFromKey = (label: Label): label is ProjectFromKey =>
  PROJECT_FROM_KEY.includes(label as ProjectFromKey)

const derivedOfTurn = {
  outcome: true,
  deniedFiles: true,
  verificationCount: true,
  verifiedCount: true,
  rejectedCount: true,
  promiseCount: true,
  issueCount: true,
  gateCount: true,
} as const

/** Properties that follow from the record of a turn (src/rules/derive-turn.ts). Exports do not contain them; a restore computes them. */
export const DERIVED_FROM_RECORD = {
  Turn: derivedOfTurn,
  SupersededTurn: derivedOfTurn,
  Verification: { substantiated: true, observedOn: true },
  Issue: { signature: true },
} as const satisfies { [L in Label]?: object }

type DerivedFromRecord<L> = L extends keyof typeof DERIVED_FROM_RECORD
  ? keyof (typeof DERIVED_FROM_RECORD)[L]
  : never

/** Returns the properties of a node that an export leaves out because they follow from others. */
export const listNotExported = (label: Label): string[] => [
  ...(hasProjectFromKey(label) ? ['project'] : []),
  ...Object.keys((DERIVED_FROM_RECORD as { [L in Label]?: object })[label] ?? {}),
]

/** Properties of a node that an export contains. */
export type Exported<L extends Label> = Omit<
  Stored<L>,
  DerivedFromRecord<L> | (L extends ProjectFromKey ? 'project' : never)
>
