import { expect, test } from 'vitest'
import { ClientBookmarks } from './bookmarks.ts'

test('an answer replaces the bookmarks that its request brought', () => {
  const bookmarks = new ClientBookmarks()
  bookmarks.keep('shop', [], 'a')
  bookmarks.keep('shop', ['a'], 'b')
  expect(bookmarks.of('shop')).toEqual(['b'])
})

test('answers of writes that ran at once are all kept, in whatever order they come', () => {
  const bookmarks = new ClientBookmarks()
  bookmarks.keep('shop', [], 'later')
  bookmarks.keep('shop', [], 'earlier')
  expect(bookmarks.of('shop')).toEqual(['later', 'earlier'])
})

test('an answer without a bookmark changes nothing', () => {
  const bookmarks = new ClientBookmarks()
  bookmarks.keep('shop', [], 'a')
  bookmarks.keep('shop', ['a'], null)
  expect(bookmarks.of('shop')).toEqual(['a'])
})

test('the bookmarks of one project are not sent for another one', () => {
  const bookmarks = new ClientBookmarks()
  bookmarks.keep('shop', [], 'a')
  expect(bookmarks.of('bank')).toEqual([])
})

test('a project with more bookmarks than a request may carry sends none any more', () => {
  const bookmarks = new ClientBookmarks()
  for (let i = 0; i < 32; i++) bookmarks.keep('shop', [], `b${i}`)
  expect(bookmarks.of('shop')).toHaveLength(32)
  bookmarks.keep('shop', [], 'one more')
  expect(bookmarks.of('shop')).toEqual([])
  bookmarks.keep('shop', [], 'and one later')
  expect(bookmarks.of('shop')).toEqual([])
})

test('a project whose bookmarks are longer than a header takes sends none any more', () => {
  const bookmarks = new ClientBookmarks()
  bookmarks.keep('shop', [], 'a'.repeat(4_095))
  bookmarks.keep('shop', [], 'b'.repeat(4_095))
  expect(bookmarks.of('shop').join(', ')).toHaveLength(8 * 1024)
  bookmarks.keep('shop', [], 'c')
  expect(bookmarks.of('shop')).toEqual([])
  bookmarks.keep('shop', [], 'and one later')
  expect(bookmarks.of('shop')).toEqual([])
})

test('the project that was written to longest ago is forgotten once there are more than a thousand', () => {
  const bookmarks = new ClientBookmarks()
  for (let i = 0; i < 1_000; i++) bookmarks.keep(`p${i}`, [], 'a')
  bookmarks.keep('p0', ['a'], 'b')
  bookmarks.keep('one more', [], 'a')
  expect(bookmarks.of('p1')).toEqual([])
  expect(bookmarks.of('p0')).toEqual(['b'])
})
