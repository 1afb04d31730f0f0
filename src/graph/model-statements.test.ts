import { expect, test } from 'vitest'
import { relink, selectNodes, selectParts } from './model-statements.ts'

test('statements that differ in their columns or in what they look for have names of their own', () => {
  const statements = [
    selectNodes('Gate'),
    selectNodes('Gate', { turns: '[(x)<-[:PASSED_THROUGH]-(t) | t.key]' }),
    selectNodes('Gate', {}, 'name'),
    selectParts('SupersededTurn', {}),
    selectParts('SupersededTurn', { all: '1' }),
  ]
  expect(new Set(statements.map(({ name }) => name)).size).toBe(statements.length)
})

test('a relink at the one end, at the other and at both are three statements', () => {
  const names = (['from', 'to', 'both'] as const).map(
    (alone) => relink(['Turn', 'a'], 'SUPERSEDES', ['SupersededTurn', 'b'], alone).statement.name,
  )
  expect(new Set(names).size).toBe(3)
})

test('a relink looks for what leads to a node from that node on', () => {
  const { text } = relink(['Turn', 'a'], 'SUPERSEDES', ['SupersededTurn', 'b'], 'both').statement
  expect(text).toContain('MATCH (b)<-[r:SUPERSEDES]-()')
  expect(text).not.toMatch(/MATCH \(\)/)
})
