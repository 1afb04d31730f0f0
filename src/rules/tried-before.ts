/** Lists the attempts of the turns before the prior turn (contract: truth.md, section 5). Pure. */
import { cutLine } from './cut-line.ts'
import { toOneLine } from './foreign-text.ts'
import { isInformative } from './summaries.ts'

/** Maximum number of turns in the list. */
export const MAX_TRIED_TURNS = 5

const MAX_LINE_CHARACTERS = 120

export type TriedTurn = { turnNumber: number; text: string }

/** Writes the line of a context for an earlier turn. */
export const writeTriedTurn = ({ turnNumber, text }: TriedTurn): string => `  Turn ${turnNumber}: ${text}`

/**
 * Returns the attempts of earlier turns, newest first. Each fits into its line. A summary that does not describe the work is left out.
 *
 * @param turns at most {@link MAX_TRIED_TURNS} turns before the prior turn
 */
export const listTriedBefore = (
  turns: readonly { turnNumber: number; playerSummary: string }[],
): TriedTurn[] =>
  turns
    .toSorted((a, b) => b.turnNumber - a.turnNumber)
    .flatMap(({ turnNumber, playerSummary }) => {
      const text = toOneLine(playerSummary)
      const room = MAX_LINE_CHARACTERS - writeTriedTurn({ turnNumber, text: '' }).length
      return isInformative(text) ? [{ turnNumber, text: cutLine(text, room) }] : []
    })
