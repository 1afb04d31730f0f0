// `/p/{project}`: the sessions of a project, latest first, updated live.
import type { Address } from '../../address.ts'
import { writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Cut } from '../../components/cut.tsx'
import { Empty } from '../../components/empty.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { TranscriptsLine } from '../../components/transcripts-line.tsx'
import { DecisionLegend } from '../../marks/legend.tsx'
import { useSearch } from '../../navigation.ts'
import { useEvents, usePages } from '../../service/use-service.ts'
import { isFiltered, readFilter, SessionsFilter } from './sessions-filter.tsx'
import { describeSessions } from './sessions-sentence.ts'
import { SessionsTable } from './sessions-table.tsx'

type Props = { address: Extract<Address, { view: 'sessions' }> }

export function SessionsView({ address: { project } }: Props) {
  const filter = readFilter(useSearch())
  const sessions = usePages('listWorlds', {
    project,
    order: 'last_activity',
    without_tokens: true,
    ...filter,
  })
  useEvents({ project }, sessions.again)
  return (
    <>
      <Sentence title={project}>
        {sessions.answer === null ? ' ' : describeSessions(sessions.answer, isFiltered(filter))}
      </Sentence>
      <TranscriptsLine projects={[project]} />
      <SessionsFilter filter={filter} />
      <Answered of={sessions}>
        {({ items }) => (
          <>
            {items.length > 1 && (
              <p>
                <a href={writeAddress({ view: 'compare' }, { project })}>Compare two sessions</a>
              </p>
            )}
            {items.length > 0 && <SessionsTable project={project} sessions={items} />}
            {items.length === 0 && isFiltered(filter) && <p>No session is like that.</p>}
            {items.length === 0 && !isFiltered(filter) && (
              <Empty command={`turngraph import autobuild PATH --project ${project}`}>
                This project has no session yet. This imports the artifacts of autobuild sessions:
              </Empty>
            )}
            <Cut more={sessions.more}>The list is cut after {items.length} sessions.</Cut>
            {items.length > 0 && <DecisionLegend />}
          </>
        )}
      </Answered>
    </>
  )
}
