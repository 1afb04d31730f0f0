// `/`: the projects that the caller may read.
import { writeAddress } from '../../address.ts'
import { Answered } from '../../components/answer.tsx'
import { Empty } from '../../components/empty.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { Table } from '../../components/table.tsx'
import { useWholeList } from '../../service/use-service.ts'

export function ProjectsView() {
  const projects = useWholeList('listProjects', {})
  return (
    <Answered of={projects}>
      {(found) => (
        <>
          <Sentence title="Projects">
            {found.length === 1 ? 'One project' : `${found.length} projects`} with sessions of autobuild.
          </Sentence>
          {found.length === 0 ? (
            <Empty command="turngraph import autobuild PATH">
              Nothing is recorded yet. This imports the artifacts of autobuild sessions:
            </Empty>
          ) : (
            <Table
              label="Projects"
              records={found}
              toKey={({ project }) => project}
              columns={[
                {
                  head: 'Project',
                  isName: true,
                  cell: ({ project }) => (
                    <a href={writeAddress({ view: 'sessions', project })}>
                      <bdi>{project}</bdi>
                    </a>
                  ),
                },
              ]}
            />
          )}
        </>
      )}
    </Answered>
  )
}
