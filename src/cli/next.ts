/** `turngraph next`: prints what matters now in a session. */
import { command, ROLES, SHARED, TASK } from './command.ts'
import { printLines } from './output.ts'

export const addNext = command({
  name: 'next',
  description: 'print what is proven, left and blocking, and how to record proof, in at most 300 tokens',
  operation: 'getNextStep',
  options: {
    ...TASK,
    role: ['--role <role>', 'for whom (default: player)', ROLES],
    ...SHARED,
  },
  help: `Without a task it uses TURNGRAPH_TASK or the task of this folder (turngraph task set).

Example:
  turngraph next --feature FEAT-1 --task TASK-1`,
  print: ({ text }) => printLines(text),
})
