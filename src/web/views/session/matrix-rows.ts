// Computes the rows of the matrix of criteria over turns from the answers of the service. Pure.
import { type Basis, noteBasis } from '../../../rules/basis.ts'
import { nameCriterion } from '../../criterion-name.ts'
import type { VerdictMark } from '../../marks/mark.tsx'
import type { Answered, Criteria, Criterion } from '../../service/operations.ts'

/** Verdict or promise of a turn about a criterion. */
export type Said = 'verified' | 'rejected' | 'unknown' | 'promised' | 'unfinished' | 'not judged'

export type Cell = {
  said: Said
  /** How a verification of the turn is known; null if the turn did not verify the criterion. */
  basis: Basis | null
  /** The turn rejected a verified criterion, and no later turn that is shown verified it again. */
  isContested: boolean
  /** The turn changed a file of the proof, and no later turn that is shown judged the criterion again. */
  isStale: boolean
}

/** Position of a cell: the key of its criterion, and its turn. */
export type CellPlace = { key: string; turn: number }

export type StateWord =
  | 'rejected'
  | 'contested'
  | 'pending'
  | 'stale'
  | 'verified'
  | 'promised'
  | 'unfinished'

export type Row = {
  key: string
  label: string
  /** Label of the criterion, with its text if an earlier row has the same label: Player and Coach number criteria differently. */
  name: string
  text: string | null
  state: StateWord
  /** Turn from which the state comes. */
  stateTurn: number | null
  /** How the proof is known; null without a proof. */
  basis: Basis | null
  /** Words for how the proof is known; null without a proof, or if a judge verified it in words of its own. */
  known: string | null
  /** True if the criterion counts toward the total. */
  counts: boolean
  /** True if the criterion is not proven. A contested proof counts as proof. */
  isLeft: boolean
  findCell: (turn: number) => Cell
}

type ByTurn = Answered<'listCriteriaByTurn'>['criteria'][number]

/** Returns the criteria that count in the order of the service, followed by the others. */
export function readRows(criteria: Criteria, byTurn: Answered<'listCriteriaByTurn'>): Row[] {
  const criteriaByKey = new Map(byTurn.criteria.map((one) => [one.key, one]))
  const judged = criteria.criteria.map((criterion): UnnamedRow => {
    const said = readSaid(criteriaByKey.get(criterion.key))
    const bases = readBases(criteriaByKey.get(criterion.key))
    const { contested, stale } = criterion
    return {
      key: criterion.key,
      label: nameCriterion(criterion),
      text: criterion.text,
      ...readState(criterion),
      basis: criterion.basis,
      known: noteBasis(criterion.basis),
      counts: criterion.declared !== false,
      isLeft: criterion.state !== 'verified',
      findCell: (turn) => ({
        said: said.get(turn) ?? 'not judged',
        basis: bases.get(turn) ?? null,
        isContested: contested?.turn === turn,
        isStale: stale?.turn === turn,
      }),
    }
  })
  // A declared criterion that only the Player has named is in both lists.
  const listed = new Set(judged.map(({ key }) => key))
  const notListed = criteria.promised_not_judged.filter(({ key }) => !listed.has(key))
  const promised = notListed.map((criterion): UnnamedRow => {
    const said = readSaid(criteriaByKey.get(criterion.key))
    return {
      key: criterion.key,
      label: nameCriterion(criterion),
      text: criterion.text,
      state: criterion.promise?.status === 'complete' ? 'promised' : 'unfinished',
      stateTurn: criterion.promise?.turn ?? null,
      basis: null,
      known: null,
      counts: false,
      isLeft: true,
      findCell: (turn) => ({
        said: said.get(turn) ?? 'not judged',
        basis: null,
        isContested: false,
        isStale: false,
      }),
    }
  })
  const rows = [
    ...judged.filter(({ counts }) => counts),
    ...judged.filter(({ counts }) => !counts),
    ...promised,
  ]
  return rows.map((row, i) => {
    const isTaken = rows.slice(0, i).some(({ label }) => label === row.label)
    return { ...row, name: isTaken ? `${row.label} (${takeStart(row.text ?? row.key)})` : row.label }
  })
}

type UnnamedRow = Omit<Row, 'name'>

const MAX_LETTERS = 60

function takeStart(text: string): string {
  const letters = [...text]
  return letters.length <= MAX_LETTERS ? text : `${letters.slice(0, MAX_LETTERS).join('')}…`
}

