// `/`: the sessions of all projects that need a person, that run now, and that are finished.
import { useEffect, useRef } from 'preact/hooks'
import { writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Empty } from '../../components/empty.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { Table } from '../../components/table.tsx'
import { TranscriptsLine } from '../../components/transcripts-line.tsx'
import { useAnswer, usePages, useScope, useSession, useWholeList } from '../../service/use-service.ts'
import { NeedsYou } from './needs-you.tsx'
import { FinishedTasks, groupSessions, RunningNow } from './sessions-by-state.tsx'
import { WithoutSession } from './without-session.tsx'

/** Maximum number of projects whose sessions the page shows, and of sessions of each. */
const MAX_PROJECTS = 20
const MAX_SESSIONS = 50
/** Maximum number of sessions that need a person, per page. It is high, so that the counts of the groups are usually complete. */
const MAX_ATTENTION = 500

export function HomeView() {
  const projects = useWholeList('listProjects', {})
  useRefresh(projects.again)
  return (
    <>
      <Sentence title="Projects">
        Turngraph remembers what coding agents tried, what is proven, and how it is known.
      </Sentence>
      <Answered of={projects}>
        {(found) =>
          found.length === 0 ? <FirstVisit /> : <Sessions projects={found.map(({ project }) => project)} />
        }
      </Answered>
    </>
  )
}

function FirstVisit() {
  return (
    <>
      <Empty command="turngraph import autobuild PATH">
        Nothing is recorded yet. This imports the artifacts of autobuild sessions:
      </Empty>
      <Empty command="turngraph watch PATH">This imports them while a session writes them:</Empty>
      <Empty command="turngraph capture TURN.json">This records one turn:</Empty>
    </>
  )
}

function Sessions({ projects }: { projects: readonly string[] }) {
  const { service } = useSession()
  const attention = usePages('listAttention', { limit: MAX_ATTENTION })
  const shown = projects.slice(0, MAX_PROJECTS)
  const sessions = useAnswer(JSON.stringify(['sessions', shown]), async (signal) => {
    const pages = await Promise.all(
      shown.map((project) =>
        service.call(
          'listWorlds',
          { project, order: 'last_activity', limit: MAX_SESSIONS, without_tokens: true },
          signal,
        ),
      ),
    )
    const isCut = pages.some(({ next_cursor: next }) => next !== null)
    return { ...groupSessions(pages.flatMap(({ items }) => items)), isCut }
  })
  const hasProjects = projects.length > 1
  const hasMoreProjects = projects.length > shown.length
  const canAnalyse = useScope('analyst')
  useRefresh(() => {
    attention.again()
    sessions.again()
  })
  return (
    <>
      <Answered of={attention}>
        {({ items }) => <NeedsYou items={items} hasProjects={hasProjects} showMore={attention.more} />}
      </Answered>
      {hasMoreProjects && (
        <p class="cut">
          The lists below are cut: they have the first {shown.length} of {projects.length} projects.
        </p>
      )}
      {canAnalyse && <WithoutSession projects={shown} />}
      <Answered of={sessions}>
        {({ running, finished, isCut }) => (
          <>
            <RunningNow sessions={running} hasProjects={hasProjects} isCut={isCut || hasMoreProjects} />
            <FinishedTasks tasks={finished} hasProjects={hasProjects} />
            {isCut && (
              <p class="cut">
                Running and finished sessions are cut: only the latest {MAX_SESSIONS} of each project are
                listed.
              </p>
            )}
          </>
        )}
      </Answered>
      <TranscriptsLine projects={shown} />
      <Projects projects={projects} />
    </>
  )
}

const REFRESH_MS = 60_000

/**
 * Calls `load` each minute while the tab is visible, and when it becomes visible again. The page polls, because a stream of events
 * covers only one project.
 */
function useRefresh(load: () => void): void {
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    const refresh = () => document.visibilityState === 'visible' && latest.current()
    const timer = setInterval(refresh, REFRESH_MS)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [])
}

function Projects({ projects }: { projects: readonly string[] }) {
  return (
    <section aria-label="All projects">
      <h2>All projects</h2>
      <Table
        label="Projects"
        records={projects}
        toKey={(project) => project}
        columns={[
          {
            head: 'Project',
            isName: true,
            cell: (project) => (
              <a href={writeAddress({ view: 'sessions', project })}>
                <bdi>{project}</bdi>
              </a>
            ),
          },
        ]}
      />
    </section>
  )
}
