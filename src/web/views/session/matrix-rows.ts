// Computes the rows of the matrix of criteria over turns from the answers of the service. Pure.
import { noteBasis } from '../../../rules/basis.ts'
import type { VerdictMark } from '../../marks/mark.tsx'
import type { Answered, Criteria, Criterion } from '../../service/operations.ts'

/** Verdict or promise of a turn about a criterion. */
export type Said = 'verified' | 'rejected' | 'unknown' | 'promised' | 'not judged'

export type Cell = {
  said: Said
  /** The turn rejected a verified criterion, and no later turn that is shown verified it again. */
  isContested: boolean
  /** The turn changed a file of the proof, and no later turn that is shown judged the criterion again. */
  isStale: boolean
}

/** Position of a cell: the key of its criterion, and its turn. */
export type CellPlace = { key: string; turn: number }

export type StateWord = 'rejected' | 'contested' | 'pending' | 'stale' | 'verified' | 'promised'

export type Row = {
  key: string
  label: string
  /** Label of the criterion, with its text if an earlier row has the same label: Player and Coach number criteria differently. */
  name: string
  text: string | null
  state: StateWord
  /** Turn from which the state comes. */
  stateTurn: number | null
  /** Words for how the proof is known; null without a proof, and for the own words of a judge. */
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
    const { contested, stale } = criterion
    return {
      key: criterion.key,
      label: nameCriterion(criterion),
      text: criterion.text,
      ...readState(criterion),
      known: noteBasis(criterion.basis),
      counts: criterion.declared !== false,
      isLeft: criterion.state !== 'verified',
      findCell: (turn) => ({
        said: said.get(turn) ?? 'not judged',
        isContested: contested?.turn === turn,
        isStale: stale?.turn === turn,
      }),
    }
  })
  const promised = criteria.promised_not_judged.map((criterion): UnnamedRow => {
    const said = readSaid(criteriaByKey.get(criterion.key))
    return {
      key: criterion.key,
      label: nameCriterion(criterion),
      text: criterion.text,
      state: 'promised',
      stateTurn: criterion.promise?.turn ?? null,
      known: null,
      counts: false,
      isLeft: true,
      findCell: (turn) => ({ said: said.get(turn) ?? 'not judged', isContested: false, isStale: false }),
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

const MOST_LETTERS = 60

function takeStart(text: string): string {
  const letters = [...text]
  return letters.length <= MOST_LETTERS ? text : `${letters.slice(0, MOST_LETTERS).join('')}…`
}

/** Returns the label of a criterion, or its text if it has no label. */
const nameCriterion = ({ criterion_id, text }: { criterion_id: string; text: string | null }): string =>
  criterion_id === '' ? (text ?? '') : criterion_id

/** Maps each turn to its verdict; a verdict replaces a promise. */
function readSaid(one: ByTurn | undefined): ReadonlyMap<number, Said> {
  const said = new Map<number, Said>()
  if (one === undefined) return said
  for (const turn of one.promised_in) said.set(turn, 'promised')
  for (const turn of one.unknown_in) said.set(turn, 'unknown')
  for (const turn of one.rejected_in) said.set(turn, 'rejected')
  for (const turn of one.verified_in) said.set(turn, 'verified')
  return said
}

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
  'promised',
  'verified',
]

export type Sort = 'label' | 'state'

export function sortRows(rows: readonly Row[], by: Sort): Row[] {
  if (by === 'label') return [...rows]
  return rows.toSorted((a, b) => STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state))
}

/** Builds the accessible name of a cell (contract: web.md, last section). */
export function nameCell(name: string, turn: number, { said, isContested, isStale }: Cell): string {
  return `${name}, turn ${turn}: ${said}${isContested ? ', contested' : ''}${isStale ? ', stale' : ''}`
}

export function markCell({ said, isContested, isStale }: Cell): VerdictMark {
  if (isContested) return 'contested'
  return isStale ? 'stale' : said
}

export const markState = (state: StateWord): VerdictMark => (state === 'pending' ? 'unknown' : state)

/** Returns the keys of the criteria whose state differs under the other policy. */
export function changedStates(rows: readonly Row[], sticky: readonly Criterion[]): ReadonlySet<string> {
  const before = new Map(sticky.map((criterion) => [criterion.key, criterion]))
  const changed = rows.filter(({ key, state }) => {
    const criterion = before.get(key)
    return criterion !== undefined && readState(criterion).state !== state
  })
  return new Set(changed.map(({ key }) => key))
}
