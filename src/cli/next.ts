/** `turngraph next`: prints what matters now in a session. */
import { ask } from './ask.ts'
import { action, ROLES, SHARED, TASK, withTarget } from './command.ts'
import { printLines } from './output.ts'

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
  async (given) => {
    const { project, json, ...input } = await withTarget(given)
    await ask('getNextStep', input, { project, json }, ({ text }) => printLines(text))
  },
)
