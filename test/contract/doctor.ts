import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toCursor } from '../../src/core/cursor.ts'
import { loadMigrations } from '../../src/graph/migrations.ts'
import type { Graph } from '../../src/graph/port.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import type { Finding } from '../../src/maintenance/doctor/finding.ts'
import { CHECKS, type Check } from '../../src/maintenance/doctor/findings-table.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { type Counts, countsOf, dumpOf } from '../support/graph-dump.ts'
import { fillHealthy, judgedTurn, runThroughOperations } from '../support/healthy-graph.ts'
import { aContext, clientOf, PROJECT } from '../support/records.ts'
import { rolledBack } from '../support/rolled-back.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Returns all findings of the doctor, from all its pages. */
export async function findingsOf(
  graph: Graph,
  project: string | null = null,
  { repair = false } = {},
): Promise<Finding[]> {
  const client = clientOf(graph)
  const all: Finding[] = []
  for (let cursor: string | null = null, asked = 0; cursor !== null || asked === 0; asked++) {
    const answer: Awaited<ReturnType<typeof client.examine>> =
      project === null
        ? await client.examineGraph({ cursor, repair })
        : await client.examine({ project, cursor, repair })
    all.push(...answer.findings)
    cursor = answer.nextCursor
  }
  return all
}

type Fault = [what: string, check: Check, ...cyphers: string[]]

