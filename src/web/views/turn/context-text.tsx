// Draws the text of a context as a model receives it, or its differences from the context of the previous turn.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { FailureLine } from '../../components/failure-line.tsx'
import type { Answered, Turn } from '../../service/operations.ts'
import { useOperation } from '../../service/use-service.ts'

type Props = {
  context: Answered<'loadTurnContinuationContext'>
  turn: Turn
  isDifference: boolean
}

export function ContextText({ context, turn, isDifference }: Props) {
  if (!isDifference) return <ContextBox>{context.context}</ContextBox>
  return <Difference context={context} turn={turn} />
}

type Part = { value: string; added: boolean; removed: boolean }

function Difference({ context, turn }: Omit<Props, 'isDifference'>) {
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
