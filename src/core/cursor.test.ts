import { expect, test } from 'vitest'
import { exportPosition } from '../maintenance/export/export.ts'
import { readPosition, toCursor } from './cursor.ts'

const position = { project: 'p', feature: 'p/f', task: 'p/f/t' }

test('a position survives writing and reading, and is short if its keys have common parts', () => {
  expect(readPosition(exportPosition, toCursor(position))).toEqual(position)
  const name = 'n'.repeat(1_024)
  const long = { project: name, work: { feature: `${name}/${name}`, task: `${name}/${name}/${name}` } }
  expect(toCursor(long).length).toBeLessThan(200)
})

test.each(['', 'no cursor', toCursor({ project: 1 }), toCursor({ project: 'p', more: 1 })])(
  'a text that is not a cursor of an export is null: %s',
  (cursor) => expect(readPosition(exportPosition, cursor)).toBeNull(),
)

test('a position with a lost or changed character is null', () => {
  const cursor = toCursor(position)
  const damaged = [...cursor].map((_, i) => `${cursor.slice(0, i)}${cursor.slice(i + 1)}`)
  expect(damaged.map((each) => readPosition(exportPosition, each))).toEqual(damaged.map(() => null))
  expect(readPosition(exportPosition, toCursor('shop'))).toBeNull()
})
