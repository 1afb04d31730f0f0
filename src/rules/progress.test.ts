import { expect, test } from 'vitest'
import { advance, type LedgerEntry, type Progress, type PromiseEntry } from './progress.ts'

const place = { position: 0, criterionKey: 'a', label: 'AC-1' }
const ON = { tree: 'a'.repeat(40), dirty: null, commit: null, at: '2026-03-01T00:00:00.000Z' }

const verdict = (
  turn: number,
  status: LedgerEntry['status'],
  more: Partial<LedgerEntry> = {},
): LedgerEntry => ({
  ...place,
  ...{ turn, status, source: 'coach', form: 'entry', substantiated: true },
  ...{ evidence: `What the Coach saw in turn ${turn}`, observedOn: null, addedAt: null, text: null },
  ...more,
})
const observed = (turn: number, status: LedgerEntry['status']) => verdict(turn, status, { observedOn: ON })
const complete = (turn: number): PromiseEntry => ({
  ...place,
  turn,
  status: 'complete',
  evidence: 'Done',
  text: null,
})

const fold = (ledger: LedgerEntry[], promised: PromiseEntry[] = []): Progress | undefined =>
  advance(new Map(), ledger, promised).get('a')

test('an entry of a status map does not change the state if its turn has a full entry', () => {
  const full = verdict(1, 'verified')
  const inMap = verdict(1, 'rejected', { form: 'status', position: 1, substantiated: false, evidence: null })
  expect(fold([full, inMap])).toMatchObject({ state: 'verified', contestedInTurn: null, entries: 2 })
  expect(fold([full, { ...inMap, turn: 2 }])).toMatchObject({ state: 'verified', contestedInTurn: 2 })
})

test.each([
  ['a claim of the Player', { status: 'verified', source: 'player' }],
  ['an addition', { status: 'rejected', addedAt: '2026-03-02T00:00:00.000Z' }],
] as const)('%s does not replace the entry of a status map', (_name, more) => {
  const inMap = verdict(1, 'verified', { form: 'status' })
  expect(fold([inMap, { ...verdict(1, 'rejected', { position: 1 }), ...more }])).toMatchObject({
    state: 'verified',
  })
})

test('the verdicts of a turn are applied before its promises', () => {
  const [judged, promised] = [verdict(1, 'rejected', { position: 3 }), complete(1)]
  expect(fold([judged], [promised])).toMatchObject({ firstTurn: 1, firstPosition: 3 })
})

test('a promise is broken if its criterion is rejected in the same turn', () => {
  expect(fold([verdict(1, 'rejected')], [complete(1)])).toMatchObject({ isBrokenPromise: true })
  expect(fold([verdict(1, 'rejected')], [complete(2)])).toMatchObject({ isBrokenPromise: false })
})

test('only a rejection with its own evidence breaks an earlier promise', () => {
  const promised = [complete(1)]
  expect(fold([verdict(2, 'rejected')], promised)).toMatchObject({ isBrokenPromise: true })
  expect(fold([verdict(2, 'rejected', { substantiated: false })], promised)).toMatchObject({
    isBrokenPromise: false,
  })
})

test('a rejection with evidence refutes an observed proof until the criterion is observed again', () => {
  const proof = observed(1, 'verified')
  expect(fold([proof, verdict(2, 'rejected')])?.observed).toMatchObject({
    contestedInTurn: 2,
    isRefuted: true,
  })
  const bare = verdict(2, 'rejected', { substantiated: false })
  expect(fold([proof, bare])?.observed).toMatchObject({ contestedInTurn: 2, isRefuted: false })
  const again = [proof, verdict(2, 'rejected'), observed(3, 'verified')]
  expect(fold(again)?.observed).toMatchObject({ contestedInTurn: null, isRefuted: false })
})
