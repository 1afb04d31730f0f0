// Draws the tasks that have a specification and no session, with the next command.
import { plural } from '../../../core/plural.ts'
import { quoteForShell } from '../../../rules/command-line.ts'
import { Answered } from '../../components/answer.tsx'
import { Table } from '../../components/table.tsx'
import { useAnswer, useSession } from '../../service/use-service.ts'

const MAX_TASKS = 100

type SpecifiedTask = { project: string; feature: string; task: string; criteria: number }

/** Lists the tasks of some projects. Needs the scope `analyst`, as every analysis does. */
export function WithoutSession({ projects }: { projects: readonly string[] }) {
  const { service } = useSession()
  const tasks = useAnswer(JSON.stringify(['without session', projects]), async (signal) => {
    const tasks: SpecifiedTask[] = []
    let isCut = false
    // The service runs four analyses at once, and rejects those that do not fit into its queue. So this sends one at a time.
    for (const project of projects) {
      const name = 'specified-without-session'
      const found = await service.call('runAnalysis', { project, name, limit: MAX_TASKS }, signal)
      for (const [feature, task, criteria] of found.rows)
        tasks.push({ project, feature: String(feature), task: String(task), criteria: Number(criteria) })
      isCut ||= found.truncated
    }
    return { isCut, tasks }
  })
  return (
    <Answered of={tasks}>
      {({ tasks, isCut }) => <SpecifiedTasks tasks={tasks} isCut={isCut} hasProjects={projects.length > 1} />}
    </Answered>
  )
}

type Props = { tasks: readonly SpecifiedTask[]; isCut: boolean; hasProjects: boolean }

function SpecifiedTasks({ tasks, isCut, hasProjects }: Props) {
  if (tasks.length === 0) return null
  return (
    <section aria-label="Specified, without a session">
      <h2>Specified, without a session</h2>
      <p class="quiet-text">
        {tasks.length === 1 ? 'This task has' : 'These tasks have'} declared criteria and no session. The
        command prints what the first turn needs to know.
      </p>
      <Table
        label="Tasks without a session"
        records={tasks}
        toKey={({ project, feature, task }) => JSON.stringify([project, feature, task])}
        columns={[
          ...(hasProjects
            ? [{ head: 'Project', cell: ({ project }: SpecifiedTask) => <bdi>{project}</bdi> }]
            : []),
          { head: 'Task', isName: true, cell: ({ task }) => <bdi>{task}</bdi> },
          { head: 'Feature', cell: ({ feature }) => <bdi>{feature}</bdi> },
          { head: 'Criteria', isNumber: true, cell: ({ criteria }) => criteria },
          { head: 'What next', cell: (task) => <code>{writeCommand(task)}</code> },
        ]}
        cut={isCut ? `Only the first ${plural(MAX_TASKS, 'task')} of each project are listed.` : undefined}
      />
    </section>
  )
}

const writeCommand = ({ project, feature, task }: SpecifiedTask): string =>
  `turngraph context --project ${quoteForShell(project)} --feature ${quoteForShell(feature)} --task ${quoteForShell(task)} --turn 1`
