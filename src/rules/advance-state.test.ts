import { expect, test } from 'vitest'
import { advanceState } from './advance-state.ts'
import type { LedgerEntry } from './progress.ts'
import { NO_TURNS } from './world-state.ts'

const said = (criterionKey: string, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...{
    turn: 1,
    position: 0,
    criterionKey,
    label: 'AC-1',
    status: 'verified',
    source: 'coach',
    form: 'entry',
  },
  ...{ substantiated: false, evidence: null, observedOn: null, addedAt: null, text: null },
  ...more,
})
const labelsAfter = (...entries: LedgerEntry[]) => [
  ...advanceState(NO_TURNS, [{ turn: 1, digest: 'd', outcome: null, entries, promised: [] }], (key) => key)
    .labels,
]

test('a label of an added verification has no meaning in later records', () => {
  const added = said('b', { position: 1, label: 'AC-2', addedAt: '2026-01-01T00:00:00Z' })
  expect(labelsAfter(said('a'), added)).toEqual([['coach\nAC-001', 'a']])
})

test('the status map of a turn decides what a label means after its full entries', () => {
  const inMap = said('b', { form: 'status' })
  expect(labelsAfter(inMap, said('a', { position: 1 }))).toEqual([['coach\nAC-001', 'b']])
})
