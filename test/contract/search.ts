import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { everyItem } from '../../src/core/pages.ts'
import type { OperationInput } from '../../src/operations/table.ts'
import { joinedWords } from '../../src/rules/words.ts'
import { type SearchHit, SearchIndexes, searchMemory } from '../../src/search/search.ts'
import { type OracleText, searchNaively, textsOfCriterion, textsOfTurn } from '../oracles/search.ts'
import { aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { send, sessionOf, turn as transcriptTurn } from '../support/transcript-import.ts'
import { linesOf } from '../support/written-transcript.ts'
import { forgetAll } from './forget.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Asked = Omit<OperationInput<'search'>, 'q'>

/** Words that begin, contain or equal each other after folding, in several scripts. */
const WORDS = [
  'log',
  'Login',
  'logged',
  'café',
  'CAFE',
  'cafeteria',
  'Straße',
  '東京都',
  '京都',
  '東',
  'ภาษาไทย',
  'x1',
]
const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(' '))
const madeUpTurn = fc.record({
  playerSummary: text,
  coachFeedback: fc.option(text),
  lessonsFromTurn: fc.array(text, { maxLength: 2 }),
  blockersFound: fc.array(text, { maxLength: 1 }),
  issues: fc.array(
    fc.record({ severity: fc.constant('minor'), description: text, suggestion: fc.option(text) }),
    { maxLength: 2 },
  ),
  hour: fc.option(fc.integer({ min: 0, max: 2 })),
})

const lastPart = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** Declares criteria of a task, and records a verdict on each of them in another wording. */
async function declareInTwoWordings(
  client: TurngraphClient,
  conditions: readonly string[],
  project = PROJECT,
): Promise<OracleText[]> {
  const task = { featureId: FEATURE, taskId: 'TASK-OF-CRITERIA' }
  const texts: OracleText[] = []
  if (conditions.length === 0) return texts
  const label = (i: number) => `AC-00${i + 1}`
  await client.declareCriteria({
    ...task,
    criteria: conditions.map((condition, i) => ({ criterionId: label(i), text: condition })),
  })
  const reworded = (condition: string) => `[ ] **${condition}**`
  const verifications = conditions.map((condition, i) => ({
    criterionId: label(i),
    criterionText: reworded(condition),
    status: 'verified',
  }))
  await client.captureTurnState(aTurn(1, { ...task, project, playerSummary: '-', verifications }))
  const { criteria } = await client.listCriteria(task)
  for (const [i, condition] of conditions.entries()) {
    const key = criteria.find(({ text }) => text === condition)?.key ?? ''
    texts.push(
      ...textsOfCriterion(lastPart(key), { wordings: [condition, reworded(condition)], labels: [label(i)] }),
    )
  }
  return texts
}

const findAll = async (client: TurngraphClient, q: string, asked: Asked = {}) => {
  const pages = (cursor: string | null) => client.search({ ...asked, q, cursor })
  const found: SearchHit[] = []
  for await (const hit of everyItem(pages)) found.push(hit)
  return found
}

