/** Condenses answers for people. The command line loads it at its start. */
import { BASES, type Basis } from './basis.ts'
import { toOneLine } from './foreign-text.ts'

type Promised = { criterionId: string; text: string | null }

/** Writes `1 promised, never judged: "It is cheap"`; null if all promised criteria were judged. */
export const promisedNote = (promised: readonly Promised[]): string | null =>
  promised.length === 0 ? null : `${promised.length} ${NEVER_JUDGED}: ${promisedNames(promised)}`

export const NEVER_JUDGED = 'promised, never judged'

/** Quotes the texts: the first three, and the number of the others. */
export const promisedNames = (promised: readonly Promised[]): string =>
  listNames(
    promised.map(({ criterionId, text }) => `"${toOneLine(text ?? criterionId)}"`),
    3,
  )

export const MAX_LABELS = 12

/** Lists the first names, and the number of the others: `AC-001, AC-002 and 3 more`. */
export const listNames = (names: readonly string[], max = MAX_LABELS): string =>
  names.slice(0, max).join(', ') + (names.length > max ? ` and ${names.length - max} more` : '')

export type Counts = { verified: number; contested: number; total: number }

/** How many of the verified criteria are known in each way, and how many of them are refuted. */
export type ProofCounts = Record<Basis, number> & { refuted: number }

type Countable = {
  state: string
  basis?: Basis | null | undefined
  refuted?: boolean | undefined
  declared?: boolean | undefined
  contested?: { turn: number } | null | undefined
  contestedInTurn?: number | null | undefined
}

/** Returns the newest turn that rejected a verified criterion; null if it is not contested. */
const contestOf = ({ state, contested, contestedInTurn }: Countable): number | null =>
  state === 'verified' ? (contested?.turn ?? contestedInTurn ?? null) : null

/** Counts the criteria that count. Contested criteria are included in the verified ones. */
export function countCriteria(
  criteria: readonly Countable[],
): Counts & ProofCounts & { contestedInTurns: number[] } {
  const counted = criteria.filter(({ declared }) => declared !== false)
  const verified = counted.filter(({ state }) => state === 'verified')
  const contests = counted.flatMap((criterion) => contestOf(criterion) ?? [])
  const byBasis = BASES.map((basis) => [basis, verified.filter((each) => each.basis === basis).length])
  return {
    verified: verified.length,
    ...(Object.fromEntries(byBasis) as Record<Basis, number>),
    refuted: verified.filter(({ refuted }) => refuted === true).length,
    contested: contests.length,
    total: counted.length,
    contestedInTurns: [...new Set(contests)].sort((a, b) => a - b),
  }
}

/** `9 of 9 verified, 9 contested in turn 5` */
export function describeCounts(
  { verified, contested, total, contestedInTurns = [] }: Counts & { contestedInTurns?: readonly number[] },
  { noun = '', verb = 'verified' }: { noun?: string; verb?: string } = {},
): string {
  return `${verified} of ${total}${noun} ${verb}${contestedNote(contested, contestedInTurns)}`
}

const TURNS_SHOWN = 6

/** `, 9 contested in turn 5`; empty if none is contested. */
export function contestedNote(contested: number, turns: readonly number[] = []): string {
  if (contested === 0) return ''
  if (turns.length === 0) return `, ${contested} contested`
  if (turns.length > TURNS_SHOWN) return `, ${contested} contested in ${turns.length} turns`
  return `, ${contested} contested in ${turns.length === 1 ? 'turn' : 'turns'} ${turns.join(', ')}`
}

type Declarable = {
  state: string
  declared?: boolean | undefined
  kind?: string | undefined
  judged?: boolean | undefined
}

/** Returns the notes of a specification about a criterion; empty without a specification or after a verdict. */
export const declarationNotes = ({ state, declared, kind, judged }: Declarable): string[] => [
  ...(kind === 'manual' && state !== 'verified' ? ['for a person'] : []),
  ...(judged === false && kind !== 'manual' ? ['never judged'] : []),
  ...(declared === false ? ['not declared'] : []),
]

type Stated = Declarable & {
  contested: { turn: number } | null
  stale?: { turn: number; files: readonly string[] } | undefined
}

/** Writes a state with its limits: `verified, contested in turn 5`. `basis`: a note that comes second; null without one. */
export function describeState(criterion: Stated, basis: string | null = null): string {
  const { state, contested, stale } = criterion
  return [
    state,
    basis ?? false,
    contested !== null && `contested in turn ${contested.turn}`,
    stale !== undefined && (stale.files.length === 0 ? 'worded anew since' : `touched in turn ${stale.turn}`),
    ...declarationNotes(criterion),
  ]
    .filter((note) => note !== false)
    .join(', ')
}

type Recovered = { source: string; message?: string | undefined }

/** Logs a recovery of promises, only for the Coach's context: each turn loads a context for each role (seed 004). */
export function logRecovery(
  log: ((message: string) => void) | undefined,
  { promises, role = 'coach' }: { promises: Recovered | null; role?: 'player' | 'coach' },
): void {
  if (role === 'coach' && promises?.source === 'recovered' && promises.message !== undefined)
    log?.(promises.message)
}
