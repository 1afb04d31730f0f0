// Draws the context of a role: its text, its sections, and its omissions.
import type { ComponentChildren } from 'preact'
import { plural } from '../../../core/plural.ts'
import { Table } from '../../components/table.tsx'
import type { Answered } from '../../service/operations.ts'

type Context = Answered<'loadTurnContinuationContext'>

export const CONTEXT_NAMES = { player: 'Context for Player', coach: 'Context for Coach' } as const

/** Draws the frame of a context, with its size and its sections. */
export function WrittenContext({ context, children }: { context: Context; children: ComponentChildren }) {
  if (context.context === null) {
    return (
      <p class="quiet-text">
        Nothing:{' '}
        {context.status === 'first_turn' ? 'the first turn of its session.' : 'no turn before it is known.'}
      </p>
    )
  }
  const { tokens, sections = [] } = context
  return (
    <>
      <p class="quiet-text">
        {tokens.used} of {tokens.budget} tokens.
      </p>
      {children}
      <details>
        <summary>Its parts, with their tokens</summary>
        <Table
          label={`What is in it, for the ${context.role}`}
          records={sections.filter(({ text }) => text !== '').map((one, place) => ({ ...one, place }))}
          toKey={({ place }) => String(place)}
          columns={[
            { head: 'Part', isName: true, cell: ({ section }) => section.replaceAll('_', ' ') },
            { head: 'Tokens', isNumber: true, cell: ({ tokens }) => tokens },
          ]}
        />
      </details>
    </>
  )
}

type Omitted = {
  role: Context['role']
  part: string
  section: string
  tokens: number | null
  reason: string
  text: string
}

/** Lists what each section leaves out, and the overrun of the budget, which belongs to no section. */
const listOmitted = ({ role, sections = [], omitted }: Context): Omitted[] => [
  ...sections.flatMap(({ section, omitted }) => omitted.map((one) => ({ role, section, ...one }))),
  ...omitted
    .filter(({ reason }) => reason === 'over_budget')
    .map(({ section, reason }) => ({ role, part: section, section, tokens: null, reason, text: '' })),
]

/** Maximum number of omissions that are shown at once. */
const MAX_OPEN = 12

export function LeftOut({ contexts }: { contexts: readonly Context[] }) {
  const left = contexts.flatMap(listOmitted)
  return (
    <section aria-label="Left out">
      <h3>Left out</h3>
      {left.length === 0 ? (
        <p class="quiet-text">Nothing: all of it fitted into the budget.</p>
      ) : (
        <details open={left.length <= MAX_OPEN}>
          <summary>{plural(left.length, 'part')}</summary>
          <Table
            label="What was left out"
            records={left.map((one, place) => ({ ...one, place }))}
            toKey={({ place }) => String(place)}
            columns={[
              { head: 'For', cell: ({ role }) => role },
              { head: 'Left out', cell: ({ part }) => part.replaceAll('_', ' ') },
              { head: 'Of', cell: ({ section }) => section.replaceAll('_', ' ') },
              { head: 'Tokens', isNumber: true, cell: ({ tokens }) => tokens ?? '–' },
              { head: 'Why', cell: ({ reason }) => REASONS[reason] ?? reason.replaceAll('_', ' ') },
              {
                head: 'What it says',
                isName: true,
                cell: ({ text }) => <div class="said clamped">{text}</div>,
              },
            ]}
          />
        </details>
      )}
    </section>
  )
}

const REASONS: Readonly<Record<string, string>> = {
  token_budget: 'the budget left no room',
  over_budget: 'it stayed, although the budget is spent',
}
