import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { TurngraphError } from './errors.ts'
import { parseWire, snakeCase, toWire, wireSchema } from './wire-form.ts'

const schema = z.strictObject({
  playerSummary: z.string(),
  turnNumber: z.number().int().min(1, 'is less than 1'),
  statusMap: z.record(z.string(), z.enum(['a', 'b'])).optional(),
  anyThing: z.json().optional(),
  innerList: z
    .array(z.strictObject({ criterionId: z.string(), maybeNull: z.string().nullish() }))
    .max(2, 'has too many')
    .optional(),
})

const problemsOf = (value: unknown): unknown => {
  try {
    parseWire(schema, value, 'turn')
  } catch (error) {
    expect(error).toBeInstanceOf(TurngraphError)
    return (error as TurngraphError).details
  }
  return null
}

test('problems are described in plain words, not in the words of the parser', () => {
  expect(problemsOf([1])).toEqual({
    problems: [{ path: '', message: 'must be of type object, and is an array' }],
  })
  expect(problemsOf({ player_summary: '', turn_number: Number.NaN })).toEqual({
    problems: [{ path: 'turn_number', message: 'must be of type number, and is NaN' }],
  })
  const value = { player_summary: null, turn_number: 1, status_map: { t: 'c' } }
  expect(problemsOf(value)).toEqual({
    problems: [
      { path: 'player_summary', message: 'must be of type string, and is null' },
      { path: 'status_map.t', message: 'must be "a" or "b"' },
    ],
  })
})

test.each([
  ['turnNumber', 'turn_number'],
  ['id', 'id'],
  ['createdAtUtc', 'created_at_utc'],
])('%s is %s on the wire', (name, wire) => {
  expect(snakeCase(name)).toBe(wire)
})

test('keys that the schema names change, keys of free-form maps do not', () => {
  const value = {
    playerSummary: 'x',
    turnNumber: 1,
    statusMap: { camelCase: 'a' as const, snake_case: 'b' as const },
    anyThing: { camelCase: [{ deepKey: null }] },
    innerList: [{ criterionId: 'c', maybeNull: null }],
  }
  const wire = {
    player_summary: 'x',
    turn_number: 1,
    status_map: { camelCase: 'a', snake_case: 'b' },
    any_thing: { camelCase: [{ deepKey: null }] },
    inner_list: [{ criterion_id: 'c', maybe_null: null }],
  }
  expect(toWire(schema, value)).toEqual(wire)
  expect(parseWire(schema, wire, 'turn')).toEqual(value)
})

test('fields that are absent stay absent', () => {
  expect(parseWire(schema, { player_summary: '', turn_number: 2 }, 'turn')).toEqual({
    playerSummary: '',
    turnNumber: 2,
  })
  expect(toWire(schema, { playerSummary: '', turnNumber: 2 })).toEqual({ player_summary: '', turn_number: 2 })
})

describe('values that do not fit', () => {
  test('all problems are reported at once, each with its path', () => {
    expect(
      problemsOf({
        turn_number: 0,
        status_map: { x: 'c' },
        inner_list: [{ criterion_id: 'a', extraKey: 1 }, {}],
        unknown_one: 1,
        playerSummary: 'camel case is not the wire form',
      }),
    ).toMatchObject({
      problems: expect.arrayContaining([
        expect.objectContaining({ path: 'player_summary' }),
        { path: 'turn_number', message: 'is less than 1' },
        expect.objectContaining({ path: 'status_map.x' }),
        expect.objectContaining({
          path: 'inner_list[0].extraKey',
          message: 'is not a known field',
        }),
        expect.objectContaining({ path: 'inner_list[1].criterion_id' }),
        expect.objectContaining({ path: 'unknown_one' }),
        expect.objectContaining({ path: 'playerSummary' }),
      ]),
    })
  })

  test('a list that is too long is reported as such', () => {
    const list = [1, 2, 3].map((n) => ({ criterion_id: String(n) }))
    expect(problemsOf({ player_summary: '', turn_number: 1, inner_list: list })).toEqual({
      problems: [{ path: 'inner_list', message: 'has too many' }],
    })
  })

  test('a check of a list reads the names of the code, and its problems have the names of the wire', () => {
    const entries = z.array(z.object({ criterionId: z.string() })).superRefine((found, context) => {
      if (found[1]?.criterionId === found[0]?.criterionId)
        context.addIssue({ code: 'custom', path: [1, 'criterionId'], message: 'stands there twice' })
    })
    const parse = (...ids: string[]) =>
      parseWire(
        z.object({ innerList: entries }),
        { inner_list: ids.map((id) => ({ criterion_id: id })) },
        'turn',
      )
    expect(() => parse('a', 'a')).toThrow('turn: inner_list[1].criterion_id: stands there twice')
    expect(parse('a', 'b')).toEqual({ innerList: [{ criterionId: 'a' }, { criterionId: 'b' }] })
  })

  test('the error is an invalid_request that names the kind of the input', () => {
    const parse = () => parseWire(schema, { turn_number: 1 }, 'turn')
    expect(parse).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(/^turn: /) }),
    )
  })

  test.each([null, 'text', [], 7])('%j is not a record', (value) => {
    expect(problemsOf(value)).toMatchObject({ problems: [{ path: '' }] })
  })
})

test('descriptions and further metadata stay with the wire form', () => {
  const described = z.object({ someField: z.string().describe('what it is') })
  const form = wireSchema(described)
  expect(z.toJSONSchema(form)).toMatchObject({
    properties: { some_field: { type: 'string', description: 'what it is' } },
  })
  expect(wireSchema(described)).toBe(form)
})
