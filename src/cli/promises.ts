/** `turngraph promises`: shows the promises of the Player. */
import { command, SHARED, TASK } from './command.ts'
import { printList, printNote } from './output.ts'

export const addPromises = command({
  name: 'promises',
  description:
    'show what the Player promised: in this turn, else in the newest earlier one that has promises',
  operation: 'recoverPromises',
  options: {
    turn: ['--turn <n>', 'the turn; it need not be captured yet', { required: true }],
    ...TASK,
    ...SHARED,
  },
  help: 'Example:\n  turngraph promises --feature FEAT-1 --task TASK-1 --turn 3',
  async print({ items, message }) {
    if (message !== undefined) printNote(message)
    const { beginning } = await import('./table.ts')
    await printList(items, 'Nothing was promised up to this turn.', {
      criterion: 'criterionId',
      label: 'label',
      status: 'status',
      text: ({ criterionText }) => beginning(criterionText ?? '', 50),
      evidence: ({ evidence }) => beginning(evidence ?? '', 50),
    })
  },
})