/** Faults with the statements that plant them, without the checks of the operations. */
const FAULTS: Fault[] = [
  [
    'a turn that is gone from the middle of the chain',
    'turn_chain',
    "MATCH (a:Turn {key: 'shop/main/2'})-[r:NEXT]->() DELETE r",
  ],
  [
    'an agent that no turn names',
    'unattached',
    "CREATE (:Agent {key: 'shop/lost/', project: 'shop', name: 'lost'})",
  ],
  ['a file that no turn touched', 'unattached', "CREATE (:File {key: 'shop/lost', path: 'lost'})"],
  [
    'an extra NEXT past a turn',
    'turn_chain',
    "MATCH (a:Turn {key: 'shop/main/1'}), (b:Turn {key: 'shop/main/4'}) CREATE (a)-[:NEXT]->(b)",
  ],
  [
    'a NEXT into another world',
    'turn_chain',
    "MATCH (a:Turn {key: 'shop/main/7'}), (b:Turn {key: 'shop/worded/1'}) CREATE (a)-[:NEXT]->(b)",
  ],
  [
    'a turn that another world has, too',
    'turn_chain',
    "MATCH (w:World {key: 'shop/worded'}), (t:Turn {key: 'shop/main/4'}) CREATE (w)-[:HAS_TURN]->(t)",
  ],
  ...[3, 4, 7].map(
    (number): Fault => [
      `turn ${number}, which another world has instead`,
      'turn_chain',
      `MATCH (w:World {key: 'shop/worded'}), (:World {key: 'shop/main'})-[r:HAS_TURN]->(t:Turn {key: 'shop/main/${number}'}) DELETE r CREATE (w)-[:HAS_TURN]->(t)`,
    ],
  ),
  [
    'the only turn of a world, which another world has instead',
    'turn_chain',
    "MATCH (w:World {key: 'shop/main'}), (:World {key: 'shop/worded'})-[r:HAS_TURN]->(t:Turn) DELETE r CREATE (w)-[:HAS_TURN]->(t)",
  ],
  [
    'a turn of revision 1 that replaces a record',
    'record_chain',
    "MATCH (t:Turn {key: 'shop/main/2'}) SET t.revision = 1",
  ],
  [
    'a turn whose revision is too high',
    'record_chain',
    "MATCH (t:Turn {key: 'shop/main/2'}) SET t.revision = 5",
  ],
  [
    'a replaced record without a SUPERSEDES to it',
    'record_chain',
    "MATCH (:Turn {key: 'shop/main/2'})-[r:SUPERSEDES]->() DELETE r",
  ],
  [
    'a replaced record whose revision is not that of its key',
    'key_wrong',
    "MATCH (s:SupersededTurn {key: 'shop/main/2~1'}) SET s.revision = 2",
  ],
  [
    'a turn that its world has twice',
    'turn_chain',
    "MATCH (w:World {key: 'shop/main'}), (t:Turn {key: 'shop/main/4'}) CREATE (w)-[:HAS_TURN]->(t)",
  ],
  [
    'a verification that is gone',
    'turn_parts',
    "MATCH (:Turn {key: 'shop/main/3'})-[:RECORDED]->(v:Verification {position: 2}) DETACH DELETE v",
  ],
  [
    'an issue that is gone',
    'turn_parts',
    "MATCH (:Turn {key: 'shop/main/3'})-[:RAISED]->(i:Issue) DETACH DELETE i",
  ],
  [
    'a gate that is there twice',
    'turn_parts',
    "MATCH (t:Turn {key: 'shop/main/3'}) CREATE (t)-[:PASSED_THROUGH]->(:Gate {name: 'tests', status: 'passed', position: 0, project: 'shop'})",
  ],
  [
    'two verifications at one place',
    'turn_parts',
    "MATCH (:Turn {key: 'shop/main/3'})-[:RECORDED]->(v:Verification {position: 2}) SET v.position = 1",
  ],
  [
    'a gate of a superseded record that is gone',
    'turn_parts',
    "MATCH (:SupersededTurn {key: 'shop/main/2~1'})-[:PASSED_THROUGH]->(g:Gate {position: 1}) DETACH DELETE g",
  ],
  [
    'a verification without its criterion',
    'part_criterion',
    "MATCH (:Turn {key: 'shop/main/3'})-[:RECORDED]->(:Verification {position: 2})-[r:OF]->() DELETE r",
  ],
  [
    'a promise of another task',
    'part_criterion',
    "MATCH (:Turn {key: 'shop/main/3'})-[:PROMISED]->(p:Promise)-[r:TO_MEET]->() DELETE r WITH p MATCH (:Task {key: 'shop/FEAT-1/TASK-3'})-[:HAS_CRITERION]->(c:Criterion) WITH p, c LIMIT 1 CREATE (p)-[:TO_MEET]->(c)",
  ],
  ['a turn count', 'world_counters', "MATCH (w:World {key: 'shop/main'}) SET w.turnCount = 4"],
  [
    'a newest turn that is none',
    'world_counters',
    "MATCH (w:World {key: 'shop/main'}) SET w.currentTurn = 9",
  ],
  ['a missing state', 'world_progress', "MATCH (w:World {key: 'shop/main'}) SET w.state = null"],
  [
    'a state with another verdict',
    'world_progress',
    "MATCH (w:World {key: 'shop/main'}) SET w.state = replace(w.state, '\"v\"', '\"r\"')",
  ],
  ['a wrong newest judged turn', 'world_counters', "MATCH (w:World {key: 'shop/main'}) SET w.judgedTurn = 1"],
  [
    'a wrong turn of the first verification',
    'world_progress',
    "MATCH (:World {key: 'shop/main'})-[r:PROGRESS]->(c:Criterion) WHERE r.state = 'verified' WITH r LIMIT 1 SET r.verifiedInTurn = 99",
  ],
  [
    'a count of contested criteria',
    'world_counters',
    "MATCH (w:World {key: 'shop/main'}) SET w.contestedCount = w.contestedCount + 1",
  ],
  [
    'a number of rejections',
    'world_progress',
    "MATCH (:World {key: 'shop/main'})-[r:PROGRESS]->(c:Criterion) WITH r LIMIT 1 SET r.rejections = r.rejections + 1",
  ],
  [
    'a count of what a turn verified',
    'turn_outcome',
    "MATCH (t:Turn {key: 'shop/main/7'}) SET t.verifiedCount = t.verifiedCount + 1",
  ],
  [
    'a number of attempts',
    'world_counters',
    "MATCH (w:World {key: 'shop/main'}) SET w.attemptCount = 0 WITH w MATCH (w)-[:HAS_TURN]->(:Turn {number: 7}) SET w.lastCompletedAt = datetime('2020-01-01T00:00:00Z')",
  ],
  [
    'an outcome of a turn',
    'turn_outcome',
    'MATCH (t:Turn {key: \'shop/main/3\'}) SET t.outcome = \'[3,"approved","x",0,[]]\'',
  ],
  [
    'a file that no issue denies',
    'turn_outcome',
    "MATCH (t:Turn {key: 'shop/main/3'}) SET t.deniedFiles = ['src/a.ts']",
  ],
  [
    'a criterion that stands as nobody said',
    'world_progress',
    "MATCH (:World {key: 'shop/main'})-[r:PROGRESS]->(c:Criterion) WHERE r.state = 'verified' WITH r LIMIT 1 SET r.state = 'rejected'",
  ],
  [
    'a standing that is gone',
    'world_progress',
    "MATCH (:World {key: 'shop/main'})-[r:PROGRESS]->(c:Criterion) WITH r LIMIT 1 DELETE r",
  ],
  [
    'a verification that was changed',
    'world_progress',
    "MATCH (:Turn {key: 'shop/main/7'})-[:RECORDED]->(v:Verification {position: 2}) SET v.status = CASE v.status WHEN 'pending' THEN 'unknown' ELSE 'pending' END WITH v MATCH (t:Turn {key: 'shop/main/7'}) SET t.verifiedCount = t.verifiedCount - 1",
  ],
  [
    'two active runs',
    'world_active',
    "MATCH (:World {key: 'shop/ran'})-[:HAS_RUN]->(r:TurnRun) WHERE r.activeWorldKey IS NULL SET r.activeWorldKey = 'shop/ran '",
  ],
  [
    'an active attempt that the world does not name',
    'world_active',
    "MATCH (w:World {key: 'shop/ran'}) SET w.activeAttemptId = null",
  ],
  [
    'an active attempt without a lease',
    'record_invalid',
    "MATCH (a:Attempt {status: 'running'}) SET a.leaseUntil = null",
  ],
  [
    'a run that ended at no time',
    'run_rules',
    "MATCH (r:TurnRun {status: 'completed'}) SET r.endedAt = null",
  ],
  [
    'a run that counts more than it attempted',
    'run_rules',
    "MATCH (r:TurnRun {status: 'completed'}) SET r.failedAttemptCount = 2",
  ],
  [
    'a run that was asked for no turns',
    'run_rules',
    "MATCH (r:TurnRun {status: 'completed'}) SET r.requestedTurnCount = 0",
  ],
  [
    'an attempt that failed for no reason',
    'run_rules',
    "MATCH (a:Attempt {status: 'failed'}) SET a.failureReason = null",
  ],
  [
    'a run that counts other attempts than its own',
    'run_counters',
    "MATCH (r:TurnRun {status: 'completed'}) SET r.failedAttemptCount = 0, r.committedTurnCount = 3",
  ],
  [
    'an attempt that has lost its run',
    'run_counters',
    "MATCH (:TurnRun {status: 'completed'})-[r:HAS_ATTEMPT]->(a:Attempt {status: 'failed'}) DELETE r WITH a MATCH (r:TurnRun {status: 'completed'}) SET r.attemptCount = 2, r.failedAttemptCount = 0",
  ],
  [
    'two attempts of one number',
    'run_counters',
    "MATCH (a:Attempt {worldSeqKey: 'shop/ran/2'}) SET a.number = 1",
  ],
  [
    'a run with the slug of another world',
    'key_wrong',
    "MATCH (r:TurnRun {status: 'completed'}) SET r.worldSlug = 'main'",
  ],
  [
    'an attempt with the slug of another world',
    'key_wrong',
    "MATCH (a:Attempt {worldSeqKey: 'shop/ran/2'}) SET a.worldSlug = 'main'",
  ],
  [
    'a committed attempt without its turn',
    'attempt_turn',
    "MATCH (:Attempt)-[r:PRODUCED]->(:Turn {key: 'shop/ran/3'}) DELETE r",
  ],
  [
    'a committed attempt with another record',
    'attempt_turn',
    "MATCH (a:Attempt)-[:PRODUCED]->(:Turn {key: 'shop/ran/3'}) SET a.digest = 'x'",
  ],
  [
    'a criterion that is merged into nothing',
    'criterion_merge',
    "MATCH (:Task {key: 'shop/FEAT-1/TASK-1'})-[:HAS_CRITERION]->(c:Criterion) WITH c ORDER BY c.key DESC LIMIT 1 SET c.mergedInto = 'shop/FEAT-1/TASK-1/text:0'",
  ],
  [
    'two criteria that are merged into each other',
    'criterion_merge',
    "MATCH (:Task {key: 'shop/FEAT-1/TASK-3'})-[:HAS_CRITERION]->(c:Criterion) WHERE c.mergedInto IS NOT NULL WITH c, c.mergedInto AS key MATCH (d:Criterion {key: key}) SET d.mergedInto = c.key",
  ],
  [
    'a criterion that nothing speaks of',
    'criterion_unnamed',
    `MATCH (t:Task {key: 'shop/FEAT-1/TASK-1'}) CREATE (t)-[:HAS_CRITERION]->(c:Criterion {key: 'shop/FEAT-1/TASK-1/text:${'0'.repeat(64)}'}) SET c.project = 'shop', c.texts = [], c.textSources = [], c.labels = [], c.labelSources = []`,
  ],
  [
    'a number of declared criteria',
    'specification',
    'MATCH (s:Specification) WHERE s.version = 1 SET s.criteriaCount = s.criteriaCount + 1',
  ],
  [
    'a declared criterion that is listed no more',
    'specification',
    'MATCH (s:Specification)-[l:LISTS {position: 0}]->(:Criterion) WHERE s.version = 1 DELETE l',
  ],
  ['a version that is gone', 'specification', 'MATCH (s:Specification) WHERE s.version = 1 DETACH DELETE s'],
  [
    'a world that does not know of a version',
    'specification',
    "MATCH (w:World {key: 'shop/declared'}) SET w.specifiedAfter = [0]",
  ],
  [
    'a task under the key of another',
    'key_wrong',
    "MATCH (t:Task {key: 'shop/FEAT-1/TASK-3'}) SET t.id = 'TASK-4'",
  ],
  [
    'a feature that another project has, too',
    'key_wrong',
    "MATCH (p:Project {key: 'other%2Fproject'}), (f:Feature {key: 'shop/FEAT-1'}) CREATE (p)-[:HAS_FEATURE]->(f)",
  ],
  [
    'a task that a feature of another project has, too',
    'key_wrong',
    "MATCH (f:Feature {key: 'other%2Fproject/FEAT-1'}), (t:Task {key: 'shop/FEAT-1/TASK-3'}) CREATE (f)-[:HAS_TASK]->(t)",
  ],
  [
    'a world that another task has, too',
    'key_wrong',
    "MATCH (t:Task {key: 'shop/FEAT-1/TASK-3'}), (w:World {key: 'shop/main'}) CREATE (t)-[:HAS_WORLD]->(w)",
  ],
  [
    'a desire below the key of a project that is not there',
    'key_wrong',
    "MATCH (d:Desire) WHERE d.project = 'shop' SET d.key = 'ghost/' + substring(d.key, 5)",
  ],
  [
    'a turn that says another number',
    'key_wrong',
    "MATCH (t:Turn {key: 'shop/main/3'}) SET t.number = 5, t.outcome = '[5' + substring(t.outcome, 2)",
  ],
  ['a turn without a project', 'project_wrong', "MATCH (t:Turn {key: 'shop/main/3'}) SET t.project = null"],
  [
    'parts of another project',
    'project_wrong',
    "MATCH (:Turn {key: 'shop/main/3'})-[:RECORDED|PROMISED|RAISED|PASSED_THROUGH]->(x) SET x.project = 'another'",
  ],
  [
    'parts of a superseded record without a project',
    'project_wrong',
    "MATCH (:SupersededTurn {key: 'shop/main/2~1'})-[:RECORDED]->(x:Verification) SET x.project = null",
  ],
  ...['Feature', 'Task', 'Specification', 'Criterion', 'File', 'SupersededTurn'].map(
    (label): Fault => [
      `a ${label} of another project`,
      'project_wrong',
      `MATCH (x:${label}) WHERE x.key STARTS WITH 'shop/' WITH x ORDER BY x.key LIMIT 1 SET x.project = 'another'`,
    ],
  ),
  [
    'a property that nobody stores',
    'record_invalid',
    "MATCH (t:Turn {key: 'shop/main/3'}) SET t.mood = 'fine'",
  ],
  [
    'an optional time that is not an instant',
    'record_invalid',
    "MATCH (t:Turn {key: 'shop/main/3'}) SET t.startedAt = datetime('+10000-01-01T13:59:00Z')",
  ],
  [
    'a decision that is none',
    'record_invalid',
    "MATCH (t:Turn {key: 'shop/main/3'}) SET t.coachDecision = 'perhaps'",
  ],
  [
    'a verification without a status',
    'record_invalid',
    "MATCH (:Turn {key: 'shop/main/3'})-[:RECORDED]->(v:Verification {position: 2}) SET v.status = null",
  ],
  [
    'an issue whose signature is not that of its words',
    'record_invalid',
    "MATCH (:Turn {key: 'shop/main/3'})-[:RAISED]->(i:Issue {position: 0}) SET i.signature = 'another'",
  ],
  [
    'a verification with the wrong value of substantiated',
    'record_invalid',
    "MATCH (:Turn {key: 'shop/main/3'})-[:RECORDED]->(v:Verification {position: 2}) SET v.substantiated = NOT v.substantiated",
  ],
  [
    'a verification of no turn',
    'unattached',
    "CREATE (v:Verification {criterionId: 'AC-1', status: 'verified', source: 'coach', form: 'entry', position: 0, substantiated: false})",
  ],
  [
    'a turn of no world',
    'unattached',
    "MATCH (t:Turn {key: 'other%2Fproject/TASK-1/1'})<-[r:HAS_TURN]-(w:World) DELETE r WITH w SET w.lastGainTurn = null, w.turnCount = 0, w.currentTurn = 0, w.state = null, w.promisedTurn = null, w.judgedTurn = null, w.turnsSinceApproval = null, w.lastCompletedAt = null, w.lastActivityAt = w.createdAt WITH w MATCH (w)-[r:PROGRESS]->() DELETE r",
  ],
  [
    'a failed call without a turn',
    'unattached',
    "CREATE (f:FailedCall {id: 's', sequence: 0, tool: 'Bash', error: '', failure: '', project: 'shop', sessionId: 'x', begunMs: 0})",
  ],
  [
    'an empty feature',
    'unattached',
    "MATCH (p:Project {key: 'shop'}) CREATE (p)-[:HAS_FEATURE]->(:Feature {key: 'shop/none', id: 'none', project: 'shop'})",
  ],
  [
    'a missing call',
    'transcript_turn',
    "MATCH (t:TranscriptTurn {key: 'shop/c2'}) SET t.statuses = tail(t.statuses)",
  ],
  [
    'a missing failed call',
    'transcript_turn',
    "MATCH (:TranscriptTurn {key: 'shop/c1'})-[:HAS_FAILED_CALL]->(f:FailedCall {sequence: 5}) DETACH DELETE f",
  ],
  ['a number of errors', 'transcript_turn', "MATCH (t:TranscriptTurn {key: 'shop/c1'}) SET t.errors = 0"],
  [
    'a turn that follows another pattern',
    'transcript_turn',
    "MATCH (t:TranscriptTurn {key: 'shop/c4'})-[r:FOLLOWS]->(p:TurnPattern) DELETE r WITH t MATCH (p:TurnPattern {key: t.patternKey}) MATCH (u:TranscriptTurn {key: 'shop/c2'}) CREATE (u)-[:FOLLOWS]->(p)",
  ],
  [
    'a pattern without its first tool',
    'transcript_turn',
    "MATCH (:TranscriptTurn {key: 'shop/c4'})-[:FOLLOWS]->(:TurnPattern)-[r:STARTS_WITH]->() DELETE r",
  ],
  [
    'a subagent of a call that does not exist',
    'transcript_turn',
    "MATCH (t:TranscriptTurn {key: 'shop/c2'})<-[:HAS_TURN]-(s:TranscriptSession) CREATE (t)-[:STARTED {sequence: 99}]->(s)",
  ],
  [
    'a sum of calls on the way to a tool',
    'transcript_turn',
    "MATCH (:TranscriptTurn {key: 'shop/c2'})-[c:CALLED]->(:Tool {name: 'Bash'}) SET c.errors = 1",
  ],
  [
    'a session that no file holds',
    'forget_unfinished',
    "MATCH (f:TranscriptFile) WHERE f.project = 'transcripts alone' DETACH DELETE f",
  ],
  [
    'a world that is half forgotten',
    'forget_unfinished',
    "MATCH (w:World {key: 'shop/worded'}) SET w.forgottenAt = datetime('2026-01-01T00:00:00Z')",
  ],
  [
    'a world that is half restored',
    'restore_unfinished',
    "MATCH (w:World {key: 'shop/worded'}) SET w.restoring = true",
  ],
  [
    'a task that is half restored',
    'restore_unfinished',
    "MATCH (t:Task {key: 'shop/FEAT-1/TASK-1'}) SET t.restoring = true",
  ],
]

