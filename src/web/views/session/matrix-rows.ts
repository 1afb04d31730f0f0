// Reads the matrix of criteria over turns from what the service answers. Pure.
import type { VerdictMark } from '../../marks/mark.tsx'
import type { Answered, Criteria, Criterion } from '../../service/operations.ts'

/** What a turn said of a criterion. */
export type Said = 'verified' | 'rejected' | 'unknown' | 'promised' | 'not judged'

export type Cell = {
  said: Said
  /** It rejected what was verified before, and no later turn of those shown verified it again. */
  isContested: boolean
  /** It touched a file of the proof, and no later turn of those shown looked again. */
  isStale: boolean
}

/** Where a cell is: the key of its criterion, and its turn. */
export type CellPlace = { key: string; turn: number }

export type StateWord = 'rejected' | 'contested' | 'pending' | 'stale' | 'verified' | 'promised'

export type Row = {
  key: string
  label: string
  /** Its label; where a row above has that, too (labels shift between Player and Coach), with its text. */
  name: string
  text: string | null
  state: StateWord
  /** The turn that the state is of. */
  stateTurn: number | null
  /** Whether it counts among what must hold. */
  counts: boolean
  /** Not proven yet; a contested proof still is one. */
  isLeft: boolean
  findCell: (turn: number) => Cell
}

type ByTurn = Answered<'listCriteriaByTurn'>['criteria'][number]

/** The criteria that count in the order of the service, then those that do not. */
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

/** A criterion without a label is named by its text. */
const nameCriterion = ({ criterion_id, text }: { criterion_id: string; text: string | null }): string =>
  criterion_id === '' ? (text ?? '') : criterion_id

/** By turn; a verdict stands before a promise. */
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

/** What needs work stands first. */
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

/** The name by which a cell is found (contract: web.md, last section). */
export function nameCell(name: string, turn: number, { said, isContested, isStale }: Cell): string {
  return `${name}, turn ${turn}: ${said}${isContested ? ', contested' : ''}${isStale ? ', stale' : ''}`
}

export function markCell({ said, isContested, isStale }: Cell): VerdictMark {
  if (isContested) return 'contested'
  return isStale ? 'stale' : said
}

export const markState = (state: StateWord): VerdictMark => (state === 'pending' ? 'unknown' : state)

/** The criteria whose state another policy sees otherwise. */
export function changedStates(rows: readonly Row[], sticky: readonly Criterion[]): ReadonlySet<string> {
  const before = new Map(sticky.map((criterion) => [criterion.key, criterion]))
  const changed = rows.filter(({ key, state }) => {
    const criterion = before.get(key)
    return criterion !== undefined && readState(criterion).state !== state
  })
  return new Set(changed.map(({ key }) => key))
}
