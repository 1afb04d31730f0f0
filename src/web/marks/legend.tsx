// Explains the marks: each has a name, and an explanation that appears on hover and on focus.
import { useId } from 'preact/hooks'
import { DECISION_MARKS, Mark, VERDICT_MARKS, type VerdictMark } from './mark.tsx'

export const VerdictLegend = () => <Legend label="Marks of verdicts" marks={VERDICT_MARKS} />

export const DecisionLegend = () => <Legend label="Marks of turns" marks={DECISION_MARKS} />

type Props = { label: string; marks: Readonly<Record<string, readonly [name: string, meaning: string]>> }

function Legend({ label, marks }: Props) {
  const id = useId()
  // Escape hides the explanation of a focused mark.
  const hide = ({ key, currentTarget }: KeyboardEvent) => {
    if (key === 'Escape' && currentTarget instanceof HTMLElement) currentTarget.blur()
  }
  return (
    <ul class="legend" aria-label={label}>
      {Object.entries(marks).map(([mark, [name, meaning]]) => (
        <li key={mark}>
          <button type="button" aria-describedby={`${id}-${mark.replace(' ', '-')}`} onKeyDown={hide}>
            <Mark of={mark as VerdictMark} /> {name}
          </button>
          <span role="tooltip" id={`${id}-${mark.replace(' ', '-')}`}>
            {meaning}
          </span>
        </li>
      ))}
    </ul>
  )
}
