import { expect, test } from 'vitest'
import { criterionKey, sha256, taskKey } from '../core/keys.ts'
import { findObservedProof, type ObservedProof, toStatement } from './in-toto.ts'

const COMMIT = 'd20ace7968ba43c0219f62d71334c1095bab1602'
const TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const DIRTY = `sha256:${'a'.repeat(64)}`

const proof = (observation: Partial<ObservedProof['observation']> = {}): ObservedProof => ({
  project: 'shop',
  featureId: 'FEAT-1',
  taskId: 'TASK-1',
  worldSlug: 'w',
  turnNumber: 2,
  criterionId: 'AC-001',
  text: 'It rounds half to even',
  status: 'verified',
  observation: {
    command: ['npm', 'test'],
    exitCode: 0,
    signal: null,
    startedAt: '2026-11-28T10:00:00Z',
    durationMs: 8213,
    outputDigest: null,
    tree: TREE,
    dirty: null,
    commit: COMMIT,
    tests: [],
    runner: 'turngraph 0.2.0',
    report: null,
    ...observation,
  },
})

test('a command that passed on a commit is a statement about the commit and its tree', () => {
  expect(toStatement(proof())).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { gitCommit: COMMIT } }, { digest: { gitTree: TREE } }],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: 'PASSED',
      configuration: [
        {
          name: 'AC-001',
          digest: { sha256: sha256('It rounds half to even') },
          annotations: {
            project: 'shop',
            featureId: 'FEAT-1',
            taskId: 'TASK-1',
            worldSlug: 'w',
            turnNumber: 2,
            text: 'It rounds half to even',
          },
        },
        {
          name: 'command',
          digest: { sha256: sha256('["npm","test"]') },
          annotations: {
            command: ['npm', 'test'],
            exitCode: 0,
            startedAt: '2026-11-28T10:00:00Z',
            durationMs: 8213,
            runner: 'turngraph 0.2.0',
          },
        },
      ],
      passedTests: ['AC-001'],
      warnedTests: [],
      failedTests: [],
    },
  })
})

test('uncommitted changes are no statement about the commit or the tree', () => {
  expect(toStatement(proof({ dirty: DIRTY }))?.subject).toEqual([
    { name: `${TREE} with changes`, digest: { turngraphTree: sha256(`${TREE} ${'a'.repeat(64)}`) } },
  ])
})

test('a report names its tests, and one that failed is FAILED', () => {
  const tests = ['passed', 'failed', 'skipped'].map((status) => ({ name: `a ${status} test`, status }))
  const report = { format: 'junit', digest: DIRTY }
  const statement = toStatement({
    ...proof({ command: null, exitCode: null, report, tests }),
    status: 'rejected',
  })
  expect(statement?.predicate).toMatchObject({
    result: 'FAILED',
    configuration: [{}, { name: 'junit report', digest: { sha256: 'a'.repeat(64) } }],
    passedTests: ['a passed test'],
    failedTests: ['a failed test'],
  })
})

test('an observation without a whole id of git is no statement', () => {
  expect(toStatement(proof({ tree: null, commit: null }))).toBeNull()
  expect(toStatement(proof({ tree: 'abc1234', commit: 'abc1234' }))).toBeNull()
  expect(toStatement(proof({ tree: null, dirty: DIRTY }))).toBeNull()
})

test("the newest observation of a criterion counts, but not a Player's", () => {
  const { observation, project, featureId, taskId, worldSlug } = proof()
  const key = criterionKey(taskKey(project, featureId, taskId), 'text')
  const criterion = { key, criterionId: 'AC-1', text: 'Text' }
  const find = (...history: object[]) =>
    findObservedProof(
      criterion,
      worldSlug,
      history.map((more, i) => ({ turn: i + 1, status: 'verified', source: 'command', ...more })),
    )
  const newest = { status: 'rejected', observation }
  expect(find({ observation }, newest, {}, { source: 'player', observation })).toEqual({
    ...{ project, featureId, taskId, worldSlug, turnNumber: 2 },
    ...{ criterionId: 'AC-1', text: 'Text', status: 'rejected', observation },
  })
  expect(find({}, { status: 'unknown', observation })).toBeNull()
})