/** The search over the texts of a project (contract: doors.md, section 6). */
export function searchContract(store: StoreUnderTest): void {
  describe('search', () => {
    const handles = useGraph(store)
    const placesOf = async (client: TurngraphClient, q: string, asked: Asked = {}) =>
      (await findAll(client, q, asked)).map(({ kind, worldSlug, turn }) => [kind, worldSlug, turn])

    test('each kind of text is found with its place, a snippet and a link', async () => {
      const client = clientOf(handles.graph)
      await client.captureTurnState(
        aTurn(1, {
          playerSummary: 'needle in the summary',
          coachFeedback: 'needle in the feedback',
          lessonsFromTurn: ['nothing', 'needle in a lesson'],
          blockersFound: ['needle in a blocker'],
          issues: [{ severity: 'minor', description: 'An issue', suggestion: 'with a needle' }],
          verifications: [
            {
              criterionId: 'AC-1',
              criterionText: 'The needle is sharp',
              status: 'verified',
              evidence: 'needle seen',
            },
          ],
          transcriptSessionIds: [sessionOf(1)],
        }),
      )
      const records = transcriptTurn('a', ['Bash'], { errors: { 0: 'needle: command not found' } })
      await send(client, sessionOf(1), linesOf(records))
      const place = {
        project: PROJECT,
        featureId: FEATURE,
        taskId: TASK,
        worldSlug: TASK,
        turn: 1,
        at: '2026-01-01T00:01:00Z',
        criterionKey: null,
        sessionId: null,
        link: '/p/shop/w/TASK-1/t/1',
      }
      expect(await client.search({ q: 'needle' })).toEqual({
        items: [
          {
            ...place,
            kind: 'criterion',
            turn: null,
            at: null,
            criterionKey: expect.stringContaining('shop/FEAT-1/TASK-1/text:'),
            snippet: 'The needle is sharp',
            link: '/p/shop/w/TASK-1',
          },
          { ...place, kind: 'lesson', snippet: 'needle in a lesson' },
          { ...place, kind: 'blocker', snippet: 'needle in a blocker' },
          { ...place, kind: 'issue', snippet: 'An issue with a needle' },
          { ...place, kind: 'feedback', snippet: 'needle in the feedback' },
          { ...place, kind: 'summary', snippet: 'needle in the summary' },
          {
            ...place,
            kind: 'failed_call',
            at: '2026-01-02T00:00:00Z',
            sessionId: sessionOf(1),
            snippet: expect.stringContaining('needle: command not found'),
          },
        ],
        nextCursor: null,
      })
      expect(await placesOf(client, 'needle', { kind: 'blocker' })).toEqual([['blocker', TASK, 1]])
    })

    test('a criterion with several wordings is one hit, which shows its first wording and counts once', async () => {
      const client = clientOf(handles.graph)
      const criteria = ['A sharp needle', 'A blunt needle', 'A long needle']
      await declareInTwoWordings(client, criteria)
      const first = await client.search({ q: 'needle', limit: 2 })
      const second = await client.search({ q: 'needle', limit: 2, cursor: first.nextCursor })
      expect([first.items.length, second.items.length, second.nextCursor]).toEqual([2, 1, null])
      const snippets = [...first.items, ...second.items].map(({ snippet }) => snippet)
      expect(snippets.toSorted()).toEqual(criteria.toSorted())
    })

    test('a criterion is found by its label, also together with its words', async () => {
      const client = clientOf(handles.graph)
      await declareInTwoWordings(client, ['A sharp needle', 'A blunt needle'])
      for (const q of ['AC-002', 'ac-002 blunt']) {
        const { items } = await client.search({ q, kind: 'criterion' })
        expect(
          items.map(({ snippet }) => snippet),
          q,
        ).toEqual(['AC-002: A blunt needle'])
      }
      expect((await client.search({ q: 'AC-002 sharp' })).items).toEqual([])
    })

    test('a search finds each write that was acknowledged before it, in an index that exists', async () => {
      const client = clientOf(handles.graph)
      expect(await placesOf(client, 'needle')).toEqual([])
      await client.captureTurnState(aTurn(1, { playerSummary: 'a needle' }))
      expect(await placesOf(client, 'needle')).toEqual([['summary', TASK, 1]])
      await client.declareCriteria({ featureId: FEATURE, taskId: 'TASK-2', criteria: [{ text: 'A needle' }] })
      expect(await placesOf(client, 'needle')).toEqual([
        ['criterion', null, null],
        ['summary', TASK, 1],
      ])
    })

    test('declared criteria of a task are found after all of its sessions were deleted, also by a new index', async () => {
      const client = clientOf(handles.graph)
      const declare = (text: string) =>
        client.declareCriteria({ featureId: FEATURE, taskId: TASK, criteria: [{ text }] })
      await declare('A needle')
      await client.captureTurnState(aTurn(1))
      await client.deleteWorld({ worldSlug: TASK })
      expect(await placesOf(client, 'needle')).toEqual([['criterion', null, null]])
      expect(await placesOf(clientOf(handles.graph), 'needle')).toEqual([['criterion', null, null]])
      await declare('A thread')
      expect(await placesOf(client, 'thread')).toEqual([['criterion', null, null]])
    })

    test('superseded, withdrawn and deleted turns are not found', async () => {
      const client = clientOf(handles.graph)
      const needle = (turnNumber: number, more: Partial<TurnToSend> = {}) =>
        client.captureTurnState(aTurn(turnNumber, { playerSummary: `needle ${turnNumber}`, ...more }))
      await needle(1)
      await needle(2)
      await needle(1, { worldSlug: 'other' })
      expect(await placesOf(client, 'needle')).toHaveLength(3)
      await client.captureTurnState(
        aTurn(1, { playerSummary: 'thread', worldSlug: TASK, onConflict: 'supersede' }),
      )
      expect(await placesOf(client, 'needle')).toEqual([
        ['summary', TASK, 2],
        ['summary', 'other', 1],
      ])
      await client.rollbackWorld({ worldSlug: TASK, toTurn: 1 })
      expect(await placesOf(client, 'needle')).toEqual([['summary', 'other', 1]])
      await client.deleteWorld({ worldSlug: 'other' })
      expect(await placesOf(client, 'needle')).toEqual([])
      expect(await placesOf(clientOf(handles.graph), 'needle')).toEqual([])
      expect(await placesOf(client, 'thread')).toEqual([['summary', TASK, 1]])
    })

    test('a forgotten project is not found by an index that had it', async () => {
      const client = clientOf(handles.graph)
      await client.captureTurnState(
        aTurn(1, {
          playerSummary: 'needle',
          verifications: [{ criterionId: 'AC-1', criterionText: 'A needle', status: 'verified' }],
        }),
      )
      await send(client, sessionOf(1), linesOf(transcriptTurn('a', ['Bash'], { errors: { 0: 'needle' } })))
      expect(await placesOf(client, 'needle')).toHaveLength(3)
      await forgetAll(handles.graph, { project: PROJECT, wholeProject: true })
      expect(await placesOf(client, 'needle')).toEqual([])
    })

    test('a Player finds no evidence, no verdict and no failed call', async () => {
      const client = clientOf(handles.graph)
      await client.captureTurnState(
        aTurn(1, {
          coachDecision: 'rejected',
          verifications: [
            { criterionId: 'AC-1', criterionText: 'It holds', status: 'rejected', evidence: 'needle' },
          ],
          issues: [{ severity: 'minor', description: 'An issue', details: { log: 'needle' } }],
        }),
      )
      await send(client, sessionOf(1), linesOf(transcriptTurn('a', ['Bash'], { errors: { 0: 'needle' } })))
      expect(await placesOf(client, 'needle', { role: 'coach' })).toEqual([['failed_call', null, null]])
      expect(await placesOf(client, 'needle', { role: 'player' })).toEqual([])
      expect(await placesOf(client, 'needle', { role: 'player', kind: 'failed_call' })).toEqual([])
      for (const q of ['rejected', 'reject']) expect(await placesOf(client, q)).toEqual([])
    })

    test('a project finds its own texts only', async () => {
      await clientOf(handles.graph).captureTurnState(aTurn(1, { playerSummary: 'needle' }))
      const other = clientOf(handles.graph, 'shop2')
      await other.captureTurnState(aTurn(1, { project: 'shop2', playerSummary: 'needle' }))
      const found = await other.search({ q: 'needle' })
      expect(found.items.map(({ project }) => project)).toEqual(['shop2'])
    })

    test('names of projects that do not exist displace no index of a real project', async () => {
      await clientOf(handles.graph).captureTurnState(aTurn(1, { playerSummary: 'needle' }))
      const indexes = new SearchIndexes(handles.graph, { maxWaitMs: null })
      const ask = (project: string) =>
        searchMemory(handles.graph, indexes, { project, q: 'needle', role: 'coach', limit: 10 })
      expect((await ask(PROJECT)).items).toHaveLength(1)
      for (let i = 0; i < 12; i++) expect((await ask(`made-up-${i}`)).items).toEqual([])
      expect(indexes.projects).toEqual([PROJECT])
      const project = 'made-up-3'
      await clientOf(handles.graph).captureTurnState(aTurn(1, { project, playerSummary: 'needle' }))
      expect((await ask(project)).items, 'the project has been created since').toHaveLength(1)
      expect(indexes.projects).toEqual([PROJECT, project])
    })

    test('a cursor continues behind its last hit while newer turns arrive', async () => {
      const client = clientOf(handles.graph)
      for (const turn of [1, 2, 3]) await client.captureTurnState(aTurn(turn, { playerSummary: 'needle' }))
      const first = await client.search({ q: 'needle', limit: 2 })
      expect(first.items.map(({ turn }) => turn)).toEqual([3, 2])
      await client.captureTurnState(aTurn(4, { playerSummary: 'needle' }))
      const second = await client.search({ q: 'needle', limit: 2, cursor: first.nextCursor })
      expect([second.items.map(({ turn }) => turn), second.nextCursor]).toEqual([[1], null])
    })

    test('queries with the syntax of other engines find their words only', async () => {
      const client = clientOf(handles.graph)
      await client.captureTurnState(aTurn(1, { playerSummary: 'needle AND thread' }))
      for (const q of [
        'needle*',
        '"needle"',
        '+needle -~',
        'needle AND thread',
        "needle') MATCH (n",
        '(need',
      ]) {
        const expected = q.includes('MATCH') ? [] : [['summary', TASK, 1]]
        expect([q, await placesOf(client, q)]).toEqual([q, expected])
      }
      for (const q of ['*', '()', ' ', 'a '.repeat(17), 'a'.repeat(1_001), ''])
        await expect(client.search({ q }), q).rejects.toMatchObject({ code: 'invalid_request' })
    })
  })
}

