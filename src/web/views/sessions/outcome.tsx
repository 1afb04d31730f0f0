// Draws the outcome of a session in words, and the summary that explains it.
import { InlineText } from '../../components/inline-text.tsx'
import { nameSession } from '../../session-name.ts'

const WARNED = ['blocked', 'stalled', 'regressed', 'approved with gaps', 'stopped by ']

export function Outcome({ outcome }: { outcome: string }) {
  const isWarned = WARNED.some((start) => outcome.startsWith(start))
  return (
    <bdi class={isWarned ? 'warned' : undefined}>
      {outcome.startsWith('superseded by ') ? nameSession(outcome) : outcome}
    </bdi>
  )
}

export function Summary({ of: { outcome, summary } }: { of: { outcome: string; summary: string } }) {
  return (
    <>
      <Outcome outcome={outcome} />
      <bdi>
        {': '}
        <InlineText text={summary} />
      </bdi>
    </>
  )
}