/** Maps each turn to its verdict; a verdict replaces a promise. */
const readSaid = (one: ByTurn | undefined): ReadonlyMap<number, Said> =>
  mapTurns<Said>([
    ['promised', one?.promised_in],
    ['unfinished', one?.unfinished_in],
    ['unknown', one?.unknown_in],
    ['rejected', one?.rejected_in],
    ['verified', one?.verified_in],
  ])

/** Maps each turn that verified the criterion to the basis of its verification. */
const readBases = (one: ByTurn | undefined): ReadonlyMap<number, Basis> =>
  mapTurns<Basis>([
    ['judged', one?.verified_in],
    ['bare', one?.bare_in],
    ['misplaced', one?.misplaced_in],
    ['repeated', one?.repeated_in],
    ['observed', one?.observed_in],
  ])

/** Maps each turn to the value of the last list that has it. */
const mapTurns = <V>(lists: readonly [value: V, turns: readonly number[] | undefined][]): Map<number, V> =>
  new Map(lists.flatMap(([value, turns = []]) => turns.map((turn) => [turn, value] as const)))

function readState(criterion: Criterion): { state: StateWord; stateTurn: number | null } {
  const { state, contested, stale, verified_in_turn, last_turn } = criterion
  if (contested !== null) return { state: 'contested', stateTurn: contested.turn }
  if (stale !== undefined) return { state: 'stale', stateTurn: stale.turn }
  return { state, stateTurn: state === 'verified' ? verified_in_turn : last_turn }
}

/** Sort order of the states: criteria that need work come first. */
const STATE_ORDER: readonly StateWord[] = [
  'rejected',
  'contested',
  'stale',
  'pending',
  'unfinished',
  'promised',
  'verified',
]

export type Sort = 'label' | 'state'

export function sortRows(rows: readonly Row[], by: Sort): Row[] {
  if (by === 'label') return [...rows]
  return rows.toSorted((a, b) => STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state))
}

/** Builds the accessible name of a cell (contract: web.md, last section), with the basis if it is not a judge's own text. */
export function nameCell(name: string, turn: number, { said, basis, isContested, isStale }: Cell): string {
  const known = noteBasis(basis)
  return [
    `${name}, turn ${turn}: ${said}`,
    ...(isContested ? ['contested'] : []),
    ...(isStale ? ['stale'] : []),
    ...(known === null ? [] : [known]),
  ].join(', ')
}

export function markCell({ said, basis, isContested, isStale }: Cell): VerdictMark {
  if (isContested) return 'contested'
  if (isStale) return 'stale'
  return said === 'verified' && basis !== null ? BASIS_MARKS[basis] : said
}

const BASIS_MARKS: Readonly<Record<Basis, VerdictMark>> = {
  observed: 'observed',
  judged: 'verified',
  repeated: 'repeated',
  misplaced: 'misplaced',
  bare: 'bare',
}

/** Writes and reads the position of the open cell in the address. */
export const writeCellPlace = ({ turn, key }: CellPlace): string => `${turn}:${key}`

export function readCellPlace(text: string | null): CellPlace | null {
  const [, turn, key] = /^([1-9]\d{0,8}):(.+)$/s.exec(text ?? '') ?? []
  return turn === undefined || key === undefined ? null : { turn: Number(turn), key }
}

/** Finds the cell that the address opens. `newest:KEY` names the newest cell of a criterion. */
export function findCellPlace(
  text: string | null,
  rows: readonly Row[],
  turns: readonly number[],
): CellPlace | null {
  const row = rows.find(({ key }) => text === `newest:${key}`)
  const turn = row === undefined ? undefined : findNewestCell(row, turns)
  return row === undefined || turn === undefined ? readCellPlace(text) : { key: row.key, turn }
}

/** Finds the cell that a click on a row opens: the newest turn that names the criterion, otherwise the newest turn. */
export const findNewestCell = ({ findCell }: Row, turns: readonly number[]): number | undefined =>
  turns.findLast((turn) => findCell(turn).said !== 'not judged') ?? turns.at(-1)

/** Chooses the mark of a state; a verified one shows the basis of its proof. */
export function markState(state: StateWord, basis: Basis | null = null): VerdictMark {
  if (state === 'verified' && basis !== null) return BASIS_MARKS[basis]
  return state === 'pending' ? 'unknown' : state
}

/** Returns the keys of the criteria whose state differs under the other policy. */
export function changedStates(rows: readonly Row[], sticky: readonly Criterion[]): ReadonlySet<string> {
  const before = new Map(sticky.map((criterion) => [criterion.key, criterion]))
  const changed = rows.filter(({ key, state }) => {
    const criterion = before.get(key)
    return criterion !== undefined && readState(criterion).state !== state
  })
  return new Set(changed.map(({ key }) => key))
}
