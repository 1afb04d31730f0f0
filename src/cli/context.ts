/** `turngraph context`: prints the context of the next turn. */
import { logRecovery } from '../rules/notes.ts'
import { command, POLICY, ROLES, SHARED, TASK } from './command.ts'
import { printLines, printNote } from './output.ts'

export const addContext = command({
  name: 'context',
  description: 'print what the next turn needs to know: the prior turn and all that was verified so far',
  operation: 'loadTurnContinuationContext',
  options: {
    currentTurn: ['--turn <n>', 'the turn that is about to begin', { required: true }],
    role: ['--role <role>', 'for whom (default: player)', ROLES],
    tokenBudget: ['--token-budget <n>', '100 to 100,000 (default: 2000)'],
    perspectiveReset: ['--perspective-reset', 'leave all prior feedback and issues out'],
    elsewhere: [
      '--elsewhere <earlier|known|off>',
      'known: also facts from other sessions; off: not even the end of the earlier session of the task',
      { choices: ['earlier', 'known', 'off'] },
    ],
    asOf: [
      '--as-of <now|turn>',
      'turn: the context before the capture of the turn',
      { choices: ['now', 'turn'] },
    ],
    ...TASK,
    ...POLICY,
    ...SHARED,
  },
  help: 'Example:\n  turngraph context --feature FEAT-1 --task TASK-1 --turn 3 --role coach',
  beside: ({ promises }, { role = 'player' }) => logRecovery(printNote, { promises, role }),
  print({ context, status, worldSlug }, { currentTurn, taskId }) {
    if (context !== null) return printLines(context)
    printNote(
      status === 'first_turn'
        ? `Turn ${currentTurn} is the first: there is nothing before it.`
        : `${worldSlug === null ? taskId : `World ${worldSlug}`} has no turn before turn ${currentTurn}.`,
    )
  },
})
