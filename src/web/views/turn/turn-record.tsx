// Draws the record of a turn: work done, verdict, tests and gates, files, issues.
import type { ComponentChildren } from 'preact'
import { describeAgent } from '../../../rules/describe-agent.ts'
import { FileList } from '../../components/file-list.tsx'
import { describeDuration, Instant } from '../../components/instant.tsx'
import { Table } from '../../components/table.tsx'
import { decisionMark, Mark } from '../../marks/mark.tsx'
import type { Turn } from '../../service/operations.ts'
import { rankSeverity } from '../session/issues-region.tsx'

export function TurnRecord({ turn }: { turn: Turn }) {
  const {
    blockers_found: blockers,
    lessons_from_turn: lessons,
    files_modified: files,
    files_source: source,
  } = turn
  return (
    <>
      <TurnFacts turn={turn} />
      <div class="columns">
        <section aria-label="Player">
          <h2>Player: {turn.player_decision}</h2>
          <p class="said">{turn.player_summary}</p>
          <TextList head="Blockers" texts={blockers} />
          <TextList head="Lessons" texts={lessons} />
        </section>
        <section aria-label="Coach">
          <h2>
            Coach: <Mark of={decisionMark(turn.coach_decision)} /> {turn.coach_decision}
          </h2>
          <p class="said">{turn.coach_feedback ?? 'No feedback.'}</p>
          {turn.what_to_try_next !== null && (
            <>
              <h3>What to try next</h3>
              <p class="said">{turn.what_to_try_next}</p>
            </>
          )}
        </section>
      </div>
      <TurnIssues issues={turn.issues} />
      <ModifiedFiles files={files} source={source} />
    </>
  )
}

/** Draws nothing if the record has no files. An import adds the created files to `files_modified`, so the text names both. */
export function ModifiedFiles({
  files,
  source,
  isOpen = false,
}: {
  files: readonly string[]
  source: Turn['files_source']
  isOpen?: boolean
}) {
  if (files.length === 0) return null
  return (
    <details class="files-modified" open={isOpen}>
      <summary>
        {files.length === 1 ? 'One file' : `${files.length} files`} created or modified
        {source === 'git' && ', as git shows'}
      </summary>
      <FileList files={files} />
    </details>
  )
}

export function TurnFacts({ turn }: { turn: Turn }) {
  const {
    tests_passed: passed,
    tests_failed: failed,
    duration_seconds: seconds,
    completed_at: completed,
  } = turn
  const tests = passed === null && failed === null ? null : `${passed ?? '–'} passed, ${failed ?? '–'} failed`
  return (
    <dl class="facts">
      <Fact name="Tests">{tests}</Fact>
      <Fact name="Coverage, %">{turn.coverage}</Fact>
      <Fact name="Architecture score">{turn.arch_score}</Fact>
      {Object.entries(turn.gates).map(([gate, status]) => (
        <Fact key={gate} name={`Gate ${gate}`}>
          {status !== 'unknown' && <Mark of={status === 'passed' ? 'approved' : 'rejected turn'} />} {status}
        </Fact>
      ))}
      <Fact name="Duration">{seconds === null ? null : describeDuration(seconds)}</Fact>
      <Fact name="Completed">
        <Instant at={completed} />
      </Fact>
      <Fact name="Mode">{turn.mode.replaceAll('_', ' ')}</Fact>
      <Fact name="Commit">{turn.commit === null ? null : <code>{turn.commit}</code>}</Fact>
      <Fact name="Judged by">{turn.judge === undefined ? null : <bdi>{describeAgent(turn.judge)}</bdi>}</Fact>
      <Fact name="Played by">
        {turn.player === undefined ? null : <bdi>{describeAgent(turn.player)}</bdi>}
      </Fact>
      <Fact name="Recorded by token">{turn.recorded_by}</Fact>
    </dl>
  )
}

/** Draws one value of the record. Draws nothing if the record has no value. */
function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (children === null) return null
  return (
    <div>
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd>{children}</dd>
    </div>
  )
}

export function TextList({ head, texts }: { head: string; texts: readonly string[] }) {
  if (texts.length === 0) return null
  return (
    <>
      <h3>{head}</h3>
      <ul class="texts">
        {texts.map((text) => (
          <li key={text} class="said">
            {text}
          </li>
        ))}
      </ul>
    </>
  )
}

export function TurnIssues({ issues }: { issues: Turn['issues'] }) {
  return (
    <section aria-label="Issues">
      <h2>Issues</h2>
      {issues.length === 0 ? (
        <p class="quiet-text">None was raised.</p>
      ) : (
        <Table
          label="Issues"
          records={issues
            .map((issue, place) => ({ ...issue, place }))
            .toSorted((a, b) => rankSeverity(a.severity) - rankSeverity(b.severity))}
          toKey={({ place }) => String(place)}
          columns={[
            {
              head: 'Severity',
              cell: ({ severity }) => (
                <span class={`severity severity-${severity}`}>{severity.replace('_', ' ')}</span>
              ),
            },
            {
              head: 'Category',
              cell: ({ category }) => <bdi>{category?.replaceAll('_', ' ') ?? '–'}</bdi>,
            },
            { head: 'Issue', isName: true, cell: ({ description }) => <p class="said">{description}</p> },
            { head: 'Suggestion', cell: ({ suggestion }) => <p class="said">{suggestion ?? '–'}</p> },
            {
              head: 'Criteria',
              cell: ({ criterion_ids: ids }) => <bdi>{ids.join(', ') || '–'}</bdi>,
            },
          ]}
        />
      )}
    </section>
  )
}
