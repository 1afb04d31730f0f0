/** Describes turns that a rollback withdrew (contract: truth.md, section 6). Pure. */
import { groupBy } from '../core/group-by.ts'
import { toOneLine } from './foreign-text.ts'

const MAX_ROLLBACKS = 3

export type WithdrawnTurn = { turnNumber: number; withdrawnAt: string; reason: string | null }

/** Turns that one rollback withdrew. */
export type WithdrawnRange = {
  fromTurn: number
  toTurn: number
  reason: string | null
  withdrawnAt: string
}

/** Groups withdrawn turns above the prior turn by their rollback, in the order of the turns. The newest rollbacks count. */
export const listWithdrawn = (turns: readonly WithdrawnTurn[], priorTurn: number): WithdrawnRange[] =>
  [
    ...groupBy(
      turns.filter(({ turnNumber }) => turnNumber > priorTurn),
      ({ withdrawnAt }) => withdrawnAt,
    ),
  ]
    .map(([withdrawnAt, ofRollback]) => {
      const numbers = ofRollback.map(({ turnNumber }) => turnNumber)
      return {
        fromTurn: numbers.reduce((a, b) => Math.min(a, b)),
        toTurn: numbers.reduce((a, b) => Math.max(a, b)),
        reason: ofRollback[0]?.reason ?? null,
        withdrawnAt,
      }
    })
    .sort((a, b) => Date.parse(b.withdrawnAt) - Date.parse(a.withdrawnAt) || a.fromTurn - b.fromTurn)
    .slice(0, MAX_ROLLBACKS)
    .sort((a, b) => a.fromTurn - b.fromTurn)

/** Names turns as the subject of a sentence in the past. */
export const nameTurns = (first: number, last: number): string =>
  first === last ? `turn ${first} was` : `turns ${first} to ${last} were`

/** Writes the line of a context for a rollback. */
export function describeWithdrawn({ fromTurn, toTurn, reason }: WithdrawnRange): string {
  const because = reason === null ? '' : toOneLine(reason)
  return `(${nameTurns(fromTurn, toTurn)} withdrawn${because === '' ? '' : `: ${because}`})`
}
