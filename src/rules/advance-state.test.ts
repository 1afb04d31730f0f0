import { expect, test } from 'vitest'
import { advanceState } from './advance-state.ts'
import type { LedgerEntry } from './progress.ts'
import { encodeState, NO_TURNS } from './world-state.ts'

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

test('a criterion keeps the labels under which it was named last, in one call or turn by turn', () => {
  const turns = Array.from({ length: 100 }, (_, i) => ({
    ...{ turn: i + 1, digest: 'd', outcome: null, promised: [] },
    entries: [said('a', { turn: i + 1, label: 'AC-0' }), said('b', { turn: i + 1, label: `T${i + 1}` })],
  }))
  const atOnce = advanceState(NO_TURNS, turns, (key) => key)
  const oneByOne = turns.reduce((state, turn) => advanceState(state, [turn], (key) => key), NO_TURNS)
  expect(encodeState('', oneByOne)).toBe(encodeState('', atOnce))
  const { labels } = atOnce
  expect(labels.get('coach\nAC-000')).toBe('a')
  expect(labels.get('coach\nT100')).toBe('b')
  expect(labels.size).toBe(1 + 32)
})

test('the status map of a turn decides what a label means after its full entries', () => {
  const inMap = said('b', { form: 'status' })
  expect(labelsAfter(inMap, said('a', { position: 1 }))).toEqual([['coach\nAC-001', 'b']])
})
