import { expect, test } from 'vitest'
import { graphIn, joinGraphs, nameNode } from './graph-in-rows.ts'

const node = (id: string, label = 'Turn', properties = {}) => ({ id, labels: [label], properties })
const relationship = (id: string, start: string, end: string) => ({
  id,
  type: 'NEXT',
  start,
  end,
  properties: {},
})

test('finds each node and relationship of the rows once, at any depth', () => {
  const path = { nodes: [node('1'), node('2')], relationships: [relationship('r', '1', '2')] }
  const rows = [
    [node('1'), 5, [node('3')]],
    [path, { of: node('4') }, null],
  ]
  const { nodes, relationships } = graphIn(rows)
  expect(nodes.map(({ id }) => id).toSorted()).toEqual(['1', '2', '3', '4'])
  expect(relationships.map(({ id }) => id)).toEqual(['r'])
})

test('leaves out a relationship until both of its nodes exist', () => {
  const first = graphIn([[node('1'), relationship('r', '1', '2')]])
  expect(first.relationships).toEqual([])
  const second = { nodes: [node('2')], relationships: [relationship('r', '1', '2')] }
  expect(joinGraphs(first, second).relationships).toHaveLength(1)
})

test('names a node by its readable property', () => {
  expect(nameNode(node('1', 'World', { slug: 'trial', key: 'p/trial' }))).toBe('trial')
  expect(nameNode(node('1', 'Turn', { number: 3 }))).toBe('Turn 3')
  expect(nameNode(node('1', 'Criterion', { labels: ['AC-001'] }))).toBe('AC-001')
  expect(nameNode(node('1', 'Gate'))).toBe('Gate')
})
