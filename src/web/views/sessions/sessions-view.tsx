// `/p/{project}`: the sessions of a project, the latest first.
import { type Address, writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Bar } from '../../components/bar.tsx'
import { Empty } from '../../components/empty.tsx'
import { Instant } from '../../components/instant.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { Table } from '../../components/table.tsx'
import { useEvents, usePages } from '../../service/use-service.ts'

type Props = { address: Extract<Address, { view: 'sessions' }> }

export function SessionsView({ address: { project } }: Props) {
  const sessions = usePages('listWorlds', { project, order: 'last_activity' })
  useEvents({ project }, sessions.again)
  return (
    <Answered of={sessions}>
      {({ items, hasMore }) => (
        <>
          <Sentence title={project}>{items.length} sessions.</Sentence>
          {items.length === 0 && (
            <Empty command={`turngraph import autobuild PATH --project ${project}`}>
              This project has no session yet. This imports the artifacts of autobuild sessions:
            </Empty>
          )}
          <Table
            label="Sessions"
            records={items}
            keyOf={({ world_slug }) => world_slug}
            columns={[
              {
                head: 'Session',
                isName: true,
                cell: ({ world_slug: world }) => (
                  <a href={writeAddress({ view: 'session', project, world })}>
                    <bdi>{world}</bdi>
                  </a>
                ),
              },
              { head: 'Feature', isExtra: true, cell: ({ feature_id }) => <bdi>{feature_id}</bdi> },
              { head: 'Proven', cell: ({ verified, criteria }) => <Bar part={verified} whole={criteria} /> },
              { head: 'Verdict', cell: ({ verdict }) => verdict.replaceAll('_', ' ') },
              { head: 'Last activity', cell: ({ last_activity }) => <Instant at={last_activity} /> },
            ]}
          />
          {hasMore && (
            <button type="button" onClick={sessions.more}>
              Show more
            </button>
          )}
        </>
      )}
    </Answered>
  )
}
