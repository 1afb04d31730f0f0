/** Writes what matters now in a session, for an agent that asks between two turns. Pure. */
import { cutLine } from './cut-line.ts'
import { toOneLine } from './foreign-text.ts'
import { type Counts, describeCounts } from './notes.ts'

/** Maximum number of tokens of the text (contract: doors.md, section 1). */
export const MAX_NEXT_STEP_TOKENS = 300

const MAX_LINE_CHARACTERS = 120
const MAX_ITEMS = 8

export type NextStep = {
  turnNumber: number
  /** The newest turn, if its Coach approved it. */
  approvedIn: number | null
  worldSlug: string | null
  counts: Counts & { contestedInTurns: number[] }
  openManual: number
  left: readonly { criterionId: string; text: string | null; why: string }[]
  blocking: readonly string[]
  tried: readonly { turnNumber: number; text: string }[]
  /** The sentence that helps a stalled session. */
  advice: string | null
  /** The command that records the turn. */
  record: string
}

type Section = { heading: string; lines: string[]; hidden: number }

/** Writes a section per question. Omits lines from the last sections first. `countTokens` counts up to a limit. */
export function writeNextStep(step: NextStep, countTokens: (text: string, atMost: number) => number): string {
  const { turnNumber, approvedIn, worldSlug, counts, openManual, left, blocking, tried, advice, record } =
    step
  const session = worldSlug === null ? 'a new session' : `session ${cut(worldSlug)}`
  const start =
    approvedIn === null
      ? `Turn ${turnNumber} of ${session} is next`
      : `The Coach approved ${session} in turn ${approvedIn}`
  // The list of what is left names the turns.
  const { contestedInTurns: _turns, ...numbers } = counts
  const state = counts.total === 0 ? 'No criterion is known' : describeCounts(numbers)
  const sections: Section[] = [
    section(
      'Left',
      left.map(({ criterionId, text, why }) => `${criterionId} (${why})${text === null ? '' : `: ${text}`}`),
    ),
    section('Blocking', blocking),
    section(
      'Tried before',
      tried.map(({ turnNumber: turn, text }) => `Turn ${turn}: ${text}`),
    ),
  ]
  for (;;) {
    const text = [
      `${start}. ${state}${openManual === 0 ? '' : `, ${openManual} left to a person`}.`,
      ...sections.flatMap(renderSection),
      ...(advice === null ? [] : [`Advice: ${cut(advice)}`]),
      `Record the turn with its proofs: ${record}`,
    ].join('\n')
    const longest = sections.findLast(({ lines }) => lines.length > 0)
    if (longest === undefined || countTokens(text, MAX_NEXT_STEP_TOKENS) <= MAX_NEXT_STEP_TOKENS) return text
    longest.lines.pop()
    longest.hidden++
  }
}

const section = (heading: string, lines: readonly string[]): Section => ({
  heading,
  lines: lines.slice(0, MAX_ITEMS).map(cut),
  hidden: Math.max(0, lines.length - MAX_ITEMS),
})

const renderSection = ({ heading, lines, hidden }: Section): string[] =>
  lines.length + hidden === 0
    ? []
    : [`${heading}:`, ...lines.map((line) => `- ${line}`), ...(hidden === 0 ? [] : [`- and ${hidden} more`])]

/** Returns the start of a text in one line, so that no text from outside begins a line. */
const cut = (text: string): string => cutLine(toOneLine(text), MAX_LINE_CHARACTERS)
