import { expect, test } from 'vitest'
import { describeValue } from './rows-table.tsx'

test('a value of any kind is a text, numbers in full and null as null', () => {
  expect([null, 1 / 3, 'x', [1, 'y'], { a: 1 }].map(describeValue)).toEqual([
    'null',
    '0.3333333333333333',
    'x',
    '1, y',
    '{"a":1}',
  ])
})
