import { expect, test } from 'vitest'
import { toCursor } from './cursor.ts'
import { readPlaces } from './pages.ts'

const read = async (limit: number): Promise<number[]> =>
  Array.from({ length: limit === 0 ? 5 : Math.min(limit, 5) }, (_, place) => place)

test('a list that is computed as a whole is read page by page, and its last page has no cursor', async () => {
  const first = await readPlaces({ limit: 2 }, read)
  const second = await readPlaces({ limit: 2, cursor: first.nextCursor }, read)
  const third = await readPlaces({ limit: 2, cursor: second.nextCursor }, read)
  expect([first.items, second.items, third.items]).toEqual([[0, 1], [2, 3], [4]])
  expect(third.nextCursor).toBeNull()
  expect(await readPlaces({ limit: 5 }, read)).toEqual({ items: [0, 1, 2, 3, 4], nextCursor: null })
  expect(await readPlaces({ limit: 0 }, read)).toEqual({ items: [0, 1, 2, 3, 4], nextCursor: null })
  for (const cursor of ['nonsense', toCursor(-1), toCursor(Number.MAX_SAFE_INTEGER)])
    await expect(readPlaces({ limit: 2, cursor }, read)).rejects.toMatchObject({ code: 'invalid_request' })
})
