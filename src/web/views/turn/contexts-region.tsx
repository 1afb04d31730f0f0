// The context as a turn was given it, for each role: its text, what is in it, what was left out, and what is new in it.
import { useState } from 'preact/hooks'
import { Answered } from '../../components/answer.tsx'
import { Table } from '../../components/table.tsx'
import type { Answered as AnswerOf, Turn } from '../../service/operations.ts'
import { type Answer, useOperation } from '../../service/use-service.ts'
import { ContextText } from './context-text.tsx'

type Context = AnswerOf<'loadTurnContinuationContext'>
type Role = Context['role']

const NAMES = { player: 'Context for Player', coach: 'Context for Coach' } as const

export function ContextsRegion({ turn }: { turn: Turn }) {
  const [isDifference, setDifference] = useState(false)
  const contexts = { player: useContextFor('player', turn), coach: useContextFor('coach', turn) }
  return (
    <>
      <div class="region-head contexts-head">
        <h2>The context as it was given</h2>
        {turn.turn_number > 1 && (
          <label>
            <input
              type="checkbox"
              checked={isDifference}
              onChange={({ currentTarget }) => setDifference(currentTarget.checked)}
            />{' '}
            Show what differs from turn {turn.turn_number - 1}
          </label>
        )}
      </div>
      <div class="columns">
        {(['player', 'coach'] as const).map((role) => (
          <section key={role} aria-label={NAMES[role]}>
            <h3>{NAMES[role]}</h3>
            <Answered of={contexts[role]}>
              {(context) => <ContextOf context={context} turn={turn} isDifference={isDifference} />}
            </Answered>
          </section>
        ))}
      </div>
      <LeftOut contexts={contexts} />
    </>
  )
}

const useContextFor = (role: Role, { project, world_slug, turn_number }: Turn): Answer<Context> =>
  useOperation('loadTurnContinuationContext', {
    project,
    world_slug,
    current_turn: turn_number,
    role,
    sections: true,
  })

type ContextProps = { context: Context; turn: Turn; isDifference: boolean }

function ContextOf({ context, turn, isDifference }: ContextProps) {
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
      <ContextText context={context} turn={turn} isDifference={isDifference} />
      <Table
        label={`What is in it, for the ${context.role}`}
        records={sections.filter(({ text }) => text !== '').map((one, place) => ({ ...one, place }))}
        keyOf={({ place }) => String(place)}
        columns={[
          { head: 'In it', isName: true, cell: ({ section }) => section.replaceAll('_', ' ') },
          { head: 'Tokens', isNumber: true, cell: ({ tokens }) => tokens },
        ]}
      />
    </>
  )
}

type Omitted = {
  role: Role
  part: string
  section: string
  tokens: number | null
  reason: string
  text: string
}

/** What each section leaves out; and that what must stay is over the budget, which is of no section. */
const listOmitted = (role: Role, { sections = [], omitted }: Context): Omitted[] => [
  ...sections.flatMap(({ section, omitted }) => omitted.map((one) => ({ role, section, ...one }))),
  ...omitted
    .filter(({ reason }) => reason === 'over_budget')
    .map(({ section, reason }) => ({ role, part: section, section, tokens: null, reason, text: '' })),
]

function LeftOut({ contexts }: { contexts: Readonly<Record<Role, Answer<Context>>> }) {
  const left = (['player', 'coach'] as const).flatMap((role) => {
    const { answer } = contexts[role]
    return answer === null ? [] : listOmitted(role, answer)
  })
  return (
    <section aria-label="Left out">
      <h3>Left out</h3>
      {left.length === 0 ? (
        <p class="quiet-text">Nothing: all of it fitted into the budget.</p>
      ) : (
        <Table
          label="What was left out"
          records={left.map((one, place) => ({ ...one, place }))}
          keyOf={({ place }) => String(place)}
          columns={[
            { head: 'For', cell: ({ role }) => role },
            { head: 'Left out', cell: ({ part }) => part.replaceAll('_', ' ') },
            { head: 'Of', isExtra: true, cell: ({ section }) => section.replaceAll('_', ' ') },
            { head: 'Tokens', isNumber: true, cell: ({ tokens }) => tokens ?? '–' },
            { head: 'Why', cell: ({ reason }) => REASONS[reason] ?? reason.replaceAll('_', ' ') },
            {
              head: 'What it says',
              isName: true,
              cell: ({ text }) => <div class="said clamped">{text}</div>,
            },
          ]}
        />
      )}
    </section>
  )
}

const REASONS: Readonly<Record<string, string>> = {
  token_budget: 'the budget left no room',
  over_budget: 'it stayed, although the budget is spent',
}
