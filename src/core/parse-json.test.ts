import { expect, test } from 'vitest'
import { listRepeatedKeys } from './parse-json.ts'

test.each([
  ['{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}', []],
  ['{"a": 1, "a": 2, "a": 3}', ['a']],
  ['{"a": {"b": 1, "b" : 2}, "c": 1, "c": "{\\"a\\": 1}"}', ['b', 'c']],
  ['{"a": "a", "b": ["a", "a"]}', []],
  ['{"__proto__": 1, "__proto__": 2}', ['__proto__']],
])('the repeated keys of the objects in %s are %j', (text, keys) => {
  expect(listRepeatedKeys(text)).toEqual(keys)
})
