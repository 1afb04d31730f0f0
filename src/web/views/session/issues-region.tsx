// Draws the issues of a session over its turns: when each was opened, in which turns it was raised, and when it was gone.
import { InlineText } from '../../components/inline-text.tsx'
import { type Column, Table } from '../../components/table.tsx'
import type { ItemOf } from '../../service/operations.ts'
import { describeLife, placeLife } from './issue-life.ts'

type Issue = ItemOf<'listIssues'>
type Props = { issues: readonly Issue[]; turns: readonly number[] }

/** Maximum width of a turn in pixels; many turns are narrower. */
const MAX_STEP = 12
const MIN_STEP = 2
const USUAL_WIDTH = 360

export function IssuesRegion({ issues, turns }: Props) {
  const open = issues.filter(({ state }) => state === 'open')
  return (
    <section aria-label="Issues">
      <div class="region-head">
        <h2>Issues</h2>
        <p class="quiet-text">
          {issues.length === 0
            ? 'None was raised.'
            : `${open.length} open, ${issues.length - open.length} gone.`}
        </p>
      </div>
      {issues.length > 0 && (
        <Table
          label="Issues over the turns"
          records={sortIssues(issues)}
          toKey={({ signature }) => signature}
          columns={[
            { head: 'Turns', cell: (issue) => <IssueLine issue={issue} turns={turns} /> },
            SEVERITY,
            {
              head: 'Issue',
              isName: true,
              cell: (issue) => <IssueWords issue={issue} />,
            },
            { head: 'Since turn', isNumber: true, cell: ({ opened_in_turn }) => opened_in_turn },
            { head: 'Last raised', isNumber: true, cell: ({ last_seen_in_turn }) => last_seen_in_turn },
            { head: 'Gone in', isNumber: true, cell: ({ gone_in_turn: gone }) => gone ?? 'open' },
          ]}
        />
      )}
    </section>
  )
}

export const SEVERITY: Column<{ severity: string }> = {
  head: 'Severity',
  cell: ({ severity }) => <span class={`severity severity-${severity}`}>{severity.replace('_', ' ')}</span>,
}

const SEVERITIES: readonly string[] = ['blocking', 'should_fix', 'advisory']

/** Sorts open issues before gone ones, then by severity, then by the number of turns. */
export const sortIssues = <I extends Pick<Issue, 'severity' | 'state' | 'turns'>>(
  issues: readonly I[],
): I[] =>
  issues.toSorted(
    (a, b) =>
      Number(a.state === 'gone') - Number(b.state === 'gone') ||
      rankSeverity(a.severity) - rankSeverity(b.severity) ||
      b.turns.length - a.turns.length,
  )

/** Returns the rank of a severity, the most severe first. */
export function rankSeverity(severity: string): number {
  const rank = SEVERITIES.indexOf(severity)
  return rank === -1 ? SEVERITIES.length : rank
}

/** Draws the newest wording of an issue, and a list of its other wordings that can be opened. */
function IssueWords({ issue }: { issue: Issue }) {
  const { category, description, suggestion, other_wordings: others, wordings } = issue
  return (
    <>
      <div class="said clamped">
        {category !== null && <span class="quiet-text">{category.replaceAll('_', ' ')}: </span>}
        <InlineText text={description} />
        {suggestion !== null && (
          <span class="quiet-text">
            {' → '}
            <InlineText text={suggestion} />
          </span>
        )}
      </div>
      {others.length > 0 && (
        <details class="wordings">
          <summary>
            {others.length === 1 ? 'One other wording' : `${others.length} other wordings`}
            {wordings - 1 > others.length && ` of ${wordings - 1}`}
          </summary>
          <ul>
            {others.map(({ turn, description: words }, i) => (
              <li key={i} class="said">
                <span class="quiet-text">Turn {turn}: </span>
                {words}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** Draws a line from the turn that opened the issue to the turn in which it was gone, and a disc at each turn that raised it. */
function IssueLine({ issue, turns }: { issue: Issue; turns: readonly number[] }) {
  const count = Math.max(1, turns.length)
  const step = Math.max(MIN_STEP, Math.min(MAX_STEP, USUAL_WIDTH / count))
  const width = count * step
  const middle = (column: number) => (column + 0.5) * step
  const { line, raised } = placeLife(issue, turns)
  return (
    <svg
      class="issue-line"
      width={width}
      height="16"
      viewBox={`0 0 ${width} 16`}
      role="img"
      aria-label={describeLife(issue)}
    >
      <line class="baseline" x1="0" x2={width} y1="8" y2="8" />
      {line !== null && (
        <line
          class={`life life-${issue.state}`}
          x1={line.from === 'left edge' ? 0 : middle(line.from)}
          x2={line.to === 'right edge' ? width : middle(line.to)}
          y1="8"
          y2="8"
        />
      )}
      {raised.map(({ turn, column }) => (
        <circle
          key={turn}
          class={`raised raised-${issue.severity}`}
          cx={middle(column)}
          cy="8"
          r={Math.min(3.5, step / 2)}
        />
      ))}
      {line !== null && line.to !== 'right edge' && (
        <line class="gone" x1={middle(line.to)} x2={middle(line.to)} y1="3" y2="13" />
      )}
    </svg>
  )
}
