import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import * as z from 'zod'
import type { ImportTarget } from './artifacts/existing-worlds.ts'
import { importAutobuild } from './artifacts/import.ts'
import { operations } from './operations/table.ts'
import { ALL_TOOLS } from './operations/tools.ts'
import { transcriptUpload } from './operations/transcript-upload.ts'
import { loadConfig } from './platform/config.ts'

/** The objects of a schema, at any depth, that take unknown keys and drop them. */
function findLenient(schema: z.ZodType, path: string): string[] {
  if (schema instanceof z.ZodObject) {
    const isStrict = schema.def.catchall instanceof z.ZodNever
    const below = Object.entries(schema.shape).flatMap(([key, field]) =>
      findLenient(field as z.ZodType, `${path}.${key}`),
    )
    return isStrict ? below : [path, ...below]
  }
  if (schema instanceof z.ZodArray) return findLenient(schema.element as z.ZodType, `${path}[]`)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return findLenient(schema.unwrap() as z.ZodType, path)
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((o) => findLenient(o as z.ZodType, path))
  if (schema instanceof z.ZodPipe) return findLenient(schema.in as z.ZodType, path)
  if (schema instanceof z.ZodRecord) return findLenient(schema.valueType as z.ZodType, `${path}{}`)
  return []
}

test('every operation, every MCP tool and the upload reject unknown keys at any depth', () => {
  expect(findLenient(z.object({ a: z.array(z.object({})) }), 'x')).toEqual(['x', 'x.a[]'])
  const inputs: [string, z.ZodType][] = [
    ...Object.entries(operations).map(([name, { input }]): [string, z.ZodType] => [name, input]),
    ...ALL_TOOLS.map(({ name, input }): [string, z.ZodType] => [name, input]),
    ['upload', transcriptUpload],
  ]
  expect(inputs.flatMap(([name, input]) => findLenient(input, name))).toEqual([])
})

test('a misspelled setting is rejected with a suggestion', () => {
  expect(() => loadConfig({ TURNGRAPH_PROJEKT: 'shop' })).toThrow(
    'TURNGRAPH_PROJEKT is no setting: did you mean TURNGRAPH_PROJECT?',
  )
  expect(() => loadConfig({ TURNGRAPH_COLOUR_OF_THE_PAGE: 'red' })).toThrow(
    'TURNGRAPH_COLOUR_OF_THE_PAGE is no setting',
  )
  expect(loadConfig({ TURNGRAPH_PROJECT: 'shop', TURNGRAPH_TEST_VOLUME: '2' }).project).toBe('shop')
})

test.each([
  'bolt://neo4j:12#ssXX@127.0.0.1',
  'bolt://neo4j:12/ssXX@127.0.0.1',
  'bolt://neo4j:12?ssXX@127.0.0.1',
  'neo4j://neo4j:12?ssXX@127.0.0.1',
  'bolt://neo4j:ssXX#@127.0.0.1',
  'bolt://neo4j:%ssXX@127.0.0.1',
  'bolt://neo4j:ssXX@127.0.0.1:76870',
  'bolt://127.0.0.1?policy=ssXX',
])('a store with an invalid address is rejected without a part of its password: %s', async (url) => {
  const load = async () => loadConfig({ TURNGRAPH_STORE: url })
  const error = await load().catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'invalid_request',
    hint: expect.stringContaining('TURNGRAPH_NEO4J_PASSWORD'),
  })
  expect(inspect(error)).not.toContain('ssXX')
})

test('a store may have a password with encoded characters, and a cluster a routing policy', () => {
  const { store } = loadConfig({ TURNGRAPH_STORE: 'neo4j+s://neo4j:12%23ss@db:7687/?policy=eu&region=1' })
  expect(store).toMatchObject({ url: 'neo4j+s://db:7687/?policy=eu&region=1', password: '12#ss' })
})

test('a misspelled option of an import is rejected before the first read or write', async () => {
  const options = { dryrun: true } as object
  await expect(importAutobuild({} as ImportTarget, ['/nowhere'], options)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('dryrun: is no option here'),
  })
})
