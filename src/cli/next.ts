/** `turngraph next`: prints what matters now in a session. */
import { ask } from './ask.ts'
import { action, ROLES, requireTarget, SHARED, TASK } from './command.ts'
import { printLines } from './output.ts'
import { readFolderTask } from './task.ts'

export const addNext = action(
  {
    name: 'next',
    description: 'print what is proven, left and blocking, and how to record proof, in at most 300 tokens',
    options: {
      ...TASK,
      role: ['--role <role>', 'for whom (default: player)', ROLES],
      ...SHARED,
    },
    help: `Without a task it uses TURNGRAPH_TASK or the task of this folder (turngraph task set).

Example:
  turngraph next --feature FEAT-1 --task TASK-1`,
  },
  async ({ project, json, role, ...named }) => {
    const isNamed = Object.values(named).some((name) => name !== undefined)
    const found = isNamed ? null : await readFolderTask(process.env.TURNGRAPH_TASK)
    const { feature_id: featureId, task_id: taskId, world_slug: worldSlug } = found?.task ?? {}
    const target = isNamed ? named : { featureId, taskId, worldSlug }
    requireTarget(target)
    await ask(
      'getNextStep',
      { ...target, ...(role !== undefined && { role }) },
      { project: project ?? found?.task.project, json },
      ({ text }) => printLines(text),
    )
  },
)
