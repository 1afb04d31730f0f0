import { describe, expect, test } from 'vitest'
import { routes } from './routes.ts'
import { operations } from './table.ts'

describe('routes', () => {
  test('every operation has exactly one route', () => {
    expect(routes.map(({ operation }) => operation).sort()).toEqual(Object.keys(operations).sort())
  })
})
