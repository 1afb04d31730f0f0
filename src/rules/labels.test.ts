import { expect, test } from 'vitest'
import { compareNaturally, normalizeLabel } from './labels.ts'

test.each([
  ['AC-1', 'AC-001'],
  ['AC-01', 'AC-001'],
  ['AC-0001', 'AC-001'],
  ['AC-1234', 'AC-1234'],
  ['AC-000', 'AC-000'],
  [' AC-7 ', 'AC-007'],
  ['ＡＣ-７', 'AC-007'],
  ['ac-7', 'ac-007'],
  ['AC-LOAD-01', 'AC-LOAD-01'],
  ['criterion_1', 'criterion_1'],
  ['AC1', 'AC1'],
  ['', ''],
])('the label %j is %j', (given, label) => {
  expect(normalizeLabel(given)).toBe(label)
  expect(normalizeLabel(label)).toBe(label)
})

test('labels are in natural order, and the order is total', () => {
  const ordered = ['', '7', '10', 'AC-2', 'AC-10', 'AC-10a', 'AC-LOAD-01', 'a', 'b2', 'b10', 'ä']
  expect(ordered.toReversed().sort(compareNaturally)).toEqual(ordered)
  for (const a of ordered)
    for (const b of ordered)
      expect(Math.sign(compareNaturally(a, b))).toBe(-Math.sign(compareNaturally(b, a)) + 0)
  expect(compareNaturally('AC-01', 'AC-1')).not.toBe(0)
})
