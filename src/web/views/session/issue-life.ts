// Places the life of an issue on the turns that are shown, which may be a part of the session. Pure.
import type { ItemOf } from '../../service/operations.ts'

type Issue = Pick<ItemOf<'listIssues'>, 'opened_in_turn' | 'gone_in_turn' | 'turns'>

/** Start and end in columns: an integer is the middle of a column. */
export type Life = {
  /** Null if the issue was gone before the first turn that is shown. */
  line: { from: number | 'left edge'; to: number | 'right edge' } | null
  /** Turns that raised the issue. */
  raised: { turn: number; column: number }[]
}

/** @param turns turns that are shown, ascending */
export function placeLife(issue: Issue, turns: readonly number[]): Life {
  const { opened_in_turn: opened, gone_in_turn: gone } = issue
  const [first] = turns
  if (first === undefined || (gone !== null && gone < first)) return { line: null, raised: [] }
  const columns = new Map(turns.map((turn, column) => [turn, column]))
  /** Finds the column of a turn. A turn that is not shown is placed at the next one. */
  const placeTurn = (turn: number): number => columns.get(turn) ?? turns.findIndex((one) => one > turn)
  const end = gone === null ? -1 : placeTurn(gone)
  return {
    line: {
      from: opened < first ? 'left edge' : placeTurn(opened),
      to: end === -1 ? 'right edge' : end,
    },
    raised: issue.turns.flatMap((turn) => {
      const column = columns.get(turn)
      return column === undefined ? [] : [{ turn, column }]
    }),
  }
}

const MAX_NAMED = 20

/** Describes the life of an issue in a text of bounded length. */
export function describeLife({ turns, gone_in_turn: gone }: Issue): string {
  const named = turns.slice(-MAX_NAMED).join(', ')
  const raised =
    turns.length > MAX_NAMED
      ? `raised in ${turns.length} turns, the last ${MAX_NAMED}: ${named}`
      : `raised in turns ${named}`
  return `${raised}; ${gone === null ? 'open' : `gone in turn ${gone}`}`
}
