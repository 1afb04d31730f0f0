import { beforeEach, describe, expect, test } from 'vitest'
import { statement } from '../../src/graph/statements.ts'
import { projectKey } from '../../src/keys.ts'
import { aTurn, clientOf, PROJECT } from '../support/records.ts'
import { bytesOf, send, sessionOf, turn } from '../support/transcript-import.ts'
import { instant } from '../support/written-transcript.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const GREPS = ['Grep', 'Grep', 'Edit']
const READS = ['Read', 'Edit']

/** The questions that only the graph can answer: transcripts together with the turns they belong to (issue 6). */
export function analysisContract(store: StoreUnderTest): void {
  describe('named analyses', () => {
    const handles = useGraph(store)
    const ask = (name: string, limit = 10) =>
      handles.graph.read(statement(`analysis/${name}`), {
        project: PROJECT,
        projectKey: projectKey(PROJECT),
        limit,
      })

    // Turn 1 verifies and is approved; turns 2 to 4 take the criterion back, with the same failing edit.
    beforeEach(async () => {
      const client = clientOf(handles.graph)
      for (const number of [1, 2, 3, 4]) {
        const [from, session] = [number * 10, sessionOf(number)]
        await client.captureTurnState(
          aTurn(number, {
            coachDecision: number === 1 ? 'approved' : 'feedback',
            startedAt: instant(from),
            completedAt: instant(from + 9),
            filesModified: [`src/${number}.ts`],
            verifications: [
              {
                criterionId: 'AC-1',
                criterionText: 'The lid closes without a sound',
                status: number === 1 ? 'verified' : 'rejected',
                evidence: `seen in turn ${number}`,
              },
            ],
            transcriptSessionIds: [session],
          }),
        )
        const tools = number === 1 ? READS : GREPS
        const errors = number === 1 ? {} : { 2: `File /src/${number}.ts does not match` }
        const elsewhere = turn(`late ${number}`, ['Write'], { from: from + 500 })
        await send(client, session, bytesOf(turn(`t${number}`, tools, { from, errors }), elsewhere))
      }
    })

    test('tool patterns of rejected against approved turns, of the time of each turn alone', async () => {
      expect(await ask('tool-patterns-by-decision')).toEqual([
        { pattern: 'Grep{2+} → Edit', approved: 0, rejected: 3, avgLength: 3 },
        { pattern: 'Read → Edit', approved: 1, rejected: 0, avgLength: 2 },
      ])
    })

    test('criteria that flipped, and what was edited in between', async () => {
      const [flip, ...others] = await ask('criteria-flips')
      expect(others).toEqual([])
      expect(flip).toMatchObject({
        turn: 2,
        criterion: 'AC-1',
        evidence: 'seen in turn 2',
        filesModified: ['src/2.ts'],
      })
      expect([...((flip?.edits ?? []) as unknown[][])].sort()).toEqual([
        ['Edit', 1],
        ['Write', 1],
      ])
    })

    test('the longest turns before a stall', async () => {
      const found = await ask('longest-turns-before-stall')
      expect(
        found.map(({ turn: number, session, length, errors }) => [number, session, length, errors]),
      ).toEqual([2, 3, 4].map((number) => [number, sessionOf(number), 3, 1]))
      expect(await ask('longest-turns-before-stall', 1)).toHaveLength(1)
      // A criterion that is verified for the first time is no stall.
      await clientOf(handles.graph).captureTurnState(
        aTurn(5, {
          coachDecision: 'feedback',
          verifications: [{ criterionId: 'AC-2', criterionText: 'The hinge holds', status: 'verified' }],
        }),
      )
      expect(await ask('longest-turns-before-stall')).toEqual([])
    })

    test('errors that recur across sessions, with the tasks that they stood in the way of', async () => {
      expect(await ask('recurring-errors')).toEqual([
        {
          tool: 'Edit',
          failure: 'File <path> does not match',
          count: 3,
          sessions: 3,
          tasks: [aTurn(1).taskId],
        },
      ])
    })
  })
}
