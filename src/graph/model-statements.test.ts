import { expect, test } from 'vitest'
import { relink, selectNodes, selectParts } from './model-statements.ts'

test('statements with different columns or look-up properties have different names', () => {
  const statements = [
    selectNodes('Gate'),
    selectNodes('Gate', { turns: '[(x)<-[:PASSED_THROUGH]-(t) | t.key]' }),
    selectNodes('Gate', {}, 'turnKey'),
    selectParts('SupersededTurn', {}),
    selectParts('SupersededTurn', { all: '1' }),
  ]
  expect(new Set(statements.map(({ name }) => name)).size).toBe(statements.length)
})

test('a relink of the start, of the end and of both are three statements', () => {
  const names = (['from', 'to', 'both'] as const).map(
    (alone) => relink(['Turn', 'a'], 'SUPERSEDES', ['SupersededTurn', 'b'], alone).statement.name,
  )
  expect(new Set(names).size).toBe(3)
})

test('a relink starts at the end node to find the relationships that lead to it', () => {
  const { text } = relink(['Turn', 'a'], 'SUPERSEDES', ['SupersededTurn', 'b'], 'both').statement
  expect(text).toContain('MATCH (b)<-[r:SUPERSEDES]-()')
  expect(text).not.toMatch(/MATCH \(\)/)
})
