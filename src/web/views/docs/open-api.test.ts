import { expect, test } from 'vitest'
import { openApiDocument } from '../../../http/openapi.ts'
import { buildAddress, callsIn, describeType, exampleFor, type OpenApi } from './open-api.ts'

const document = openApiDocument() as unknown as OpenApi

test('every call of the document is found, with its shared parameters in place', () => {
  const calls = callsIn(document)
  expect(calls.length).toBe(Object.values(document.paths).flatMap(Object.keys).length)
  for (const { parameters } of calls) for (const parameter of parameters) expect(parameter.name).toBeDefined()
  expect(calls.find(({ operationId }) => operationId === 'listCriteria')).toMatchObject({
    method: 'GET',
    path: '/v1/criteria',
    'x-scope': 'read',
  })
})

test('an example of a body has every field that the schema requires', () => {
  const capture = callsIn(document).find(({ operationId }) => operationId === 'captureTurnState')
  const schema = capture?.requestBody?.content?.['application/json']?.schema ?? {}
  expect(exampleFor(schema, document)).toMatchObject({
    feature_id: 'FEAT-1',
    task_id: 'TASK-1',
    turn_number: 1,
    player_summary: 'Built the parser',
  })
})

test('an address has its path and its query filled, and nothing that is empty', () => {
  const turn = callsIn(document).find(({ operationId }) => operationId === 'getTurn')
  if (turn === undefined) throw new Error('there is no getTurn')
  const values = { world_slug: 'a/b', turn_number: '2', project: '' }
  expect(buildAddress(turn, values)).toBe('/v1/worlds/a%2Fb/turns/2')
})

test('a type is told in words', () => {
  expect(describeType({ type: 'array', items: { type: 'string' } })).toBe('list of string')
  expect(describeType({ enum: ['player', 'coach'] })).toBe('"player", "coach"')
  expect(describeType({ type: 'integer', minimum: 1, maximum: 500 })).toBe('integer (minimum 1, maximum 500)')
})
