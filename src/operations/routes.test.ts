import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { snakeCase } from '../core/wire-form.ts'
import { routes } from './routes.ts'
import { type OperationName, operationNames, operations } from './table.ts'

describe('routes', () => {
  test('every operation has exactly one route', () => {
    expect(routes.map(({ operation }) => operation).sort()).toEqual(Object.keys(operations).sort())
  })

  /** Numeric fields in the query string or the path, in which all values are text. */
  const numbers = routes.flatMap(({ method, path, operation }) => {
    const { properties = {} } = z.toJSONSchema(operations[operation].input, {
      io: 'input',
      unrepresentable: 'any',
    })
    return Object.entries(properties).flatMap(([field, schema]) => {
      const isInAddress = method === 'GET' || path.includes(`{${snakeCase(field)}}`)
      return isInAddress && /"type":"(integer|number)"/.test(JSON.stringify(schema))
        ? [[operation, field] as const]
        : []
    })
  })

  test('there are numbers in addresses to look at', () => {
    expect(numbers).toContainEqual(['getSpecification', 'version'])
  })

  test.each(numbers)('%s takes %s as the digits of an address', (operation, field) => {
    const { error } = operations[operation].input.safeParse({ [field]: '100' })
    expect((error?.issues ?? []).filter(({ path: [first] }) => first === field)).toEqual([])
  })
})

/** Routes that show one object: the criteria of a session, its matrix, a node. */
const VIEWS = ['listCriteria', 'listCriteriaByTurn', 'listNeighbors']

test('every list answers {items, next_cursor}', () => {
  const lists = operationNames.filter((name) => name.startsWith('list') && !VIEWS.includes(name))
  expect(lists).toContain('listAttempts')
  const keysOf = (name: OperationName) => {
    const { output } = operations[name]
    return 'shape' in output ? Object.keys(output.shape) : []
  }
  for (const name of lists)
    expect([name, keysOf(name)]).toEqual([name, expect.arrayContaining(['items', 'nextCursor'])])
})