/** Checks whose missing data cannot be derived from the rest of the graph. */
const NOT_DERIVABLE: readonly Check[] = [
  'turn_parts',
  'part_criterion',
  'criterion_unnamed',
  'unattached',
  'run_rules',
  'attempt_turn',
  'criterion_merge',
  'forget_unfinished',
  'restore_unfinished',
]
const NEITHER_DERIVABLE = new Set([
  'a declared criterion that is listed no more',
  'a version that is gone',
  'a world that does not know of a version',
  'a task under the key of another',
  'a feature that another project has, too',
  'a task that a feature of another project has, too',
  'a world that another task has, too',
  'a turn whose revision is too high', // the lost record may still exist elsewhere
  'a desire below the key of a project that is not there',
  'a decision that is none',
  'an active attempt without a lease',
  'a run with the slug of another world',
  'an attempt with the slug of another world',
  'two attempts of one number', // the value that would fit belongs to the other one
  'a verification without a status',
  'a missing call',
  'a missing failed call',
  'a subagent of a call that does not exist',
])
const isLeft = ([what, check]: Fault) => NOT_DERIVABLE.includes(check) || NEITHER_DERIVABLE.has(what)
const LEFT = FAULTS.filter(isLeft)
const REPAIRABLE = FAULTS.filter((fault) => !isLeft(fault))

