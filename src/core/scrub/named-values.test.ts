import { expect, test } from 'vitest'
import { findNamedValues } from './named-values.ts'

test.each([
  ['name: my_key\nvalue: ', ''],
  ['{"name": "my_token", "value": "', '"}'],
  ['value: ', '\nname: my_key'],
])('an endless value after %j is judged in linear time', (before, after) => {
  expect([...findNamedValues(before + 'a/'.repeat(500_000) + after)]).toEqual([])
})
