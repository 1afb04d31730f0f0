// Explains the marks.
import { type DecisionMark, Mark, type VerdictMark } from './mark.tsx'

const VERDICTS: readonly VerdictMark[] = [
  'verified',
  'rejected',
  'unknown',
  'promised',
  'not judged',
  'contested',
  'stale',
]
const DECISIONS: readonly [DecisionMark, string][] = [
  ['approved', 'approved'],
  ['feedback', 'feedback'],
  ['rejected turn', 'rejected'],
  ['deferred', 'deferred'],
  ['error', 'error'],
  ['undecided', 'unknown'],
  ['running', 'running'],
]

export const VerdictLegend = () => (
  <Legend label="Marks of verdicts" entries={VERDICTS.map((mark) => [mark, mark])} />
)

export const DecisionLegend = () => <Legend label="Marks of turns" entries={DECISIONS} />

type Props = { label: string; entries: readonly (readonly [VerdictMark | DecisionMark, string])[] }

function Legend({ label, entries }: Props) {
  return (
    <ul class="legend" aria-label={label}>
      {entries.map(([mark, meaning]) => (
        <li key={mark}>
          <Mark of={mark} /> {meaning}
        </li>
      ))}
    </ul>
  )
}