/** Further checks that have findings only after the repair of a fault. They are repaired, too. */
const REVEALED: Readonly<Record<string, Check>> = {
  'two criteria that are merged into each other': 'world_progress',
  'a turn that says another number': 'turn_outcome',
}

/** Faults that leave a node without its parent. */
const STRAYS = new Set(['a verification of no turn', 'a turn of no world', 'a failed call without a turn'])

const SAID = ['Turn', 'SupersededTurn', 'Verification', 'Promise', 'Issue', 'Gate', 'Criterion', 'Attempt']
const saidIn = (counts: Counts) => SAID.map((label) => [label, counts[label]])

/** Faults of the schema, and their repair: an engine may keep its schema for the next test. */
const SCHEMA_FAULTS: [what: string, check: Check, fault: string, repair: string][] = [
  [
    'a migration that leads to itself',
    'migration_chain',
    "MATCH (a:SchemaMigration {version: '001'}) CREATE (a)-[:MIGRATED_TO]->(a)",
    "MATCH (a:SchemaMigration {version: '001'})-[r:MIGRATED_TO]->() DELETE r",
  ],
  [
    'a migration whose file was changed',
    'migration_changed',
    "MATCH (a:SchemaMigration {version: '001'}) SET a.checksum = 'x' + a.checksum",
    "MATCH (a:SchemaMigration {version: '001'}) SET a.checksum = substring(a.checksum, 1)",
  ],
]

