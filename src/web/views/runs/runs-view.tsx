// `/p/{project}/runs`: the turn runs of a project, newest first, and a form that starts one.
import { plural } from '../../../core/plural.ts'
import { type Address, writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Bar } from '../../components/bar.tsx'
import { Select } from '../../components/choice.tsx'
import { Cut } from '../../components/cut.tsx'
import { Empty } from '../../components/empty.tsx'
import { Instant } from '../../components/instant.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { SessionLink } from '../../components/view-link.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import type { ItemOf } from '../../service/operations.ts'
import { useEvents, usePages, useScope } from '../../service/use-service.ts'
import { nameSession } from '../../session-name.ts'
import { RunStatus, STATUSES } from './run-status.tsx'
import { StartRun } from './start-run.tsx'

type Props = { address: Extract<Address, { view: 'runs' }> }
type Run = ItemOf<'listTurnRuns'>

const PAGE = 50

export function RunsView({ address: { project } }: Props) {
  const search = useSearch()
  const world = search.get('world')
  const status = STATUSES.find((one) => one === search.get('status')) ?? null
  const runs = usePages('listTurnRuns', {
    project,
    limit: PAGE,
    ...(world !== null && { world_slug: world }),
    ...(status !== null && { status }),
  })
  useEvents({ project }, runs.again)
  const mayWrite = useScope('write')
  const isFiltered = world !== null || status !== null
  return (
    <Answered of={runs}>
      {({ items, hasMore }) => (
        <>
          <Sentence title="Runs">{sentenceFor(items, hasMore)}</Sentence>
          {mayWrite && <StartRun project={project} world={world ?? ''} />}
          <div class="filters">
            <Select
              label="Status"
              value={status}
              change={(value) => filterBy({ status: value })}
              options={[
                { value: '', text: 'all' },
                ...STATUSES.map((value) => ({ value, text: value.replaceAll('_', ' ') })),
              ]}
            />
            {world !== null && (
              <button type="button" onClick={() => filterBy({ world: null })}>
                Only of <bdi>{nameSession(world)}</bdi> ×
              </button>
            )}
          </div>
          {items.length === 0 && !isFiltered ? (
            <Empty command="turngraph run start WORLD --turns 3">
              No turn run was started in this project yet. This starts one of three turns:
            </Empty>
          ) : (
            <Table
              label="Runs"
              records={items}
              toKey={({ turn_run_id: id }) => id}
              columns={columnsFor(project)}
            />
          )}
          <Cut more={runs.more}>The newest {items.length} runs are shown.</Cut>
        </>
      )}
    </Answered>
  )
}

function sentenceFor(runs: readonly Run[], isCut: boolean): string {
  const active = runs.filter(({ ended_at }) => ended_at === null).length
  const failed = runs.filter(({ status }) => status === 'failed').length
  const of = isCut ? `The newest ${runs.length} runs` : plural(runs.length, 'run')
  return `${of}: ${active} under way, ${failed} failed.`
}

const columnsFor = (project: string): Column<Run>[] => [
  {
    head: 'Run',
    isName: true,
    cell: ({ turn_run_id: run }) => (
      <a href={writeAddress({ view: 'run', project, run })}>
        <code>{run.slice(0, 8)}</code>
      </a>
    ),
  },
  {
    head: 'Session',
    cell: ({ world_slug: world }) => <SessionLink project={project} world={world} />,
  },
  { head: 'Status', cell: (run) => <RunStatus run={run} /> },
  {
    head: 'Turns committed',
    cell: ({ committed_turn_count: done, requested_turn_count: wanted }) => (
      <Bar part={done} whole={wanted} />
    ),
  },
  {
    head: 'Attempts',
    isNumber: true,
    cell: ({ attempt_count: made, max_attempts: most }) => `${made} of ${most}`,
  },
  { head: 'Failed', isNumber: true, cell: ({ failed_attempt_count: failed }) => failed },
  { head: 'Started', cell: ({ started_at: at }) => <Instant at={at} /> },
  { head: 'Ended', cell: ({ ended_at: at }) => (at === null ? '' : <Instant at={at} />) },
  {
    head: 'Why',
    cell: ({ cancel_reason, failure_reason }) => (
      <span class="said">{cancel_reason ?? failure_reason ?? ''}</span>
    ),
  },
]
