import { describe, expect, test } from 'vitest'
import type { Answered, Criteria } from '../../service/operations.ts'
import {
  findNewestCell,
  markCell,
  nameCell,
  readCellPlace,
  readRows,
  sortRows,
  writeCellPlace,
} from './matrix-rows.ts'

const criterion = (label: string, more: Partial<Criteria['criteria'][number]> = {}) => ({
  criterion_id: label,
  key: `key of ${label}`,
  text: `text of ${label}`,
  aliases: [],
  state: 'pending' as const,
  verified_in_turn: null,
  last_turn: null,
  basis: null,
  refuted: false,
  contested: null,
  promise: null,
  ...more,
})

const view = (
  criteria: Criteria['criteria'],
  promisedNotJudged: Criteria['promised_not_judged'] = [],
): Criteria => ({
  task_known: true,
  world_slug: 'w',
  as_of_turn: 3,
  policy: 'sticky',
  total: criteria.length,
  ...{ observed: 0, judged: 0, repeated: 0, misplaced: 0, bare: 0 },
  contested: 0,
  refuted: 0,
  all_verified: false,
  verified: 0,
  remaining: [],
  promised_not_judged: promisedNotJudged,
  criteria,
})

const said = (label: string, more: Partial<Answered<'listCriteriaByTurn'>['criteria'][number]>) => ({
  key: `key of ${label}`,
  verified_in: [],
  rejected_in: [],
  unknown_in: [],
  promised_in: [],
  unfinished_in: [],
  observed_in: [],
  repeated_in: [],
  misplaced_in: [],
  bare_in: [],
  ...more,
})

const byTurn = (...criteria: Answered<'listCriteriaByTurn'>['criteria']) => ({
  world_slug: 'w',
  turns: [],
  criteria,
})

