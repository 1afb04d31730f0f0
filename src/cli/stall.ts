/** `turngraph stall`: says whether a session still gets anywhere. */
import { command, POLICY, SHARED, TASK } from './command.ts'
import { printList, printText } from './output.ts'
import { colors } from './terminal.ts'

export const addStall = command({
  name: 'stall',
  description: 'say whether a session still gets anywhere, and what to look at if not',
  operation: 'loadStall',
  options: {
    turn: ['--turn <n>', 'as of this turn, inclusive (default: the newest)'],
    ...TASK,
    ...POLICY,
    ...SHARED,
  },
  help: 'Example:\n  turngraph stall --feature FEAT-1 --task TASK-1',
  async print({ verdict, shouldStop, reason, suggestion, signatures }) {
    printText(`${verdict}${shouldStop ? ': stop' : ''}`)
    if (reason !== undefined) printText(reason)
    if (suggestion != null) printText(suggestion)
    await printList(signatures, `${colors(process.stdout).bold('Window')}: no feedback turn.`, {
      turn: 'turn',
      verified: 'verifiedTotal',
      'blocking issues': 'blocking',
      signature: 'signature',
    })
  },
})
