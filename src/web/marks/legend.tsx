// Explains the marks: each has a name, and an explanation that appears on hover and on focus.
import { useId } from 'preact/hooks'
import { type DecisionMark, Mark, type VerdictMark } from './mark.tsx'

type Entry<M> = readonly [mark: M, name: string, meaning: string]

const VERDICTS: readonly Entry<VerdictMark>[] = [
  [
    'observed',
    'observed',
    'Verified by an observation: a command or a test report of this turn, with its exit.',
  ],
  ['verified', "judge's words", 'Verified by a judge in words of its own.'],
  [
    'repeated',
    "Player's words",
    "Verified, but the evidence only repeats the Player's promise. Nobody else saw it.",
  ],
  [
    'misplaced',
    'misplaced words',
    "Verified, but the evidence is the Player's promise for another criterion.",
  ],
  ['bare', 'no evidence', 'Verified without any evidence.'],
  ['rejected', 'rejected', 'A judge rejected the criterion in this turn.'],
  ['unknown', 'unknown', 'A judge named the criterion and gave no verdict.'],
  ['promised', 'promised', 'The Player claims it is done. No judge has named it in this turn.'],
  [
    'unfinished',
    'unfinished',
    'The Player names it and does not claim that it is done: partial, incomplete or uncertain.',
  ],
  ['not judged', 'not judged', 'This turn did not name the criterion.'],
  ['contested', 'contested', 'Verified before, and rejected in this turn.'],
  ['stale', 'stale', 'A file of the proof changed in this turn, and nobody has judged the criterion since.'],
]
const DECISIONS: readonly Entry<DecisionMark>[] = [
  ['approved', 'approved', 'The Coach approved the turn.'],
  ['feedback', 'feedback', 'The Coach sent the turn back with feedback.'],
  ['rejected turn', 'rejected', 'The Coach rejected the turn.'],
  ['deferred', 'deferred', 'The decision was left to a later turn.'],
  ['error', 'error', 'The turn ended with an error.'],
  ['undecided', 'unknown', 'No decision was recorded.'],
  ['running', 'running', 'The turn is running.'],
]

export const VerdictLegend = () => <Legend label="Marks of verdicts" entries={VERDICTS} />

export const DecisionLegend = () => <Legend label="Marks of turns" entries={DECISIONS} />

type Props = { label: string; entries: readonly Entry<VerdictMark | DecisionMark>[] }

function Legend({ label, entries }: Props) {
  const id = useId()
  // Escape hides the explanation of a focused mark.
  const hide = ({ key, currentTarget }: KeyboardEvent) => {
    if (key === 'Escape' && currentTarget instanceof HTMLElement) currentTarget.blur()
  }
  return (
    <ul class="legend" aria-label={label}>
      {entries.map(([mark, name, meaning]) => (
        <li key={mark}>
          <button type="button" aria-describedby={`${id}-${mark.replace(' ', '-')}`} onKeyDown={hide}>
            <Mark of={mark} /> {name}
          </button>
          <span role="tooltip" id={`${id}-${mark.replace(' ', '-')}`}>
            {meaning}
          </span>
        </li>
      ))}
    </ul>
  )
}
