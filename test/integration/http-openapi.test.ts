import { expect, test } from 'vitest'
import { ERRORS } from '../../src/core/errors.ts'
import { routes } from '../../src/operations/routes.ts'
import { start } from './http-start.ts'

type Json = { [key: string]: ReturnType<JSON['parse']> }

async function document(): Promise<Json> {
  return (await (await start()).call('GET', '/openapi.json', { token: null })).body
}

function everyObject(value: unknown): Json[] {
  if (typeof value !== 'object' || value === null) return []
  return [...(Array.isArray(value) ? [] : [value]), ...Object.values(value).flatMap(everyObject)]
}

test('the document has every route, with an id, its parameters, answers and errors', async () => {
  const api = await document()
  expect(api.openapi).toBe('3.1.0')
  const ids = new Set<string>()
  for (const { method, path, operation, created } of routes) {
    const shown = api.paths[path]?.[method.toLowerCase()]
    expect(shown, `${method} ${path}`).toMatchObject({ operationId: operation, summary: expect.any(String) })
    ids.add(shown.operationId)
    const inPath = shown.parameters.filter((p: Json) => p.in === 'path').map((p: Json) => p.name)
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1]))
    for (const parameter of shown.parameters)
      if (parameter.in === 'path') expect(parameter.required).toBe(true)
    expect(shown.requestBody !== undefined).toBe(['POST', 'PUT', 'PATCH'].includes(method))
    expect(Object.keys(shown.responses)).toEqual(expect.arrayContaining(['200', '400', '401', '403', '503']))
    if (created) expect(shown.responses[created]).toBeDefined()
  }
  expect(ids.size).toBe(routes.length)
})

test('every $ref resolves, and no detail of zod is in it', async () => {
  const api = await document()
  const refs = everyObject(api).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
  expect(refs.length).toBeGreaterThan(20)
  for (const ref of new Set(refs)) {
    expect(ref).toMatch(/^#\/components\//)
    const target = ref
      .slice(2)
      .split('/')
      .reduce((held: Json | undefined, key: string) => held?.[key], api)
    expect(target, ref).toBeDefined()
  }
  expect(JSON.stringify(api)).not.toMatch(/\$defs|__schema|"\$schema"/)
})

test('every error code is explained at its status, in the error form', async () => {
  const api = await document()
  for (const [code, { status }] of Object.entries(ERRORS)) {
    expect(api.components.responses[`Error${status}`].description).toContain(`\`${code}\``)
  }
  expect(api.components.schemas.Error.properties.error.properties.code.enum).toEqual(Object.keys(ERRORS))
})

test('records with unknown fields are rejected, and answers may gain fields', async () => {
  const { schemas } = (await document()).components
  expect(schemas.CaptureTurnStateRequest.additionalProperties).toBe(false)
  expect(schemas.CaptureTurnStateRequest.required).toEqual([
    'feature_id',
    'task_id',
    'turn_number',
    'player_summary',
  ])
  expect(schemas.TurnState.additionalProperties).toBeUndefined()
  expect(schemas.ListTurnsAnswer.properties.items.items).toEqual({ $ref: '#/components/schemas/TurnState' })
})

test('an event of the stream is described by its id and its data, which is the JSON of a record', async () => {
  const api = await document()
  const { schema } = api.paths['/v1/events'].get.responses['200'].content['text/event-stream']
  expect(Object.keys(schema.properties)).toEqual(['id', 'data'])
  const { contentMediaType, contentSchema } = schema.properties.data
  expect(contentMediaType).toBe('application/json')
  const types = contentSchema.anyOf.map(({ properties }: Json) => properties.type.const)
  expect(types).toEqual(['session', 'run', 'import'])
})
