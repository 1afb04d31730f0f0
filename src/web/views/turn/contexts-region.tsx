// Draws the current context of a turn for each role, and the feedback to its Player: text, sections, omissions, changes.
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Answered } from '../../components/answer.tsx'
import { lazily } from '../../components/lazily.tsx'
import { Said } from '../../components/said.tsx'
import type { Answered as AnswerOf, Turn } from '../../service/operations.ts'
import { type Answer, useOperation } from '../../service/use-service.ts'
import { CONTEXT_NAMES, LeftOut, WrittenContext } from './written-context.tsx'

type Context = AnswerOf<'loadTurnContinuationContext'>
type Role = Context['role']

type Props = {
  turn: Turn
  /** The recorded turn before this one; undefined for the first one. */
  before: number | undefined
}

export function ContextsRegion({ turn, before }: Props) {
  const [isDifference, setDifference] = useState(false)
  const contexts = { player: useContextFor('player', turn), coach: useContextFor('coach', turn) }
  const [player, coach] = [contexts.player.answer, contexts.coach.answer]
  return (
    <section aria-label="Told">
      <h2>Told</h2>
      {turn.delivered_feedback !== null && (
        <section class="delivered" aria-label="Feedback as it was given">
          <h3>The feedback as it was given to the Player</h3>
          <Said text={turn.delivered_feedback} />
        </section>
      )}
      <div class="region-head contexts-head">
        <h3>What turn {turn.turn_number} would be told today, from the records of that time</h3>
        {before !== undefined && (
          <label>
            <input
              type="checkbox"
              checked={isDifference}
              onChange={({ currentTarget }) => setDifference(currentTarget.checked)}
            />{' '}
            Show what differs from turn {before}
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
                  {isDifference && before !== undefined ? (
                    <Difference context={context} turn={turn} before={before} />
                  ) : (
                    <ContextBox>{context.context}</ContextBox>
                  )}
                </WrittenContext>
              )}
            </Answered>
          </section>
        ))}
      </div>
      {player !== null && coach !== null && <LeftOut contexts={[player, coach]} />}
    </section>
  )
}

const useContextFor = (
  role: Role,
  { project, world_slug, turn_number }: Pick<Turn, 'project' | 'world_slug' | 'turn_number'>,
): Answer<Context> =>
  useOperation('loadTurnContinuationContext', {
    project,
    world_slug,
    current_turn: turn_number,
    role,
    as_of: 'turn',
    sections: true,
  })

type DifferenceProps = { context: Context; turn: Turn; before: number }

const Difference = lazily(async () => {
  const { diffLines } = await import('diff')
  return ({ context, turn, before }: DifferenceProps) => {
    const { project, world_slug } = turn
    const earlier = useContextFor(context.role, { project, world_slug, turn_number: before })
    // Ends the last line with a line break, too. Otherwise the diff joins two lines.
    const [older, newer] = [`${earlier.answer?.context ?? ''}\n`, `${context.context ?? ''}\n`]
    const parts = useMemo(() => diffLines(older, newer), [older, newer])
    return (
      <Answered of={earlier}>
        {() => (
          <ContextBox>
            {parts.map((part, i) => (
              <PartOf key={i} part={part} />
            ))}
          </ContextBox>
        )}
      </Answered>
    )
  }
})

type Part = { value: string; added: boolean; removed: boolean }

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
