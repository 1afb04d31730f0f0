import { expect, test } from 'vitest'
import { keepOrder, orderedObject, parseOrderedJson } from './ordered-json.ts'

test.each([
  '{"a":{"10":"x","2":"y","b":1,"01":3}}',
  '{"2":[{"3":1,"1":2}],"1":"\\"7\\":"}',
  '{"4294967295":1,"4294967294":2,"0":3}',
  '{"b":1,"a":{"c":null}}',
  '[]',
  '"10"',
])('the JSON text %s keeps its order', (text) => {
  expect(JSON.stringify(parseOrderedJson(text))).toBe(text)
  expect(parseOrderedJson(text)).toEqual(JSON.parse(text))
})

test('an escaped whole number is a key like any other', () => {
  expect(Object.keys(parseOrderedJson('{"\\u0031":1,"0":2}') as object)).toEqual(['1', '0'])
})

test('a text that is not JSON is refused', () => {
  expect(() => parseOrderedJson('{"1":')).toThrow(SyntaxError)
})

test('a map keeps its order through a copy of its record', () => {
  const given = parseOrderedJson('{"map":{"10":"x","2":"y"}}')
  expect(JSON.stringify(keepOrder(given, { other: 1, map: { 2: 'y', 10: 'x' } }))).toBe(
    '{"other":1,"map":{"10":"x","2":"y"}}',
  )
  expect(
    JSON.stringify(
      orderedObject([
        ['10', 1],
        ['2', 2],
      ]),
    ),
  ).toBe('{"10":1,"2":2}')
})
