import { describe, expect, test } from 'vitest'
import { aTurn, clientOf, FEATURE, TASK } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const TREE = 'a'.repeat(40)
const task = { featureId: FEATURE, taskId: TASK }
const reportedOn = { startedAt: '2026-11-28T10:00:00Z', tree: TREE }

const JUNIT = `<testsuite name="money">
  <testcase name="rounds half to even"/>
  <testcase name="AC-002 refuses text"><failure message="expected 1"/></testcase>
  <testcase name="AC-003 is fast"><skipped/></testcase>
  <testcase name="other"/>
</testsuite>`

/** Test reports as verifications (contract: evidence.md, "Test reports"). */
export function testReportsContract(store: StoreUnderTest): void {
  describe('test reports', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const declare = () =>
      client().declareCriteria({
        ...task,
        criteria: [
          { text: 'It rounds half to even', tests: ['rounds half to even'] },
          { text: 'It refuses text' },
          { text: 'It is fast' },
          { text: 'It is documented' },
          { text: 'It looks well', kind: 'manual' },
        ],
      })

    test('the tests of a report prove and refute the criteria that they name, and are stored once', async () => {
      await declare()
      await client().captureTurnState(aTurn(1))
      const send = () => client().addVerifications({ ...task, junit: [JUNIT], reportedOn })
      const answer = await send()
      expect(answer).toMatchObject({
        turnNumber: 1,
        added: 2,
        reports: {
          skipped: [{ criterionId: 'AC-003', tests: ['money > AC-003 is fast'] }],
          unmapped: ['AC-004'],
          unused: 1,
        },
      })
      expect(await send()).toMatchObject({ added: 0 })
      const { criteria } = await client().listCriteria({ ...task, tree: TREE })
      expect(criteria.map(({ criterionId, state, seen }) => [criterionId, state, seen])).toEqual([
        ['AC-001', 'verified', 'this_tree'],
        ['AC-002', 'rejected', 'never'],
        ['AC-003', 'pending', 'never'],
        ['AC-004', 'pending', 'never'],
        ['AC-005', 'pending', 'never'],
      ])
      expect(answer.verifications).toMatchObject([
        {
          source: 'command',
          observation: {
            command: null,
            tree: TREE,
            report: { format: 'junit' },
            tests: [{ name: 'money > rounds half to even', status: 'passed' }],
          },
        },
        { status: 'rejected', evidence: expect.stringContaining('money > AC-002 refuses text: expected 1') },
      ])
    })

    test('reports of all formats count together, next to verifications', async () => {
      await declare()
      await client().captureTurnState(aTurn(1))
      const vitestJson = [
        JSON.stringify({ testResults: [{ assertionResults: [{ title: 'AC-3', status: 'passed' }] }] }),
      ]
      const verifications = [
        { criterionId: 'AC-004', status: 'verified' as const, evidence: 'I read the documents' },
      ]
      const tap = ['ok 1 - rounds half to even\n1..1', 'not ok 1 - rounds half to even\n1..1']
      const answer = await client().addVerifications({ ...task, tap, vitestJson, verifications, reportedOn })
      expect(answer.verifications.map(({ criterionId, status }) => [criterionId, status])).toEqual([
        ['AC-004', 'verified'],
        ['AC-001', 'rejected'],
        ['AC-003', 'verified'],
      ])
    })

    test('a broken report, a report without a time and one of a task without a specification are refused', async () => {
      await client().captureTurnState(aTurn(1))
      const tap = ['ok 1 - AC-1\n1..1', 'ok 1']
      const refused = (more: object) =>
        client()
          .addVerifications({ ...task, ...more })
          .catch((error: unknown) => error)
      expect(await refused({ tap, reportedOn })).toMatchObject({ code: 'not_found' })
      await declare()
      expect(await refused({ tap, reportedOn })).toMatchObject({
        code: 'invalid_request',
        details: {
          problems: [{ path: 'tap[1]', message: 'the TAP report has no plan, so tests may be missing' }],
        },
      })
      expect(await refused({ tap })).toMatchObject({ details: { problems: [{ path: 'reported_on' }] } })
      expect(await refused({})).toMatchObject({ details: { problems: [{ path: 'verifications' }] } })
    })
  })
}
