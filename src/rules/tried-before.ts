/** Lists the attempts of the turns before the prior turn (contract: truth.md, section 5). Pure. */
import { cutLine } from './cut-line.ts'
import { toOneLine } from './foreign-text.ts'
import { isInformative } from './summaries.ts'

export const MAX_TRIED_TURNS = 5

const MAX_LINE_CHARACTERS = 120

export type TriedTurn = { turnNumber: number; text: string }

export const writeTriedTurn = ({ turnNumber, text }: TriedTurn): string => `  Turn ${turnNumber}: ${text}`

/** Lists the attempts of turns, each cut to its line. Leaves out summaries that do not describe the work. */
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
