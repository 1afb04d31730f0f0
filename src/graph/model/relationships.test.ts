import { expect, test } from 'vitest'
import { LABELS } from './nodes.ts'
import { listOwnerLabels } from './relationships.ts'

test('each label that owns a node is listed once, also if several relationships lead to it', () => {
  expect(listOwnerLabels('Agent')).toEqual(['Turn', 'SupersededTurn'])
  for (const label of LABELS) {
    const owners = listOwnerLabels(label)
    expect(owners).toEqual([...new Set(owners)])
  }
})
