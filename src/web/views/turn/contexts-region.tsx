// Draws the current context of a turn for each role, and the feedback to its Player: text, sections, omissions, changes.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Answered } from '../../components/answer.tsx'
import { FailureLine } from '../../components/failure-line.tsx'
import type { Answered as AnswerOf, Turn } from '../../service/operations.ts'
import { type Answer, useOperation } from '../../service/use-service.ts'
import { CONTEXT_NAMES, LeftOut, WrittenContext } from './written-context.tsx'

type Context = AnswerOf<'loadTurnContinuationContext'>
type Role = Context['role']

export function ContextsRegion({ turn }: { turn: Turn }) {
  const [isDifference, setDifference] = useState(false)
  const contexts = { player: useContextFor('player', turn), coach: useContextFor('coach', turn) }
  return (
    <section aria-label="Told">
      <h2>Told</h2>
      {turn.delivered_feedback !== null && (
        <section class="delivered" aria-label="Feedback as it was given">
          <h3>The feedback as it was given to the Player</h3>
          <p class="said">{turn.delivered_feedback}</p>
        </section>
      )}
      <div class="region-head contexts-head">
        <h3>What turn {turn.turn_number} would be told today, from the records of that time</h3>
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
          <section key={role} aria-label={CONTEXT_NAMES[role]}>
            <h4>{CONTEXT_NAMES[role]}</h4>
            <Answered of={contexts[role]}>
              {(context) => (
                <WrittenContext context={context}>
                  <ContextText context={context} turn={turn} isDifference={isDifference} />
                </WrittenContext>
              )}
            </Answered>
          </section>
        ))}
      </div>
      <LeftOut contexts={[contexts.player.answer, contexts.coach.answer].filter((one) => one !== null)} />
    </section>
  )
}

const useContextFor = (role: Role, { project, world_slug, turn_number }: Turn): Answer<Context> =>
  useOperation('loadTurnContinuationContext', {
    project,
    world_slug,
    current_turn: turn_number,
    role,
    as_of: 'turn',
    sections: true,
  })

type TextProps = {
  context: Context
  turn: Turn
  isDifference: boolean
}

function ContextText({ context, turn, isDifference }: TextProps) {
  if (!isDifference) return <ContextBox>{context.context}</ContextBox>
  return <Difference context={context} turn={turn} />
}

type Part = { value: string; added: boolean; removed: boolean }

function Difference({ context, turn }: Omit<TextProps, 'isDifference'>) {
  const { answer: before, failure } = useOperation('loadTurnContinuationContext', {
    project: turn.project,
    world_slug: turn.world_slug,
    current_turn: turn.turn_number - 1,
    role: context.role,
    as_of: 'turn',
  })
  const [parts, setParts] = useState<readonly Part[] | null>(null)
  // Ends the last line with a line break, too. Otherwise the diff joins two lines.
  const [older, newer] = [`${before?.context ?? ''}\n`, `${context.context ?? ''}\n`]
  useEffect(() => {
    if (before === null) return
    import('diff').then(({ diffLines }) => setParts(diffLines(older, newer)))
  }, [before, older, newer])
  if (failure !== null) return <FailureLine failure={failure} />
  if (parts === null) return <p class="loading">Loading …</p>
  return (
    <ContextBox>
      {parts.map((part, i) => (
        <PartOf key={i} part={part} />
      ))}
    </ContextBox>
  )
}

const ContextBox = ({ children }: { children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrollable region
  <pre class="context scrolled said" tabIndex={0}>
    {children}
  </pre>
)

function PartOf({ part: { value, added, removed } }: { part: Part }) {
  if (added) return <ins>{signed('+ ', value)}</ins>
  if (removed) return <del>{signed('− ', value)}</del>
  return <span class="unchanged">{signed('  ', value)}</span>
}

/** Puts a sign before each line, so that additions are visible without color. */
const signed = (sign: string, text: string): string => text.replace(/^(?=.|\n)/gm, sign)