/** Checks whose findings are looked up or repaired by one statement for each label. */
const BY_LABEL: readonly Check[] = ['unattached', 'project_wrong']
/** Faults whose repair runs a statement that the repair of the first fault of their check does not run. */
const OWN_REPAIR = new Set([
  'an issue whose signature is not that of its words',
  'a verification with the wrong value of substantiated',
  'a turn that another world has, too',
  'a replaced record without a SUPERSEDES to it',
  'an attempt that has lost its run',
  'a pattern without its first tool',
])
/** Faults without a repair, whose search runs a statement that the search of no repaired fault runs. */
const OWN_SEARCH = new Set(['two attempts of one number', 'faults of each label'])
/** Splits faults: the first ones run all statements of the doctor, and the others only differ in rules in TypeScript. */
function splitFaults(faults: readonly Fault[]): { ofEach: Fault[]; others: Fault[] } {
  const isOfEach = ([what, check]: Fault, i: number) =>
    !BY_LABEL.includes(check) && (OWN_REPAIR.has(what) || faults.findIndex(([, of]) => of === check) === i)
  const byLabel = BY_LABEL.map((check): Fault => {
    const cyphers = faults.filter(([, of]) => of === check).flatMap(([, , ...each]) => each)
    return ['faults of each label', check, ...cyphers]
  })
  return {
    ofEach: [...faults.filter(isOfEach), ...byLabel.filter(([, , cypher]) => cypher !== undefined)],
    others: faults.filter((fault, i) => !isOfEach(fault, i)),
  }
}
const REPAIRED_SPLIT = splitFaults(REPAIRABLE)
const LEFT_SPLIT = {
  ofEach: splitFaults(LEFT).ofEach.filter(([what]) => OWN_SEARCH.has(what)),
  others: LEFT.filter(([what]) => !OWN_SEARCH.has(what)),
}