describe('the matrix of criteria over turns', () => {
  test('a criterion that is declared and promised has one row', () => {
    const declared = criterion('AC-001', { declared: true, judged: false })
    const { criterion_id, key, text } = declared
    const rows = readRows(
      view([declared], [{ criterion_id, key, text, promise: { turn: 1, status: 'complete' } }]),
      byTurn(said('AC-001', { promised_in: [1] })),
    )
    expect(rows.map(({ label, state, findCell }) => [label, state, findCell(1).said])).toEqual([
      ['AC-001', 'pending', 'promised'],
    ])
  })

  test('a cell has the verdict of its turn, otherwise its promise, otherwise "not judged"', () => {
    const [row] = readRows(
      view([criterion('AC-001')]),
      byTurn(
        said('AC-001', { verified_in: [2], rejected_in: [3], unknown_in: [4], promised_in: [1, 2, 3, 4, 5] }),
      ),
    )
    expect([1, 2, 3, 4, 5, 6].map((turn) => row?.findCell(turn).said)).toEqual([
      'promised',
      'verified',
      'rejected',
      'unknown',
      'promised',
      'not judged',
    ])
  })

  test('a verified cell shows in name and mark how the verification is known', () => {
    const [row] = readRows(
      view([criterion('AC-001')]),
      byTurn(
        said('AC-001', {
          ...{ verified_in: [1, 2, 3, 4, 5], rejected_in: [6] },
          ...{ observed_in: [2], repeated_in: [3], misplaced_in: [4], bare_in: [5] },
        }),
      ),
    )
    const cells = [1, 2, 3, 4, 5, 6].map((turn) => row?.findCell(turn))
    expect(cells.map((cell) => cell && markCell(cell))).toEqual([
      'verified',
      'observed',
      'repeated',
      'misplaced',
      'bare',
      'rejected',
    ])
    expect(cells.map((cell) => cell && nameCell('AC-001', 1, cell))).toEqual([
      'AC-001, turn 1: verified',
      'AC-001, turn 1: verified, observed',
      "AC-001, turn 1: verified, in the Player's words",
      "AC-001, turn 1: verified, in the Player's words for another criterion",
      'AC-001, turn 1: verified, without evidence',
      'AC-001, turn 1: rejected',
    ])
  })

  test('a row opens the newest turn that names its criterion, otherwise the newest turn', () => {
    const [named, other] = readRows(
      view([criterion('AC-001'), criterion('AC-002')]),
      byTurn(said('AC-001', { promised_in: [2] })),
    )
    expect(named && findNewestCell(named, [1, 2, 3])).toBe(2)
    expect(other && findNewestCell(other, [1, 2, 3])).toBe(3)
  })

  test('the open cell is written to the address and read from it; any other text opens nothing', () => {
    const place = { turn: 12, key: 'shop/TASK-1/a:b' }
    expect(readCellPlace(writeCellPlace(place))).toEqual(place)
    for (const text of [null, '', '3', '3:', '0:a', 'x:a', '-1:a']) expect(readCellPlace(text)).toBeNull()
  })

  test('the cells that contest a proof or make it stale show this in name and mark', () => {
    const [contested, stale] = readRows(
      view([
        criterion('AC-001', { state: 'verified', contested: { turn: 2, reason: null } }),
        criterion('AC-002', { state: 'verified', stale: { turn: 3, files: ['a.ts'] } }),
      ]),
      byTurn(said('AC-001', { verified_in: [1], rejected_in: [2] }), said('AC-002', { verified_in: [1] })),
    )
    const named = (row: typeof contested, turn: number) =>
      row && [nameCell(row.name, turn, row.findCell(turn)), markCell(row.findCell(turn))]
    expect(named(contested, 2)).toEqual(['AC-001, turn 2: rejected, contested', 'contested'])
    expect(named(contested, 1)).toEqual(['AC-001, turn 1: verified', 'verified'])
    expect(named(stale, 3)).toEqual(['AC-002, turn 3: not judged, stale', 'stale'])
  })

  test('criteria that do not count come last, followed by criteria that were promised and never judged', () => {
    const rows = readRows(
      view(
        [criterion('AC-001', { declared: false }), criterion('AC-002', { declared: true })],
        [{ ...criterion('AC-003'), promise: { turn: 1, status: 'complete' } }],
      ),
      byTurn(),
    )
    expect(rows.map(({ label, counts }) => [label, counts])).toEqual([
      ['AC-002', true],
      ['AC-001', false],
      ['AC-003', false],
    ])
  })

  test('of two criteria with one label, the one that counts has the plain label', () => {
    const rows = readRows(
      view(
        [{ ...criterion('AC-006'), text: 'no network calls' }],
        [{ ...criterion('AC-006'), key: 'other', text: 'all tests pass' }],
      ),
      byTurn(),
    )
    expect(rows.map(({ label, name }) => [label, name])).toEqual([
      ['AC-006', 'AC-006'],
      ['AC-006', 'AC-006 (all tests pass)'],
    ])
  })

  test('sorting by state puts criteria that need work first, and a contested proof is not left', () => {
    const rows = readRows(
      view([
        criterion('AC-001', { state: 'verified', verified_in_turn: 1 }),
        criterion('AC-002'),
        criterion('AC-003', { state: 'verified', contested: { turn: 2 } }),
        criterion('AC-004', { state: 'rejected', last_turn: 2 }),
      ]),
      byTurn(),
    )
    expect(sortRows(rows, 'state').map(({ state }) => state)).toEqual([
      'rejected',
      'contested',
      'pending',
      'verified',
    ])
    expect(rows.filter(({ isLeft }) => isLeft).map(({ label }) => label)).toEqual(['AC-002', 'AC-004'])
  })

  test('a promise that is not complete is unfinished, not promised', () => {
    const promised = (label: string, status: 'complete' | 'incomplete') => ({
      ...{ criterion_id: label, key: `key of ${label}`, text: null },
      promise: { turn: 1, status },
    })
    const rows = readRows(
      view([], [promised('AC-001', 'incomplete'), promised('AC-002', 'complete')]),
      byTurn(said('AC-001', { promised_in: [1], unfinished_in: [1] }), said('AC-002', { promised_in: [1] })),
    )
    expect(rows.map(({ label, state, findCell }) => [label, state, findCell(1).said])).toEqual([
      ['AC-001', 'unfinished', 'unfinished'],
      ['AC-002', 'promised', 'promised'],
    ])
  })
})
