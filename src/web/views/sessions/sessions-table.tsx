// Draws the table of sessions, one row per session.
import { Bar } from '../../components/bar.tsx'
import { Instant } from '../../components/instant.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { SessionLink, ViewLink } from '../../components/view-link.tsx'
import { TurnStrip } from '../../marks/mark.tsx'
import type { ItemOf } from '../../service/operations.ts'
import { nameSession } from '../../session-name.ts'
import { Outcome } from './outcome.tsx'
import { isRunning } from './sessions-sentence.ts'

type Session = ItemOf<'listWorlds'>
type Props = { project: string; sessions: readonly Session[] }

export function SessionsTable({ project, sessions }: Props) {
  const columns: readonly Column<Session>[] = [
    {
      head: 'Session',
      isName: true,
      cell: ({ world_slug: world }) => <SessionLink project={project} world={world} />,
    },
    {
      head: 'Task',
      cell: ({ task_id, world_slug }) => (task_id === nameSession(world_slug) ? '' : <bdi>{task_id}</bdi>),
    },
    {
      head: 'Feature',
      cell: ({ feature_id }) => (
        <ViewLink class="plain" to={{ view: 'sessions', project }} search={{ feature_id }}>
          <bdi>{feature_id}</bdi>
        </ViewLink>
      ),
    },
    { head: 'Turns', cell: (session) => <TurnStrip turns={toStrip(session)} /> },
    {
      head: 'Proven',
      cell: ({ verified, contested, criteria }) => (
        <Bar part={verified} whole={criteria} contested={contested} />
      ),
    },
    { head: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
    { head: 'Last activity', isNumber: true, cell: ({ last_activity }) => <Instant at={last_activity} /> },
    { head: 'At work', cell: (session) => <Holder session={session} /> },
  ]
  return (
    <Table label="Sessions" columns={columns} records={sessions} toKey={({ world_slug }) => world_slug} />
  )
}

const toStrip = (session: Session): { turn: number; decision: string }[] =>
  isRunning(session)
    ? [...session.decisions, { turn: session.current_turn + 1, decision: 'running' }]
    : session.decisions

function Holder({ session }: { session: Session }) {
  const { project, active_turn_run_id: run, lease_owners: owners } = session
  if (!isRunning(session)) return <span class="quiet-text">–</span>
  const name = owners.length === 0 ? 'not claimed yet' : owners.join(', ')
  return run === null ? (
    <bdi>{name}</bdi>
  ) : (
    <ViewLink to={{ view: 'run', project, run }}>
      <bdi>{name}</bdi>
    </ViewLink>
  )
}