/** Checks the other faults, and their remedies, on one engine: other suites run their statements on every engine. */
export function doctorRulesContract(store: StoreUnderTest): void {
  describeFaults(store, { repairable: REPAIRED_SPLIT.others, left: LEFT_SPLIT.others })

  describe('the doctor, and the remedy of a fault', () => {
    const handles = useGraph(store)

    test.each(
      FAULTS.filter(([, check, cypher]) => check === 'turn_parts' && cypher?.includes('shop/main/3')),
    )(
      'a turn with %s (%s) is repaired by capturing it again, as its remedy says',
      async (what, _check, ...cyphers) => {
        const { graph } = handles
        await fillHealthy(graph)
        const client = clientOf(graph)
        const stored = await client.getTurn({ project: PROJECT, worldSlug: 'main', turnNumber: 3 })
        // The same record is only captured again if parts of it are missing.
        const same = what.includes('at one place') ? [] : [{}]
        for (const changed of [...same, { playerSummary: 'Attempted again' }]) {
          await plant(graph, ...cyphers)
          const again = { ...stored, ...changed, onConflict: 'supersede' as const }
          await expect(client.captureTurnState(again)).resolves.toMatchObject({ superseded: true })
          const { status } = await client.loadTurnContinuationContext(aContext(8, { worldSlug: 'main' }))
          expect(status).toBe('ok')
          const found = await findingsOf(graph)
          expect(found.filter(({ label }) => label !== 'SupersededTurn')).toEqual([])
        }
      },
    )

    test.each(FAULTS.filter(([what]) => STRAYS.has(what)))(
      'an export does not contain %s (%s), as its remedy says',
      async (_what, check, ...cyphers) => {
        await fillHealthy(handles.graph)
        await plant(handles.graph, ...cyphers)
        expect((await findingsOf(handles.graph)).map((each) => each.check)).toContain(check)
        const lines = await exportOf(handles.graph)
        const other = await handles.open(store.open)
        await restoreLines(other, lines)
        expect((await findingsOf(other)).map((each) => each.check)).not.toContain(check)
        await other.close()
      },
    )

    test('an unknown property of a node does not hide faults of the nodes below it', async () => {
      await fillHealthy(handles.graph)
      await plant(handles.graph, "MATCH (w:World {key: 'shop/main'}) SET w.mood = 'fine'")
      await plant(
        handles.graph,
        "MATCH (t:Turn {key: 'shop/main/3'}) SET t.mood = 'fine', t.verifiedCount = 99",
      )
      await plant(
        handles.graph,
        "MATCH (r:TurnRun {status: 'completed'}) SET r.mood = 'fine', r.endedAt = null",
      )
      const found = (await findingsOf(handles.graph)).map(({ check, key }) => `${check} ${key}`)
      expect(found).toContain('record_invalid shop/main')
      expect(found).toContain('turn_outcome shop/main/3')
      expect(found.filter((each) => each.startsWith('run_rules'))).toHaveLength(1)
      expect(new Set(found).size).toBe(found.length)
    })

    test('an invalid value of a node does not hide faults of the nodes below it', async () => {
      await fillHealthy(handles.graph)
      await plant(handles.graph, "MATCH (w:World {key: 'shop/main'}) SET w.executor = 7")
      await plant(handles.graph, "MATCH (t:Turn {key: 'shop/main/3'}) SET t.verifiedCount = 99")
      await plant(handles.graph, "MATCH (t:Task {key: 'shop/FEAT-1/TASK-3'}) SET t.worldCount = 'x'")
      await plant(
        handles.graph,
        "MATCH (:Task {key: 'shop/FEAT-1/TASK-3'})-[:HAS_CRITERION]->(c:Criterion) WITH c LIMIT 1 SET c.mood = 'fine'",
      )
      const found = (await findingsOf(handles.graph)).map(({ check, label }) => `${check} ${label}`)
      expect(found.sort()).toEqual([
        'record_invalid Criterion',
        'record_invalid Task',
        'record_invalid World',
        'turn_outcome Turn',
      ])
    })
  })
}