/** Compares the search with an oracle, on one engine: `searchContract` runs the statements on every engine. */
export function searchRulesContract(store: StoreUnderTest): void {
  describe('search, compared with an oracle', () => {
    const handles = useGraph(store)

    test('made-up sessions give the hits of an independent search, in its order, in pages too', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(madeUpTurn, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
          fc.uniqueArray(text, { maxLength: 4, selector: joinedWords }),
          fc.array(fc.constantFrom(...WORDS, 'lo', 'CAF', '都', 'ไทย', 'AC-001', 'ac'), {
            minLength: 1,
            maxLength: 3,
          }),
          async (sessions, conditions, words) => {
            const project = crypto.randomUUID() // also in each retry with a smaller example
            const client = clientOf(handles.graph, project)
            const all: OracleText[] = []
            for (const [s, turns] of sessions.entries())
              for (const [i, { hour, ...more }] of turns.entries()) {
                const at = hour === null ? null : new Date(Date.UTC(2026, 0, 1, hour)).toISOString()
                const sent = aTurn(i + 1, { ...more, project, worldSlug: `s${s}`, completedAt: at })
                await client.captureTurnState(sent)
                all.push(...textsOfTurn(sent))
              }
            all.push(...(await declareInTwoWordings(client, conditions, project)))
            const q = words.join(' ')
            const expected = searchNaively(all, q).map(({ kind, criterion, worldSlug, turn }) =>
              criterion === undefined ? [kind, worldSlug, turn] : [kind, criterion],
            )
            const found = (await findAll(client, q, { limit: 3 })).map(
              ({ kind, criterionKey, worldSlug, turn }) =>
                criterionKey === null ? [kind, worldSlug, turn] : [kind, lastPart(criterionKey)],
            )
            expect(found).toEqual(expected)
          },
        ),
        { numRuns: 25 },
      )
    })
  })
}
