import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { readConsistency } from './consistency.ts'
import { ConsistencyRegion } from './consistency-region.tsx'

const criterion = (label: string, more: { declared?: boolean; judged?: boolean } = {}) => ({
  ...{ criterion_id: label, key: `key ${label}`, text: null, aliases: [], state: 'pending' as const },
  ...{ verified_in_turn: null, last_turn: null, basis: null, refuted: false, contested: null, promise: null },
  ...more,
})

const row = (label: string, more: object) => ({
  ...{
    key: `key ${label}`,
    verified_in: [],
    rejected_in: [],
    unknown_in: [],
    promised_in: [],
    unfinished_in: [],
  },
  ...{ observed_in: [], repeated_in: [], misplaced_in: [], bare_in: [] },
  ...more,
})

const reversal = (label: string, rejected_in: number, changed_files: number | null) => ({
  ...{ key: `key ${label}`, criterion_id: label, verified_in: 1, rejected_in, changed_files },
})

const REVERSALS = [reversal('A', 2, 0), reversal('A', 3, 2), reversal('A', 4, null), reversal('C', 2, 0)]

const read = (upTo: number, reversals = REVERSALS) =>
  readConsistency({
    criteria: {
      criteria: [criterion('A'), criterion('B', { judged: false }), criterion('C', { declared: false })],
      // B is declared and promised, but is one criterion.
      promised_not_judged: ['B', 'D'].map((id) => ({
        criterion_id: id,
        key: `key ${id}`,
        text: null,
        promise: null,
      })),
    },
    byTurn: {
      world_slug: 'w',
      turns: [1, 2, 3],
      criteria: [
        row('A', { verified_in: [1, 3], repeated_in: [1], misplaced_in: [3] }),
        row('C', { verified_in: [1], bare_in: [1] }),
      ],
    },
    reversals,
    upTo,
  })

test('reversals, copied evidence and unnamed criteria are found among the criteria that count', () => {
  const { verified, reversedUnchanged, reversedOtherwise, repeated, misplaced, bare, neverNamed } = read(4)
  expect(verified).toBe(2)
  expect(reversedUnchanged).toEqual([
    { key: 'key A', label: 'A', turn: 2, says: 'verified in turn 1, no file changed' },
  ])
  expect(reversedOtherwise.map(({ turn, says }) => `${turn}: ${says}`)).toEqual([
    '3: verified in turn 1, 2 files changed',
    '4: verified in turn 1, changed files unknown',
  ])
  expect([repeated, misplaced, bare].map((list) => list.map(({ turn }) => turn))).toEqual([[1], [3], []])
  expect(neverNamed).toEqual(['B', 'D'])
})

test('later turns than the selected one do not count', () => {
  const { verified, reversedUnchanged, reversedOtherwise, misplaced } = read(2)
  expect([verified, reversedUnchanged.length, reversedOtherwise.length, misplaced.length]).toEqual([
    1, 1, 0, 0,
  ])
})

test('a cut list of reversals is a lower bound, and does not prove that earlier turns have none', () => {
  const newest = Array.from({ length: 200 }, (_, i) => reversal('A', 201 + i, null))
  const draw = (upTo: number) =>
    renderToString(
      h(ConsistencyRegion, { world: { project: 'p', world_slug: 'w' }, facts: read(upTo, newest) }),
    )
  expect(draw(400)).toContain('At least 200 reversals after file changes or unknown changes')
  const early = draw(100)
  expect(early).toContain('Only the newest reversals of the whole session are listed.')
  expect(early).not.toContain('no reversal')
})
