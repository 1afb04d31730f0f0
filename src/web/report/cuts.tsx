// Draws the omissions of a report, with the command that shows them.
import type { Cut } from '../../cli/report/report-content.ts'

export function Cuts({ of }: { of: readonly Cut[] }) {
  if (of.length === 0) return null
  return (
    <ul class="cut" aria-label="What is left out of this report">
      {of.map(({ says, command }) => (
        <li key={says}>
          {says}.
          {command !== null && (
            <>
              {' '}
              All of it:{' '}
              <code>
                <bdi>{command}</bdi>
              </code>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