// The faults share one graph: filling a new one for each fault would take minutes.
function describeFaults(
  store: StoreUnderTest,
  { repairable, left }: { repairable: readonly Fault[]; left: readonly Fault[] },
): void {
  describe('the doctor, with one fault', () => {
    let graph: Graph | undefined

    beforeAll(async () => {
      graph = await store.open()
      await fillHealthy(graph)
      // Plans all statements first, repairs included: a transaction ends within seconds.
      await plant(graph, ...(REPAIRABLE[0]?.slice(2) ?? []))
      await findingsOf(graph, null, { repair: true })
      expect(await findingsOf(graph)).toEqual([])
    })
    afterAll(async () => {
      if (graph === undefined) return
      expect(await findingsOf(graph)).toEqual([]) // all faults are removed
      await graph.close()
    })

    const expectOnly = (findings: readonly Finding[], checks: readonly Check[], repaired: boolean) => {
      const found = new Set(findings.map((each) => `${each.check} ${each.repaired}`))
      expect(found, JSON.stringify(findings)).toEqual(new Set(checks.map((check) => `${check} ${repaired}`)))
      for (const { check, severity, remedy, found } of findings) {
        const expected = CHECKS[check as Check]
        expect({ severity, remedy }).toEqual({ severity: expected.severity, remedy: expected.remedy })
        expect(found).not.toBe('')
      }
    }

    test.each(repairable)(
      'finds %s: only %s, and repairs it without a loss of records',
      async (what, check, ...cyphers) => {
        const seen = await rolledBack(graph as Graph, async (held) => {
          await plant(held, ...cyphers)
          const before = saidIn(await countsOf(held))
          const found = await findingsOf(held, null, { repair: true })
          const after = saidIn(await countsOf(held))
          return { found, before, after, again: await findingsOf(held) }
        })
        expectOnly(seen.found, [check, ...[REVEALED[what] ?? []].flat()], true)
        expect(seen.found.length).toBeGreaterThanOrEqual(cyphers.length)
        expect(seen).toMatchObject({ again: [], after: seen.before })
      },
    )

    test.each(left)(
      'finds %s: only %s, and reports that it does not repair it',
      async (_what, check, ...cyphers) => {
        const seen = await rolledBack(graph as Graph, async (held) => {
          await plant(held, ...cyphers)
          const before = await dumpOf(held)
          const found = await findingsOf(held, null, { repair: true })
          return { before, after: await dumpOf(held), found }
        })
        expect(seen.after).toEqual(seen.before)
        expectOnly(seen.found, [check], false)
        expect(seen.found.length).toBeGreaterThanOrEqual(cyphers.length)
      },
    )
  })
}

