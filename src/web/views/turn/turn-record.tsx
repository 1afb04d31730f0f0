// Draws the record of a turn: its facts, its work, the reason of the decision with the issues, and the next step.
import { describeAgent } from '../../../rules/describe-agent.ts'
import { Facts } from '../../components/facts.tsx'
import { FileList } from '../../components/file-list.tsx'
import { describeDuration, Instant } from '../../components/instant.tsx'
import { Names } from '../../components/names.tsx'
import { Said } from '../../components/said.tsx'
import { Table } from '../../components/table.tsx'
import { type NamedCriterion, nameCriterion } from '../../criterion-name.ts'
import { decisionMark, Mark } from '../../marks/mark.tsx'
import type { Turn } from '../../service/operations.ts'
import { rankSeverity, SEVERITY } from '../session/issues-region.tsx'

/** Draws the whole record. */
export const TurnRecord = ({ turn }: { turn: Turn }) => (
  <>
    <TurnFacts turn={turn} />
    <Did turn={turn} />
    <SentBack turn={turn} />
    <Next turn={turn} />
  </>
)

export function Did({ turn }: { turn: Turn }) {
  const { files_modified: files, commit, promises } = turn
  return (
    <section aria-label="Did">
      <h2>Did</h2>
      <h3>Player{turn.player_decision === 'unknown' ? '' : `: ${turn.player_decision}`}</h3>
      <Said text={turn.player_summary} />
      {promises.length > 0 && (
        <p>
          Claims to have met:{' '}
          <Names
            of={promises.map(({ criterion_id }) => criterion_id)}
            after={(i) => {
              const status = promises[i]?.status ?? 'complete'
              return status !== 'complete' && <span class="quiet-text"> ({status.replaceAll('_', ' ')})</span>
            }}
          />
        </p>
      )}
      {commit !== null && (
        <p>
          Commit{' '}
          <code>
            <bdi>{commit}</bdi>
          </code>
        </p>
      )}
      <ModifiedFiles files={files} source={turn.files_source} />
      <TextList head="Blockers" texts={turn.blockers_found} />
      <TextList head="Lessons" texts={turn.lessons_from_turn} />
    </section>
  )
}

const REASONS: Readonly<Record<string, string>> = {
  approved: 'Why it was approved',
  feedback: 'Why it was sent back',
  rejected: 'Why it was rejected',
  error: 'Why it failed',
}

export function SentBack({ turn }: { turn: Turn }) {
  const { coach_decision: decision, coach_feedback: feedback, gates } = turn
  const failed = Object.keys(gates).filter((gate) => gates[gate] === 'failed')
  return (
    <section aria-label="Why">
      <h2>{REASONS[decision] ?? 'What the Coach decided'}</h2>
      <h3>
        Coach: <Mark of={decisionMark(decision)} /> {decision}
      </h3>
      <Said text={feedback ?? 'No feedback.'} />
      {failed.length > 0 && (
        <p>
          {failed.length === 1 ? 'Failed gate: ' : 'Failed gates: '}
          <Names of={failed} />
        </p>
      )}
      <TurnIssues issues={turn.issues} />
    </section>
  )
}

/** @param promised criteria that were promised and never judged */
export function Next({
  turn,
  promised = [],
}: {
  turn: Turn
  promised?: readonly NamedCriterion[] | undefined
}) {
  return (
    <section aria-label="What next">
      <h2>What next</h2>
      {turn.what_to_try_next === null ? (
        <p class="quiet-text">The Coach named no next step.</p>
      ) : (
        <Said text={turn.what_to_try_next} />
      )}
      {promised.length > 0 && (
        <p>
          Promised, and never judged: <Names of={promised.map(nameCriterion)} />
        </p>
      )}
    </section>
  )
}

/** Maximum number of files that are shown at once. */
const MAX_FILES = 12

/** Names the files. An import adds the created files to `files_modified`, so the text names both. */
function ModifiedFiles({ files, source }: { files: readonly string[]; source: Turn['files_source'] }) {
  if (files.length === 0) return <p class="quiet-text">No created or modified file is recorded.</p>
  return (
    <details class="files-modified" open={files.length <= MAX_FILES}>
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
    <Facts
      of={[
        ['Tests', tests],
        ['Coverage, %', turn.coverage],
        ['Architecture score', turn.arch_score],
        ...Object.entries(turn.gates).map(
          ([gate, status]) => [`Gate ${gate}`, <GateStatus key={gate} status={status} />] as const,
        ),
        ['Duration', seconds === null ? null : describeDuration(seconds)],
        ['Completed', <Instant key="completed" at={completed} />],
        ['Mode', turn.mode.replaceAll('_', ' ')],
        ['Judged by', turn.judge && describeAgent(turn.judge)],
        ['Played by', turn.player && describeAgent(turn.player)],
        ['Recorded by token', turn.recorded_by],
      ]}
    />
  )
}

const GateStatus = ({ status }: { status: string }) => (
  <>
    {status !== 'unknown' && <Mark of={status === 'passed' ? 'approved' : 'rejected turn'} />} {status}
  </>
)

function TextList({ head, texts }: { head: string; texts: readonly string[] }) {
  if (texts.length === 0) return null
  return (
    <>
      <h3>{head}</h3>
      <ul class="texts">
        {texts.map((text) => (
          <li key={text}>
            <Said text={text} />
          </li>
        ))}
      </ul>
    </>
  )
}

function TurnIssues({ issues }: { issues: Turn['issues'] }) {
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
            SEVERITY,
            { head: 'Category', cell: ({ category }) => category?.replaceAll('_', ' ') ?? '–' },
            { head: 'Issue', isName: true, cell: ({ description }) => <Said text={description} /> },
            { head: 'Suggestion', cell: ({ suggestion }) => <Said text={suggestion ?? '–'} /> },
            {
              head: 'Criteria',
              cell: ({ criterion_ids: ids }) => ids.join(', ') || '–',
            },
          ]}
        />
      )}
    </section>
  )
}
