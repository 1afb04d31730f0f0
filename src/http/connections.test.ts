import { expect, test } from 'vitest'
import { connectionBound } from './connections.ts'

test('connections stay below the limit of open files, and some are always taken', () => {
  expect(connectionBound(1000, 1024)).toBe(896)
  expect(connectionBound(1000, 20_000)).toBe(1000)
  expect(connectionBound(1000, 100)).toBe(16)
  expect(connectionBound(8, 100)).toBe(8)
  expect(connectionBound(1000, null)).toBe(1000)
})
