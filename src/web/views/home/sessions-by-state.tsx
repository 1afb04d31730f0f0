// Draws the running sessions and the finished tasks of the home page.
import { groupBy } from '../../../core/group-by.ts'
import { Bar } from '../../components/bar.tsx'
import { Instant } from '../../components/instant.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { SessionLink, ViewLink } from '../../components/view-link.tsx'
import type { ItemOf } from '../../service/operations.ts'
import { Outcome } from '../sessions/outcome.tsx'

type Session = ItemOf<'listWorlds'>

const toKey = ({ project, world_slug }: Session) => `${project} ${world_slug}`

const linkTo = ({ project, world_slug }: Session) => <SessionLink project={project} world={world_slug} />

const columnsOf = (hasProjects: boolean): Column<Session>[] => [
  ...(hasProjects ? [{ head: 'Project', cell: ({ project }: Session) => <bdi>{project}</bdi> }] : []),
  { head: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  {
    head: 'Proven',
    cell: ({ verified, contested, criteria }) => (
      <Bar part={verified} whole={criteria} contested={contested} />
    ),
  },
  {
    head: 'Last activity',
    isNumber: true,
    cell: ({ last_activity }) => <Instant at={last_activity} />,
  },
]

type RunningProps = {
  sessions: Session[]
  hasProjects: boolean
  /** True if the page has not loaded all sessions. */
  isCut: boolean
}

export function RunningNow({ sessions, hasProjects, isCut }: RunningProps) {
  return (
    <section aria-label="Running now">
      <h2>Running now</h2>
      {sessions.length === 0 ? (
        <p class="quiet-text">{isCut ? 'No listed session is running.' : 'No session is running.'}</p>
      ) : (
        <Table
          label="Running sessions"
          records={sessions}
          toKey={toKey}
          columns={[{ head: 'Session', isName: true, cell: linkTo }, ...columnsOf(hasProjects)]}
        />
      )}
    </section>
  )
}

type FinishedProps = { tasks: FinishedTask<Session>[]; hasProjects: boolean }

export function FinishedTasks({ tasks, hasProjects }: FinishedProps) {
  if (tasks.length === 0) return null
  return (
    <section aria-label="Finished">
      <h2>Finished</h2>
      <Table
        label="Finished tasks"
        records={tasks}
        toKey={({ newest }) => toKey(newest)}
        columns={[
          {
            head: 'Task',
            isName: true,
            cell: ({ newest: { project, world_slug: world, task_id: task } }) => (
              <ViewLink to={{ view: 'session', project, world }}>
                <bdi>{task}</bdi>
              </ViewLink>
            ),
          },
          {
            head: 'Re-runs',
            isNumber: true,
            cell: ({ newest, earlier }) => <Earlier newest={newest} sessions={earlier} />,
          },
          ...columnsOf(hasProjects).map((column) => ({
            ...column,
            cell: ({ newest }: FinishedTask<Session>) => column.cell(newest),
          })),
        ]}
      />
    </section>
  )
}

/** Folds the earlier sessions of a task, each with a link that compares it to the newest one. */
function Earlier({ newest, sessions }: { newest: Session; sessions: Session[] }) {
  if (sessions.length === 0) return <span class="quiet-text">–</span>
  return (
    <details>
      <summary>{sessions.length}</summary>
      {sessions.map((session) => (
        <p key={toKey(session)}>
          {linkTo(session)} <Outcome outcome={session.outcome} />{' '}
          <ViewLink
            to={{ view: 'compare' }}
            search={{ project: session.project, a: session.world_slug, b: newest.world_slug }}
          >
            compare
          </ViewLink>
        </p>
      ))}
    </details>
  )
}

type Grouped = Pick<
  Session,
  'project' | 'feature_id' | 'task_id' | 'world_slug' | 'outcome' | 'last_activity'
>

/** A finished task: its newest session, and the earlier ones, newest first. */
type FinishedTask<S> = { newest: S; earlier: S[] }

/** @param sessions within each project, the last active ones first */
export function groupSessions<S extends Grouped>(
  sessions: readonly S[],
): { running: S[]; finished: FinishedTask<S>[] } {
  const latestFirst = sessions.toSorted((a, b) =>
    a.last_activity === b.last_activity ? 0 : a.last_activity < b.last_activity ? 1 : -1,
  )
  const isRunning = ({ outcome }: S) => outcome === 'running'
  const tasks = groupBy(
    latestFirst.filter((session) => !isRunning(session)),
    ({ project, feature_id, task_id }) => JSON.stringify([project, feature_id, task_id]),
  )
  return {
    running: latestFirst.filter(isRunning),
    finished: [...tasks.values()].flatMap(([newest, ...earlier]) =>
      newest === undefined ? [] : [{ newest, earlier }],
    ),
  }
}
