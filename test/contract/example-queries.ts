import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { aTurn, clientOf, FEATURE, PROJECT, TASK } from '../support/records.ts'
import { bytesOf, send, sessionOf, turn } from '../support/transcript-import.ts'
import { instant } from '../support/written-transcript.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const DOCUMENT = fileURLToPath(new URL('../../docs/how-to/analyst.md', import.meta.url))

/** The queries of the document by their number. */
const queries = new Map(
  [...readFileSync(DOCUMENT, 'utf8').matchAll(/^(\d+)\. [^\n]+\n\n```cypher\n(.*?)^```$/gms)].map(
    ([, number, text = '']) => [Number(number), text],
  ),
)

const LID = 'The lid closes without a sound'
const HINGE = 'The hinge holds for ten years'
const QUIET = 'Nobody hears the lid from the next room'
const CHEAP = 'It is cheap to make'
const judged = (lid: string, hinge: string) => [
  { criterionId: 'AC-1', criterionText: LID, status: lid },
  { criterionId: 'AC-2', criterionText: HINGE, status: hinge },
]
const blocking = { severity: 'blocking', category: 'noise', description: 'It clicks' }
const minor = { severity: 'minor', description: 'A name could be clearer' }

/** The rows of each example query for the small project below, equal on every engine. */
const ANSWERS: Record<number, unknown[][]> = {
  1: [
    [FEATURE, TASK, TASK, 3],
    [FEATURE, 'TASK-2', 'TASK-2', 1],
  ],
  2: [
    [TASK, HINGE, 'verified'],
    [TASK, LID, 'verified'],
  ],
  3: [
    [TASK, 1, 'blocking', 'It clicks'],
    [TASK, 2, 'blocking', 'It clicks'],
    [TASK, 2, 'should_fix', 'A name could be clearer'],
  ],
  4: [
    [HINGE, TASK, 1, 'rejected', 'coach'],
    [HINGE, TASK, 2, 'rejected', 'coach'],
    [HINGE, TASK, 3, 'verified', 'coach'],
    [LID, TASK, 1, 'verified', 'coach'],
    [LID, TASK, 2, 'rejected', 'coach'],
    [LID, TASK, 3, 'verified', 'coach'],
  ],
  5: [[TASK, TASK, LID, 1, 2]],
  6: [[FEATURE, 1, 3, 3]],
  7: [
    [1, 'feedback', 2],
    [2, 'feedback', 1],
    [3, 'approved', 1],
  ],
  8: [
    ['noise', 2],
    ['none', 1],
  ],
  9: [['TASK-2', 'TASK-2', 1, 1]],
  10: [
    ['src/lid.ts', 3],
    ['src/hinge.ts', 1],
  ],
  11: [
    ['tests_passed', 3, 2],
    ['coverage_met', 1, 0],
  ],
  12: [[TASK, 2, 1]],
  13: [['TASK-2', 1, 2]],
  14: [[TASK, 3, 90]],
  15: [
    [TASK, 1, 'feedback', 2],
    [TASK, 2, 'feedback', 3],
    [TASK, 3, 'approved', null],
  ],
  16: [['completed', 1, 1, 0]],
  17: [
    ['Grep', 6, 2],
    ['Edit', 3, 3],
    ['Read', 1, 1],
  ],
  18: [['Edit', 2]],
  19: [
    ['Grep', 6, 0],
    ['Edit', 3, 2],
    ['Read', 1, 0],
  ],
  20: [['Grep{2+} → Edit', 2, 4]],
  21: [
    ['AC-001', LID, 'code'],
    ['AC-002', `${HINGE} and more`, 'code'],
    ['AC-003', CHEAP, 'manual'],
  ],
  22: [
    [1, 'tasks/TASK-1.md', 2, 0],
    [2, 'tasks/TASK-1.md', 3, 1],
  ],
  23: [[FEATURE, TASK, 2, QUIET]],
  24: [[FEATURE, TASK, 'AC-003', CHEAP]],
}

export function exampleQueriesContract(store: StoreUnderTest): void {
  describe('the queries of docs/how-to/analyst.md', () => {
    const handles = useGraph(store)

    const fill = async () => {
      const client = clientOf(handles.graph)
      const turns = [
        {
          verifications: judged('verified', 'rejected'),
          promises: [{ criterionId: 'AC-1', criterionText: LID, status: 'complete' as const }],
          issues: [blocking],
          gates: { tests_passed: 'failed' as const },
        },
        {
          verifications: judged('rejected', 'rejected'),
          promises: [{ criterionId: 'AC-2', criterionText: HINGE, status: 'complete' as const }],
          issues: [blocking, minor],
          gates: { tests_passed: 'failed' as const },
        },
        {
          verifications: judged('verified', 'verified'),
          coachDecision: 'approved',
          gates: { tests_passed: 'passed' as const, coverage_met: 'passed' as const },
        },
      ]
      for (const [index, more] of turns.entries()) {
        const number = index + 1
        const [from, session] = [number * 10, sessionOf(number)]
        await client.captureTurnState(
          aTurn(number, {
            ...more,
            startedAt: instant(from),
            completedAt: instant(from + 9),
            durationSeconds: 30 * number,
            filesModified: number === 3 ? ['src/lid.ts', 'src/hinge.ts'] : ['src/lid.ts'],
            transcriptSessionIds: [session],
          }),
        )
        const tools = number === 1 ? ['Read', 'Edit'] : ['Grep', 'Grep', 'Grep', 'Edit']
        const errors = number === 1 ? {} : { 3: 'File /src/lid.ts does not match' }
        await send(client, session, bytesOf(turn(`t${number}`, tools, { from, errors })))
      }
      const other = { taskId: 'TASK-2', issues: [{ severity: 'blocking', description: 'It is loud' }] }
      await client.captureTurnState(aTurn(1, { ...other, playerSummary: 'First' }))
      await client.captureTurnState(aTurn(1, { ...other, onConflict: 'supersede' }))
      const declare = (...criteria: { text: string; kind?: 'manual' }[]) =>
        client.declareCriteria({
          featureId: FEATURE,
          taskId: TASK,
          criteria,
          source: { path: 'tasks/TASK-1.md' },
        })
      await declare({ text: HINGE }, { text: QUIET })
      await declare({ text: LID }, { text: `${HINGE} and more` }, { text: CHEAP, kind: 'manual' })
      const scope = { project: 'runs', featureId: 'FEAT-9', taskId: 'TASK-9', worldSlug: 'trial' }
      await client.createWorld({ ...scope, executor: 'simulated' })
      const run = { project: 'runs', worldSlug: 'trial' }
      const { turnRunId } = await client.runTurn({ ...run, turnCount: 1, maxAttempts: 2 })
      await vi.waitFor(async () => {
        const { status } = await client.getTurnRunStatus({ ...run, turnRunId: String(turnRunId) })
        expect(status).toBe('completed')
      }, 10_000)
      return client
    }

    test('each query returns the expected rows', async () => {
      const client = await fill()
      const params = { project: PROJECT, feature: FEATURE, task: TASK, world: TASK }
      const answers: Record<number, unknown> = {}
      for (const [number, query] of queries) {
        const used = Object.entries(params).filter(([name]) => query.includes(`$${name}`))
        const answer = await client.queryGraph({ query, params: Object.fromEntries(used) })
        expect(answer.warnings, query).toEqual([])
        expect(answer.rows, query).not.toEqual([])
        answers[number] = answer.rows
      }
      expect(answers).toEqual(ANSWERS)
      await client.close()
    })
  })
}
