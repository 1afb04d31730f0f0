import { describe, expect, test } from 'vitest'
import { allPages } from '../faults/harness/pages.ts'
import { aTurn, clientOf } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const MiB = 1024 * 1024
const WORLD = 'pages'

/** A turn of about 0.7 MB. */
const large = (number: number, marked = '') =>
  aTurn(number, {
    worldSlug: WORLD,
    lessonsFromTurn: Array.from({ length: 12 }, (_, i) => `${marked}${i} ${'lorem ipsum '.repeat(5_000)}`),
  })

const bytesOf = (items: readonly unknown[]) => Buffer.byteLength(JSON.stringify(items))

/** A page is limited by bytes, not only by the number of its records. */
export function pagesContract(store: StoreUnderTest): void {
  describe('pages', () => {
    const handles = useGraph(store)

    test('a page of turns ends before 4 MiB, and its cursor continues with the rest', async () => {
      const client = clientOf(handles.graph)
      for (let number = 1; number <= 8; number++) await client.captureTurnState(large(number))
      const first = await client.listTurns({ worldSlug: WORLD, limit: 500 })
      expect(first.items.length).toBeGreaterThan(1)
      expect(bytesOf(first.items)).toBeLessThanOrEqual(4 * MiB)
      expect(first.nextCursor).not.toBeNull()
      const all = await allPages((cursor) => client.listTurns({ worldSlug: WORLD, limit: 500, cursor }))
      expect(all.map(({ turnNumber }) => turnNumber)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    })

    test('a record that is larger than a page has a page of its own', async () => {
      const client = clientOf(handles.graph)
      for (const turn of [aTurn(1, { worldSlug: WORLD }), large(2), aTurn(3, { worldSlug: WORLD })])
        await client.captureTurnState(turn)
      const pages: number[][] = []
      await allPages(async (cursor) => {
        const page = await client.listTurns({ worldSlug: WORLD, cursor, maxBytes: 100_000 })
        pages.push(page.items.map(({ turnNumber }) => turnNumber))
        return page
      })
      expect(pages).toEqual([[1], [2], [3]])
    })

    test('a page of the superseded records of a turn ends before 4 MiB', async () => {
      const client = clientOf(handles.graph)
      for (let revision = 1; revision <= 8; revision++)
        await client.captureTurnState({ ...large(1, `${revision}: `), onConflict: 'supersede' })
      const asked = { worldSlug: WORLD, turnNumber: 1 }
      const first = await client.getTurnHistory(asked)
      expect(bytesOf(first.items)).toBeLessThanOrEqual(4 * MiB)
      expect(first.nextCursor).not.toBeNull()
      const all = await allPages((cursor) => client.getTurnHistory({ ...asked, cursor }))
      expect(all.map(({ lessonsFromTurn }) => lessonsFromTurn[0]?.slice(0, 2))).toEqual(
        [7, 6, 5, 4, 3, 2, 1].map((revision) => `${revision}:`),
      )
    })

    test('a page of the history of a criterion ends before its maximum size, and its cursor continues with the rest', async () => {
      const client = clientOf(handles.graph)
      const evidence = 'seen '.repeat(12_000)
      for (let number = 1; number <= 5; number++)
        await client.captureTurnState(
          aTurn(number, {
            worldSlug: WORLD,
            verifications: [{ criterionId: 'AC-001', status: 'verified', evidence }],
          }),
        )
      const [criterion] = (await client.listCriteria({ worldSlug: WORLD })).criteria
      const pages: number[][] = []
      await allPages(async (cursor) => {
        const asked = { key: criterion?.key ?? '', worldSlug: WORLD, cursor, maxBytes: 150_000 }
        const page = await client.getCriterionHistory(asked)
        pages.push(page.items.map(({ turn }) => turn))
        return page
      })
      expect(pages).toEqual([[1, 2], [3, 4], [5]])
    })

    test('every list rejects a cursor with a missing or changed character', async () => {
      const client = clientOf(handles.graph)
      const verifications = [{ criterionId: 'AC-001', status: 'verified' as const }]
      for (const taskId of ['A', 'B'])
        await client.captureTurnState(
          aTurn(1, {
            taskId,
            worldSlug: taskId,
            issues: [
              { severity: 'blocking', description: 'The build is broken' },
              { severity: 'advisory', description: 'No test' },
            ],
            verifications,
          }),
        )
      await client.captureTurnState(aTurn(1, { project: 'bank' }))
      const again = { taskId: 'A', worldSlug: 'A', verifications }
      await client.captureTurnState(aTurn(2, again))
      for (const playerSummary of ['second', 'third'])
        await client.captureTurnState(aTurn(1, { ...again, playerSummary, onConflict: 'supersede' }))
      for (const worldSlug of ['A', 'B']) await client.runTurn({ worldSlug, turnCount: 2 })
      const key = (await client.listCriteria({ worldSlug: 'A' })).criteria[0]?.key ?? ''
      type Asked = { limit: 1; cursor: string | null }
      const lists: [string, (page: Asked) => Promise<{ nextCursor: string | null }>][] = [
        ['projects', (page) => client.listProjects(page)],
        ['worlds', (page) => client.listWorlds(page)],
        ['worlds by time', (page) => client.listWorlds({ ...page, order: 'last_activity' })],
        ['turns', (page) => client.listTurns({ ...page, worldSlug: 'A' })],
        ['history', (page) => client.getTurnHistory({ ...page, worldSlug: 'A', turnNumber: 1 })],
        ['issues', (page) => client.listIssues({ ...page, worldSlug: 'B' })],
        ['search', (page) => client.search({ ...page, q: 'attempt' })],
        ['criterion', (page) => client.getCriterionHistory({ ...page, key, worldSlug: 'A' })],
        ['runs', (page) => client.listTurnRuns(page)],
      ]
      for (const [name, list] of lists) {
        const cursor = (await list({ limit: 1, cursor: null })).nextCursor ?? ''
        expect(cursor, name).not.toBe('')
        const changed = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`
        for (const damaged of [cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, `${cursor}!`, changed])
          await expect(list({ limit: 1, cursor: damaged }), `${name}: ${damaged}`).rejects.toMatchObject({
            code: 'invalid_request',
            message: 'cursor: was not returned by this operation',
          })
        await list({ limit: 1, cursor })
        expect(await list({ limit: 1, cursor: '' }), name).toEqual(await list({ limit: 1, cursor: null }))
      }
    })

    test('many small records are one page, in order', async () => {
      const client = clientOf(handles.graph)
      for (let number = 1; number <= 90; number++)
        await client.captureTurnState(aTurn(number, { worldSlug: WORLD }))
      const page = await client.listTurns({ worldSlug: WORLD, limit: 500 })
      expect(page.items.map(({ turnNumber }) => turnNumber)).toEqual(
        Array.from({ length: 90 }, (_, i) => i + 1),
      )
      expect(page.nextCursor).toBeNull()
      const part = await client.listTurns({ worldSlug: WORLD, limit: 89 })
      expect(part.items.length).toBe(89)
      expect(part.nextCursor).not.toBeNull()
    })
  })
}
