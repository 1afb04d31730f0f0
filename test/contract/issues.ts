import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OperationInput, OperationOutput } from '../../src/operations/table.ts'
import { allPages } from '../faults/harness/pages.ts'
import { aContext, aTurn, clientOf, FEATURE, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Issue = NonNullable<TurnToSend['issues']>[number]
const issue = (description: string, more: Partial<Issue> = {}): Issue => ({
  severity: 'blocking',
  category: 'tests',
  description,
  ...more,
})

const DECISIONS = ['approved', 'feedback', 'rejected', 'error', 'deferred'] as const
const JUDGING: readonly string[] = ['approved', 'feedback', 'rejected']
type Session = { decision: (typeof DECISIONS)[number]; raised: number[] }[]

/** An independent oracle: the turns that raise each issue, and the judged turn without it that solves it. */
function expectedOf(session: Session, asOf: number) {
  const turns = session.slice(0, asOf).map((turn, i) => ({ ...turn, number: i + 1 }))
  const kinds = [...new Set(turns.flatMap(({ raised }) => raised))]
  return kinds.map((kind) => {
    const seen = turns.filter(({ raised }) => raised.includes(kind)).map(({ number }) => number)
    const last = seen.at(-1) ?? 0
    const goneInTurn = turns.find(
      ({ number, decision }) => number > last && JUDGING.includes(decision),
    )?.number
    const times = turns[last - 1]?.raised.filter((other) => other === kind).length
    return { kind, turns: seen, times, goneInTurn: goneInTurn ?? null }
  })
}

/** The life of issues across turns (contract: specification.md). */
export function issuesContract(store: StoreUnderTest): void {
  describe('issues', () => {
    const handles = useGraph(store)
    const list = (asked: Omit<OperationInput<'listIssues'>, 'project'> = {}) =>
      clientOf(handles.graph).listIssues({ featureId: FEATURE, taskId: TASK, ...asked })
    const capture = async (...turns: TurnToSend[]) => {
      for (const turn of turns) await clientOf(handles.graph).captureTurnState(turn)
    }
    const livesIn = ({ items }: OperationOutput<'listIssues'>) =>
      items.map(({ description, turns, state, goneInTurn }) => [description, turns, state, goneInTurn])

    test('an issue is listed with its newest wording, its turns, and the turn that solved it', async () => {
      await capture(
        aTurn(1, {
          issues: [
            issue('Fails at line 3', { suggestion: 'Mock the clock' }),
            issue('No docs', { severity: 'advisory', category: 'docs' }),
          ],
        }),
        aTurn(2, {
          issues: [
            issue('fails at line 17', { severity: 'should_fix', details: { log: 'long' } }),
            issue('fails at line 18', { severity: 'should_fix' }),
          ],
        }),
      )
      const [failing, docs, ...others] = (await list()).items
      expect(others).toEqual([])
      expect(failing).toEqual({
        severity: 'should_fix',
        severityRaw: 'should_fix',
        category: 'tests',
        description: 'fails at line 17',
        criterionIds: [],
        givenLabels: [],
        suggestion: null,
        details: { log: 'long' },
        signature: expect.stringMatching(/^[0-9a-f]{16}$/),
        times: 2,
        wordings: 1,
        otherWordings: [],
        openedInTurn: 1,
        lastSeenInTurn: 2,
        turns: [1, 2],
        state: 'open',
        goneInTurn: null,
      })
      expect(docs).toMatchObject({
        openedInTurn: 1,
        lastSeenInTurn: 1,
        turns: [1],
        state: 'gone',
        goneInTurn: 2,
      })
    })

    test('an issue that is reworded every turn is one open issue with several wordings', async () => {
      await capture(
        aTurn(1, { issues: [issue('load_user in src/users.py raises KeyError'), issue('No docs at all')] }),
        aTurn(2, { issues: [issue('src/users.py: the lookup in load_user still ends in a 500')] }),
        aTurn(3, { issues: [issue('Still broken: `load_user`, see src/users.py and src/routes.py')] }),
      )
      const { items } = await list()
      expect(items).toMatchObject([
        {
          description: 'Still broken: `load_user`, see src/users.py and src/routes.py',
          turns: [1, 2, 3],
          wordings: 3,
          otherWordings: [
            { turn: 2, description: 'src/users.py: the lookup in load_user still ends in a 500' },
            { turn: 1, description: 'load_user in src/users.py raises KeyError' },
          ],
          state: 'open',
        },
        {
          description: 'No docs at all',
          turns: [1],
          wordings: 1,
          otherWordings: [],
          state: 'gone',
          goneInTurn: 2,
        },
      ])
    })

    test('another status code, count or measured value is another issue', async () => {
      await capture(
        aTurn(1, { issues: [issue('The service answers 401'), issue('41 tests fail')] }),
        aTurn(2, { issues: [issue('The service answers 500'), issue('1 test fails')] }),
      )
      expect((await list({ state: 'open' })).items.map(({ openedInTurn }) => openedInTurn)).toEqual([2, 2])
      expect((await list({ state: 'gone' })).items).toHaveLength(2)
    })

    test('an issue as of an earlier turn is listed in its state at that turn', async () => {
      await capture(
        aTurn(1, { issues: [issue('a')] }),
        aTurn(2, { issues: [issue('b')] }),
        aTurn(3, { coachDecision: 'approved' }),
      )
      expect(livesIn(await list({ turn: 0 }))).toEqual([])
      expect(livesIn(await list({ turn: 1 }))).toEqual([['a', [1], 'open', null]])
      expect(livesIn(await list({ turn: 2 }))).toEqual([
        ['a', [1], 'gone', 2],
        ['b', [2], 'open', null],
      ])
      expect(livesIn(await list({ turn: 2, state: 'open' }))).toEqual([['b', [2], 'open', null]])
      expect(livesIn(await list({ state: 'gone' }))).toEqual([
        ['a', [1], 'gone', 2],
        ['b', [2], 'gone', 3],
      ])
    })

    test('the issues of a superseded turn no longer count', async () => {
      await capture(aTurn(1, { issues: [issue('a')] }), aTurn(2, { issues: [issue('b')] }))
      await capture(aTurn(1, { issues: [issue('b')], onConflict: 'supersede' }))
      expect(livesIn(await list())).toEqual([['b', [1, 2], 'open', null]])
    })

    test('the criteria of an issue have the labels of the answer, and also the given labels', async () => {
      const verifications = [
        { criterionId: 'AC-003', criterionText: 'It is quick', status: 'rejected' } as const,
      ]
      await capture(aTurn(1, { verifications, issues: [issue('slow', { criterionIds: ['AC-3', 'AC-9'] })] }))
      expect((await list()).items).toMatchObject([
        { criterionIds: ['AC-003', 'AC-9'], givenLabels: ['AC-3', 'AC-9'] },
      ])
    })

    test('a label names the criterion that the Coach means, even if the task numbers its criteria differently', async () => {
      const client = clientOf(handles.graph)
      const [quick, logs] = ['It answers within a second', 'Each request is logged to a file']
      await client.declareCriteria({
        ...{ featureId: FEATURE, taskId: TASK },
        criteria: [
          { criterionId: 'AC-001', text: quick },
          { criterionId: 'AC-002', text: logs },
        ],
      })
      const verifications = [
        { criterionId: 'AC-001', criterionText: logs, status: 'rejected' } as const,
        { criterionId: 'AC-002', criterionText: quick, status: 'verified' } as const,
      ]
      await capture(aTurn(1, { verifications, issues: [issue('no log', { criterionIds: ['AC-1'] })] }))
      const expected = [{ criterionIds: ['AC-002'], givenLabels: ['AC-1'] }]
      expect((await list()).items).toMatchObject(expected)
      const context = await client.loadTurnContinuationContext(aContext(2))
      expect(context.issues).toMatchObject(expected)
      const { rows } = await client.queryGraph({
        query: 'MATCH (:Issue)-[:ABOUT]->(c:Criterion) RETURN DISTINCT c.texts[0] AS text',
      })
      expect(rows).toEqual([[logs]])
    })

    test('a Player sees the same fields of an issue as in its context', async () => {
      await capture(
        aTurn(1, { issues: [issue('a', { suggestion: 'b', details: { canary: 'behind the verdict' } })] }),
      )
      const [seen] = (await list({ role: 'player' })).items
      const context = await clientOf(handles.graph).loadTurnContinuationContext(aContext(2))
      expect(seen).toMatchObject(context.issues[0] ?? {})
      expect(seen).not.toHaveProperty('details')
      expect(JSON.stringify(await list({ role: 'coach' }))).toContain('behind the verdict')
    })

    test('pages contain all issues, even if one is larger than a page', async () => {
      const raised = Array.from({ length: 7 }, (_, i) => issue(`${'abcdefg'[i]} ${'long '.repeat(2_000)}`))
      await capture(aTurn(1, { issues: raised.slice(0, 4) }), aTurn(2, { issues: raised.slice(3) }))
      const paged = async (window: { limit?: number; maxBytes?: number }) =>
        (await allPages((cursor) => list({ ...window, cursor }))).map(({ description }) => description[0])
      expect(await paged({ limit: 2 })).toEqual([...'abcdefg'])
      expect(await paged({ maxBytes: 100 })).toEqual([...'abcdefg'])
      expect((await list({ limit: 7 })).nextCursor).toBeNull()
      await expect(list({ cursor: 'bm9uZQ' })).rejects.toMatchObject({ code: 'invalid_request' })
    })

    test('a missing task or world is not_found, and one without turns has no issues', async () => {
      await expect(list()).rejects.toMatchObject({ code: 'not_found' })
      await capture(aTurn(1))
      await expect(list({ taskId: 'TASK-11' })).rejects.toMatchObject({
        code: 'not_found',
        details: { near: [TASK] },
      })
      await expect(list({ worldSlug: 'none' })).rejects.toMatchObject({ code: 'unknown_world' })
      await clientOf(handles.graph).createWorld({ featureId: FEATURE, taskId: TASK, worldSlug: 'new' })
      expect(await list({ worldSlug: 'new' })).toEqual({ items: [], nextCursor: null })
    })

    test('a world with more turns than a state keeps lists the same issues as of any turn', async () => {
      const turns = Array.from({ length: 36 }, (_, i) =>
        aTurn(i + 1, {
          verifications: [{ criterionId: 'AC-1', criterionText: 'It is quick', status: 'rejected' }],
          issues: [issue(`${'ab'[i % 2]}`, { criterionIds: ['AC-1'] })],
        }),
      )
      await capture(...turns)
      for (const turn of [null, 35]) {
        const { items } = await list({ turn })
        expect(items.map(({ state, turns }) => [state, turns.length])).toEqual(
          turn === null
            ? [
                ['gone', 18],
                ['open', 18],
              ]
            : [
                ['open', 18],
                ['gone', 17],
              ],
        )
        expect(items[0]?.criterionIds).toEqual(['AC-1'])
      }
    })

    test('any session, as of any of its turns, agrees with an oracle', async () => {
      const turn = fc.record({
        decision: fc.constantFrom(...DECISIONS),
        raised: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 }),
      })
      let sessions = 0
      await fc.assert(
        fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async (session) => {
          const worldSlug = `session-${++sessions}`
          await capture(
            ...session.map(({ decision, raised }, i) =>
              aTurn(i + 1, {
                worldSlug,
                coachDecision: decision,
                issues: raised.map((kind, j) => issue(`Kind ${'abcd'[kind]}, line ${i * 10 + j}`)),
              }),
            ),
          )
          for (let asOf = 0; asOf <= session.length; asOf++) {
            const { items } = await list({ worldSlug, turn: asOf })
            expect(
              items.map(({ description, turns, times, goneInTurn }) => ({
                kind: 'abcd'.indexOf(description[5] ?? ''),
                turns,
                times,
                goneInTurn,
              })),
            ).toEqual(expectedOf(session, asOf))
          }
        }),
        { numRuns: 25 },
      )
    })
  })
}