/** The doctor finds nothing in an undamaged graph, and exactly the fault in a damaged one. */
export function doctorContract(store: StoreUnderTest): void {
  describeFaults(store, { repairable: REPAIRED_SPLIT.ofEach, left: LEFT_SPLIT.ofEach })

  describe('the doctor', () => {
    const handles = useGraph(store)

    test('finds nothing in a graph that only Turngraph wrote to, and changes nothing', async () => {
      await fillHealthy(handles.graph)
      const before = await dumpOf(handles.graph)
      expect(await findingsOf(handles.graph)).toEqual([])
      expect(await findingsOf(handles.graph, 'shop')).toEqual([])
      expect(await findingsOf(handles.graph, 'other/project')).toEqual([])
      await expect(findingsOf(handles.graph, 'nowhere')).rejects.toMatchObject({ code: 'not_found' })
      expect(await dumpOf(handles.graph)).toEqual(before)
    })

    test('finds nothing after runs that were started, committed, failed, cancelled and reconciled through the operations', async () => {
      await runThroughOperations(handles.graph)
      const rows = await handles.graph.read(RUN_STATUSES, {})
      expect(rows.map(({ status }) => status)).toEqual(['cancelled', 'completed', 'failed', 'interrupted'])
      expect(await findingsOf(handles.graph)).toEqual([])
    })

    test('parallel repairs repair a graph once, and captures and contexts work afterwards', async () => {
      const { graph } = handles
      await fillHealthy(graph)
      for (const what of [
        'a turn that is gone from the middle of the chain',
        'a standing that is gone',
        'a turn count',
      ])
        await plant(graph, ...(FAULTS.find(([name]) => name === what)?.slice(2) ?? []))
      const found = (await Promise.all([1, 2].map(() => findingsOf(graph, null, { repair: true })))).flat()
      expect(found.every(({ repaired }) => repaired)).toBe(true)
      expect(new Set(found.map(({ check }) => check))).toEqual(
        new Set(['turn_chain', 'world_progress', 'world_counters']),
      )
      expect(await findingsOf(graph)).toEqual([])
      const client = clientOf(graph)
      await client.captureTurnState(judgedTurn(8, { worldSlug: 'main' }))
      const { turns } = await client
        .loadTurnContinuationContext(aContext(9, { worldSlug: 'main' }))
        .then((context) => ({ turns: context.previousTurn }))
      expect(turns).toBe(8)
      expect(await findingsOf(graph)).toEqual([])
    })

    test('rejects a cursor at a kind that is examined together with another one', async () => {
      const position = ['shop', 'Turn', 'shop/main/1']
      const cursor = toCursor(position)
      await expect(clientOf(handles.graph).examineGraph({ cursor })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    })

    test('finds nothing in an empty graph', async () => {
      expect(await findingsOf(handles.graph)).toEqual([])
    })

    test.each(SCHEMA_FAULTS)('finds %s: %s, and that alone', async (_what, check, fault, repair) => {
      await plant(handles.graph, fault)
      const findings = await findingsOf(handles.graph)
      await plant(handles.graph, repair)
      expect(new Set(findings.map((each) => each.check))).toEqual(new Set([check]))
      expect(await findingsOf(handles.graph)).toEqual([])
    })

    // Both are in one test, because Neo4j plans all statements again after each change of the schema.
    test('finds a missing constraint and a missing index, with the commands that create them', async () => {
      const { graph } = handles
      const commands = loadMigrations().flatMap((migration) => migration.commands)
      const [constraint, index] = [' criterion_key ', ' world_leased '].map((name) =>
        commands.find((command) => command.includes(name)),
      )
      await graph.schema(['DROP CONSTRAINT criterion_key', 'DROP INDEX world_leased'])
      const findings = await findingsOf(graph)
      await graph.schema([String(constraint), String(index)])
      expect(findings).toContainEqual(
        expect.objectContaining({ check: 'constraint_missing', key: 'Criterion.key', found: constraint }),
      )
      expect(findings).toContainEqual(
        expect.objectContaining({ check: 'index_missing', key: 'World(leased)', found: index }),
      )
      // Neo4j drops the index of a constraint together with it.
      expect(new Set(findings.map(({ found }) => found))).toEqual(new Set([constraint, index]))
      // A recreated index is populated first.
      await expect.poll(() => findingsOf(graph), { timeout: 20_000 }).toEqual([])
    })
  })

  describe('the doctor of a graph without a schema', () => {
    const handles = useGraph(store, 'openUnmigrated')

    test('repairs nothing before the graph is migrated, because another version may need the properties that this one removes', async () => {
      await expect(findingsOf(handles.graph, null, { repair: true })).rejects.toMatchObject({
        code: 'store_unavailable',
        hint: expect.stringContaining('turngraph migrate'),
      })
    })

    test('reports pending migrations', async () => {
      const findings = await findingsOf(handles.graph)
      expect(findings.filter(({ check }) => check === 'migration_pending').map(({ key }) => key)).toEqual(
        loadMigrations().map(({ version }) => `V${version}`),
      )
      const checks = new Set(findings.map(({ check }) => check))
      expect(checks).toEqual(new Set(['migration_pending', 'constraint_missing', 'index_missing']))
    })
  })
}

const RUN_STATUSES = parseStatement(
  'test/run-statuses',
  'MATCH (r:TurnRun) RETURN DISTINCT r.status AS status ORDER BY status',
)

export async function plant(graph: Graph, ...cyphers: string[]): Promise<void> {
  for (const cypher of cyphers) {
    const rows = { name: 'test/fault', text: `${cypher} RETURN 1 AS one`, params: [] }
    if ((await graph.write([{ statement: rows, params: {} }])) === null)
      throw new Error('the statement of the fault matched no node')
  }
}
