import { describe, expect, test } from 'vitest'
import { canonicalInstant } from '../../src/core/instants.ts'
import { worldKey } from '../../src/core/keys.ts'
import { memory } from '../support/embedded-engines.ts'
import { brokenCounts, chainOf, countsOf, dumpOf } from '../support/graph-dump.ts'
import {
  aContext,
  aTurn,
  captureSteadily,
  clientOf,
  everyField,
  everyFieldKept,
  PROJECT,
  TASK,
} from '../support/records.ts'
import { type Handles, type StoreUnderTest, useGraph } from './store.ts'

const clientsOf = (handles: Handles) => ({
  get client() {
    return clientOf(handles.graph)
  },
})

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length <= 1
    ? [[...items]]
    : items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]))

/** Capture: an acknowledged record is read back once, in its place in the chain. */
export function captureContract(store: StoreUnderTest): void {
  describe('capture', () => {
    const handles = useGraph(store)
    const on = clientsOf(handles)
    const context = async (currentTurn: number, role: 'player' | 'coach' = 'coach') =>
      on.client.loadTurnContinuationContext(aContext(currentTurn, { role }))

    test('a record with every field is read back as it was stored', async () => {
      const { created, superseded, worldCreated, redactions, ...answered } =
        await on.client.captureTurnState(everyField)
      expect({ created, superseded }).toEqual({ created: true, superseded: false })
      expect(answered).toEqual({ ...everyFieldKept, createdAt: expect.any(String), recordedBy: null })
      const read = await on.client.getTurn({ worldSlug: 'session%2F1~%CE%B1', turnNumber: 3 })
      expect(read).toEqual(answered)
      expect(Object.keys(read.acceptanceCriteriaStatus)).toEqual([
        'criterion_1',
        'criterion_2',
        'criterion_3',
      ])
      expect(Object.keys(read.gates)).toEqual(['tests', 'plan audit', 'coverage'])
      const page = await on.client.listTurns({ worldSlug: 'session%2F1~%CE%B1' })
      expect(page).toEqual({ items: [answered], nextCursor: null })
      const shown = await on.client.loadTurnContinuationContext(
        aContext(4, { worldSlug: 'session%2F1~%CE%B1', role: 'coach' }),
      )
      expect(shown.prior).toEqual(everyFieldKept)
    })

    test('a minimal record is read back with its defaults', async () => {
      const sent = { project: 'p', featureId: 'F', taskId: 'T', turnNumber: 1, playerSummary: '' }
      const before = new Date().toISOString()
      const { created, superseded, worldCreated, redactions, ...answered } =
        await on.client.captureTurnState(sent)
      expect(answered).toMatchObject({
        playerDecision: 'unknown',
        playerDecisionRaw: null,
        coachDecision: 'unknown',
        coachFeedback: null,
        mode: 'fresh_start',
        blockersFound: [],
        verifications: [],
        gates: {},
        testsPassed: null,
        startedAt: null,
        durationSeconds: null,
        extra: {},
        worldSlug: 'T',
      })
      expect(answered.completedAt).toBe(answered.createdAt)
      expect(answered.createdAt >= before).toBe(true)
      expect(await on.client.getTurn({ project: 'p', worldSlug: 'T', turnNumber: 1 })).toEqual(answered)
    })

    test('an instant is kept to the microsecond, in the answer as in the graph', async () => {
      const sent = aTurn(1, { completedAt: '2026-03-08T14:07:00.123456789Z' })
      const { created, superseded, worldCreated, redactions, ...answered } =
        await on.client.captureTurnState(sent)
      expect(answered.completedAt).toBe('2026-03-08T14:07:00.123456Z')
      expect(await on.client.getTurn({ worldSlug: TASK, turnNumber: 1 })).toEqual(answered)
      expect((await on.client.captureTurnState(sent)).created).toBe(false)
    })

    test.each(['9999-12-31T23:59:59-14:00', '0000-01-01T00:00:00+14:00'])(
      'the time %s, whose year in UTC does not have four digits, is refused',
      async (instant) => {
        for (const times of [{ completedAt: instant }, { startedAt: instant }])
          await expect(on.client.captureTurnState(aTurn(1, times))).rejects.toMatchObject({
            code: 'invalid_request',
          })
      },
    )

    test('the time of a capture is the same in the answer and in a read, also on a full second', async () => {
      const { completedAt, ...sent } = aTurn(1)
      for (const [worldSlug, now] of [
        ['w1', '2026-02-01T00:00:00.000Z'],
        ['w2', '2026-02-01T00:00:00.120Z'],
      ] as const) {
        const answered = await captureSteadily(handles.graph, { ...sent, worldSlug }, now)
        const read = await on.client.getTurn({ worldSlug, turnNumber: 1 })
        expect(answered).toEqual(read)
        expect(read.createdAt).toBe(canonicalInstant(now))
        expect(read.completedAt).toBe(read.createdAt)
      }
    })

    test.each<[string, Parameters<typeof aTurn>[1]]>([
      ['an id that is a property of every object', { acceptanceCriteriaStatus: { constructor: 'verified' } }],
      [
        'ids that look like numbers',
        { acceptanceCriteriaStatus: { 10: 'verified', 9: 'rejected', a: 'pending' } },
      ],
      ['zero and fractions', { testsPassed: 0, coverage: 0, archScore: 0.1, durationSeconds: 1e-7 }],
      ['great numbers', { testsPassed: Number.MAX_SAFE_INTEGER, coverage: 1e300 }],
      ['a text of 64 KiB', { playerSummary: 'ä'.repeat(32 * 1024) }],
      ['a thousand blockers', { blockersFound: Array.from({ length: 1000 }, (_, i) => `b${i}`) }],
      ['empty texts', { coachFeedback: '', whatToTryNext: '', commit: '', lessonsFromTurn: [''] }],
      [
        'extra with every kind of JSON',
        { extra: { a: null, b: [], c: {}, d: 1.5, e: '\u2028\u0000', constructor: 1 } },
      ],
      [
        'details that are a bare value',
        { issues: [{ severity: 'minor', description: '', details: 'text' }] },
      ],
    ])('%s comes back as it went', async (_name, more) => {
      const { created, superseded, worldCreated, redactions, ...answered } = await on.client.captureTurnState(
        aTurn(1, more),
      )
      const read = await on.client.getTurn({ worldSlug: TASK, turnNumber: 1 })
      expect(read).toEqual(answered)
      const ids = (turn: { acceptanceCriteriaStatus: object }) => Object.keys(turn.acceptanceCriteriaStatus)
      expect(ids(read)).toEqual(ids(answered))
    })

    test('the key __proto__ is rejected, not lost', async () => {
      for (const field of ['acceptanceCriteriaStatus', 'gates', 'extra']) {
        const sent = aTurn(1, { [field]: JSON.parse('{"__proto__": "passed"}') })
        await expect(on.client.captureTurnState(sent)).rejects.toMatchObject({ code: 'invalid_request' })
      }
      expect(await countsOf(handles.graph)).toEqual({})
    })

    test('an issue without content is rejected with the name of its field, and one with details is stored', async () => {
      const capture = (issue: object) =>
        on.client.captureTurnState(
          aTurn(1, { issues: [{ severity: 'blocking', description: ' ', ...issue }] }),
        )
      for (const empty of [{}, { criterionIds: [], suggestion: '', category: '', details: {} }])
        await expect(capture(empty)).rejects.toMatchObject({
          code: 'invalid_request',
          message: expect.stringContaining('issues[0].description: is empty; describe the issue'),
        })
      expect((await capture({ suggestion: 'Add a test' })).issues).toHaveLength(1)
    })

    test('a capture takes three hundred verifications, promises and issues', async () => {
      const names = Array.from({ length: 300 }, (_, i) => ({
        criterionId: `AC-${i + 1}`,
        criterionText: `thing ${i}`,
      }))
      const sent = aTurn(1, {
        verifications: names.map((name) => ({ ...name, status: 'verified' as const })),
        promises: names.map((name) => ({ ...name, status: 'complete' as const })),
        issues: names.map(({ criterionId }) => ({
          severity: 'minor',
          description: criterionId,
          criterionIds: [criterionId],
        })),
      })
      const { created, superseded, worldCreated, redactions, ...answered } =
        await on.client.captureTurnState(sent)
      expect(await on.client.getTurn({ worldSlug: TASK, turnNumber: 1 })).toEqual(answered)
      expect((await context(2)).criteria).toHaveLength(300)
    })

    describe('guarantee: the same turn again is the same record', () => {
      test('the same record again answers with it and changes nothing', async () => {
        const first = await on.client.captureTurnState(everyField)
        const before = await dumpOf(handles.graph)
        for (let i = 0; i < 2; i++) {
          expect(await on.client.captureTurnState(everyField)).toEqual({
            ...first,
            created: false,
            worldCreated: false,
          })
        }
        expect(await dumpOf(handles.graph)).toEqual(before)
      })

      test('the order of keys does not matter', async () => {
        const sent = aTurn(1, { extra: { a: { x: 1, y: 2 }, b: 1 } })
        await on.client.captureTurnState(sent)
        const turned = Object.fromEntries(Object.entries(sent).reverse()) as typeof sent
        const again = await on.client.captureTurnState({ ...turned, extra: { b: 1, a: { y: 2, x: 1 } } })
        expect(again.created).toBe(false)
      })

      test('a record without its own time can be repeated later without a conflict', async () => {
        const sent = { project: PROJECT, featureId: 'F', taskId: 'T', turnNumber: 1, playerSummary: 'x' }
        const first = await on.client.captureTurnState(sent)
        expect(await on.client.captureTurnState(sent)).toEqual({
          ...first,
          created: false,
          worldCreated: false,
        })
      })

      test('the same record with and without the name of its world is no conflict', async () => {
        const first = await on.client.captureTurnState(aTurn(1))
        const named = await on.client.captureTurnState(aTurn(1, { worldSlug: TASK }))
        expect(named).toEqual({ ...first, created: false, worldCreated: false })
      })

      test('a repeat with on_conflict supersedes nothing', async () => {
        await on.client.captureTurnState(aTurn(1))
        const again = await on.client.captureTurnState(aTurn(1, { onConflict: 'supersede' }))
        expect(again).toMatchObject({ created: false, superseded: false })
        expect(await countsOf(handles.graph)).not.toHaveProperty('SupersededTurn')
      })

      test('a supersede sent twice supersedes once', async () => {
        await on.client.captureTurnState(aTurn(1))
        const other = aTurn(1, { playerSummary: 'other', onConflict: 'supersede' })
        expect(await on.client.captureTurnState(other)).toMatchObject({ created: true, superseded: true })
        expect(await on.client.captureTurnState(other)).toMatchObject({ created: false, superseded: false })
        expect(await countsOf(handles.graph)).toMatchObject({ Turn: 1, SupersededTurn: 1 })
      })

      test('a repeat of a record in an older world returns the stored one', async () => {
        await on.client.captureTurnState(aTurn(1, { playerSummary: 'of the first session' }))
        await on.client.createWorld({ featureId: 'FEAT-1', taskId: TASK })
        await on.client.captureTurnState(
          aTurn(1, {
            worldSlug: `${TASK}.2`,
            playerSummary: 'of the second',
            completedAt: '2026-06-01T00:00:00Z',
          }),
        )
        const again = await on.client.captureTurnState(aTurn(1, { playerSummary: 'of the first session' }))
        expect(again).toMatchObject({ created: false, worldSlug: TASK })
        expect(await countsOf(handles.graph)).toMatchObject({ Turn: 2 })
      })

      test('a repeat of a record in an older named world returns the stored one', async () => {
        const record = aTurn(2, { playerSummary: 'of the first session' })
        await on.client.captureTurnState({ ...record, worldSlug: 'first' })
        await on.client.captureTurnState(
          aTurn(1, { worldSlug: 'second', completedAt: '2026-06-01T00:00:00Z' }),
        )
        const again = await on.client.captureTurnState(record)
        expect(again).toMatchObject({ created: false, worldSlug: 'first' })
        expect(await countsOf(handles.graph)).toMatchObject({ Turn: 2 })
      })
    })

    describe('conflict and supersede', () => {
      const first = aTurn(2, {
        playerSummary: 'the first record',
        verifications: [{ criterionId: 'AC-1', criterionText: 'It keeps an old log', status: 'verified' }],
        issues: [{ severity: 'major', description: 'an old issue' }],
        gates: { tests: 'failed' },
      })
      const second = aTurn(2, {
        playerSummary: 'the second record',
        verifications: [{ criterionId: 'AC-2', criterionText: 'It draws a new chart', status: 'rejected' }],
      })

      test('another record at the same turn is a conflict that shows both', async () => {
        await on.client.captureTurnState(first)
        const before = await dumpOf(handles.graph)
        await expect(on.client.captureTurnState(second)).rejects.toMatchObject({
          code: 'turn_conflict',
          details: {
            fields: ['player_summary', 'verifications', 'issues', 'gates'],
            world_slug: TASK,
            stored: { player_summary: 'the first record', gates: { tests: 'failed' } },
            sent: { player_summary: 'the second record', gates: {}, issues: [] },
          },
        })
        expect(await dumpOf(handles.graph)).toEqual(before)
      })

      test('a conflict at turn 1 hints at a new world', async () => {
        await on.client.captureTurnState(aTurn(1))
        const other = on.client.captureTurnState(aTurn(1, { playerSummary: 'other' }))
        await expect(other).rejects.toMatchObject({ hint: expect.stringMatching(/new session.*world/i) })
      })

      test('a superseded record is only in the history', async () => {
        await on.client.captureTurnState(aTurn(1))
        await on.client.captureTurnState(first)
        await on.client.captureTurnState(aTurn(3))
        const stored = await on.client.getTurn({ worldSlug: TASK, turnNumber: 2 })
        expect(await on.client.captureTurnState({ ...second, onConflict: 'supersede' })).toMatchObject({
          created: true,
          superseded: true,
        })
        const now = await on.client.getTurn({ worldSlug: TASK, turnNumber: 2 })
        expect(now.playerSummary).toBe('the second record')
        expect(await chainOf(handles.graph, worldKey(PROJECT, TASK))).toBe('1→2 2→3')
        const { items } = await on.client.listTurns({ worldSlug: TASK })
        expect(items.map(({ playerSummary }) => playerSummary)).toEqual([
          'Attempt 1',
          'the second record',
          'Attempt 3',
        ])
        for (const turn of [3, 4]) {
          const view = await context(turn)
          expect(JSON.stringify(view)).not.toMatch(/old log|old issue|first record/)
          expect(view.criteria.map(({ text }) => text)).toEqual(['It draws a new chart'])
        }
        expect(await on.client.getWorld({ worldSlug: TASK })).toMatchObject({ currentTurn: 3 })
        const history = await on.client.getTurnHistory({ worldSlug: TASK, turnNumber: 2 })
        const { key, ...kept } = stored
        expect(history.items).toMatchObject([kept])
        expect(history.nextCursor).toBeNull()
      })

      test('a turn may be superseded again and again: its history is newest first, in pages', async () => {
        for (const i of [1, 2, 3, 4, 5]) {
          await on.client.captureTurnState(
            aTurn(1, { playerSummary: `record ${i}`, onConflict: 'supersede' }),
          )
        }
        const ask = { worldSlug: TASK, turnNumber: 1, limit: 3 }
        const first = await on.client.getTurnHistory(ask)
        const rest = await on.client.getTurnHistory({ ...ask, cursor: first.nextCursor })
        const summaries = [...first.items, ...rest.items].map(({ playerSummary }) => playerSummary)
        expect(summaries).toEqual(['record 4', 'record 3', 'record 2', 'record 1'])
        expect(rest.nextCursor).toBeNull()
        expect(await countsOf(handles.graph)).toMatchObject({
          Turn: 1,
          SupersededTurn: 4,
          SUPERSEDES: 4,
          HAS_TURN: 1,
        })
      })

      test('a superseded record can be captured again', async () => {
        await on.client.captureTurnState(first)
        await on.client.captureTurnState({ ...second, onConflict: 'supersede' })
        await on.client.captureTurnState({ ...first, onConflict: 'supersede' })
        expect(await on.client.getTurn({ worldSlug: TASK, turnNumber: 2 })).toMatchObject({
          playerSummary: 'the first record',
          gates: { tests: 'failed' },
        })
        expect(await countsOf(handles.graph)).toMatchObject({ Turn: 1, SupersededTurn: 2 })
      })

      test('superseding a turn that does not exist stores it', async () => {
        const answer = await on.client.captureTurnState({ ...first, onConflict: 'supersede' })
        expect(answer).toMatchObject({ created: true, superseded: false })
      })
    })

    describe('order of arrival', () => {
      const sent = (turnNumber: number) =>
        aTurn(turnNumber, {
          acceptanceCriteriaStatus: { [`criterion_${turnNumber}`]: 'verified' },
          verifications: [
            {
              criterionId: `AC-${turnNumber}`,
              criterionText: `It does thing ${turnNumber}`,
              status: 'verified',
            },
            {
              criterionId: 'AC-9',
              criterionText: 'It is documented',
              status: turnNumber === 2 ? 'verified' : 'rejected',
            },
          ],
        })

      test('every permutation of four turns gives the same chain and the same context', async () => {
        const seen = new Set<string>()
        for (const order of permutations([1, 2, 4, 7])) {
          const taskId = `TASK-${order.join('')}`
          for (const turnNumber of order) await on.client.captureTurnState({ ...sent(turnNumber), taskId })
          expect(await chainOf(handles.graph, worldKey(PROJECT, taskId)), taskId).toBe('1→2 2→4 4→7')
          expect(await on.client.getWorld({ worldSlug: taskId })).toMatchObject({ currentTurn: 7 })
          for (const currentTurn of [3, 8]) {
            const view = await on.client.loadTurnContinuationContext(
              aContext(currentTurn, { taskId, role: 'coach' }),
            )
            seen.add(`${currentTurn} ${view.context}`)
          }
        }
        expect([...seen]).toHaveLength(2)
      })

      test('a late turn is put between its neighbours, and the current turn stays', async () => {
        await on.client.captureTurnState(aTurn(2))
        await on.client.captureTurnState(aTurn(9))
        await on.client.captureTurnState(aTurn(5))
        await on.client.captureTurnState(aTurn(1))
        expect(await chainOf(handles.graph, worldKey(PROJECT, TASK))).toBe('1→2 2→5 5→9')
        expect((await context(9)).previousTurn).toBe(5)
        expect((await context(6)).previousTurn).toBe(5)
        expect((await context(5)).previousTurn).toBe(2)
        expect(await on.client.getWorld({ worldSlug: TASK })).toMatchObject({ currentTurn: 9 })
      })

      test('superseding at the ends and in the middle keeps the chain', async () => {
        for (const n of [1, 2, 3]) await on.client.captureTurnState(aTurn(n))
        for (const n of [1, 3, 2]) {
          await on.client.captureTurnState(aTurn(n, { playerSummary: 'again', onConflict: 'supersede' }))
          expect(await chainOf(handles.graph, worldKey(PROJECT, TASK)), `after ${n}`).toBe('1→2 2→3')
        }
        await on.client.captureTurnState(aTurn(4))
        expect(await chainOf(handles.graph, worldKey(PROJECT, TASK))).toBe('1→2 2→3 3→4')
      })
    })

    describe('the graph is the same on every engine', () => {
      const scenario = [
        aTurn(1, {
          acceptanceCriteriaStatus: { criterion_1: 'verified' },
          promises: [{ criterionId: 'AC-001', criterionText: 'It answers with 404', status: 'complete' }],
        }),
        { ...everyField, worldSlug: null, turnNumber: 2 },
        aTurn(7, { issues: [{ severity: 'major', description: 'AC-001', criterionIds: ['AC-001'] }] }),
        aTurn(4, { verifications: [{ criterionId: 'AC-001', status: 'verified', source: 'validator' }] }),
        aTurn(2, { playerSummary: 'another', onConflict: 'supersede', gates: { tests: 'passed' } }),
        aTurn(1, { playerSummary: 'another', onConflict: 'supersede' }),
        aTurn(7, { playerSummary: 'another', onConflict: 'supersede' }),
        aTurn(7, { playerSummary: 'a third', onConflict: 'supersede' }),
        aTurn(8, { taskId: 'TASK-2', completedAt: null }),
        aTurn(1, { featureId: 'FEAT-2', worldSlug: 'x%2Fy' }),
        aTurn(1, { project: 'other' }),
      ]

      test('after every write: nodes, relationships and their properties', async () => {
        const reference = await handles.open(() => memory.open())
        for (const [i, record] of scenario.entries()) {
          await captureSteadily(handles.graph, record)
          await captureSteadily(reference, record)
          const at = `after write ${i + 1}`
          expect(await countsOf(handles.graph), at).toEqual(await countsOf(reference))
          expect(await dumpOf(handles.graph), at).toEqual(await dumpOf(reference))
        }
        await reference.close()
        expect(await brokenCounts(handles.graph)).toEqual([])
        expect(await countsOf(handles.graph)).toMatchObject({
          Project: 2,
          Feature: 3,
          Task: 4,
          World: 4,
          Turn: 7,
          SupersededTurn: 4,
          HAS_TURN: 7,
          SUPERSEDES: 4,
          NEXT: 3,
          Gate: 4,
          Issue: 3,
        })
      })
    })
  })
}
