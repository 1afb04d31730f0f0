import { expect, test } from 'vitest'
import { labelsIn } from './judgements.ts'

test.each([
  ['AC-002, AC-003 (tests), AC-002 again', ['AC-002', 'AC-003']],
  ['AC-008/AC-9: lint', ['AC-008', 'AC-9']],
  ['All criteria (AC-001 through AC-003)', ['AC-001', 'AC-003']],
  ['criterion_2', ['criterion_2']],
  ['Accurate reporting in UTF-8 for TASK-ABC-004 and SHA-256', []],
])('%s', (requirement, labels) => {
  expect(labelsIn(requirement, [])).toEqual(labels)
})

test("a label with the prefix of the turn's criteria is recognized", () => {
  expect(labelsIn('REQ-3 and AC-LOAD-01, not UTF-8', ['REQ-001', 'AC-LOAD-02'])).toEqual([
    'REQ-3',
    'AC-LOAD-01',
  ])
})
