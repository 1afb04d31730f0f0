/** `turngraph stall`: prints if a session still makes progress. */
import { EXIT } from '../core/exit-codes.ts'
import type { OperationOutput } from '../operations/table.ts'
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
    exitCode: [
      '--exit-code',
      `exit with ${EXIT.stop.code} if the session should stop, with 0 if it may go on`,
    ],
    ...SHARED,
  },
  help: `Examples:
  turngraph stall --feature FEAT-1 --task TASK-1
  while run-a-turn TASK-1; do
    turngraph stall --world TASK-1 --exit-code
    [ $? -eq ${EXIT.stop.code} ] && break   # any other code than 0 and ${EXIT.stop.code} is an error, not a reason to stop
  done`,
  beside: ({ shouldStop }, { exitCode }) => {
    if (exitCode && shouldStop) process.exitCode = EXIT.stop.code
  },
  print: printStall,
})

async function printStall({
  verdict,
  shouldStop,
  reason,
  suggestion,
  signatures,
}: OperationOutput<'loadStall'>): Promise<void> {
  printText(`${verdict}${shouldStop ? ': stop' : ''}`)
  if (reason !== undefined) printText(reason)
  if (suggestion != null) printText(suggestion)
  await printList(signatures, `${colors(process.stdout).bold('Window')}: no feedback turn.`, {
    turn: 'turn',
    verified: 'verifiedTotal',
    'blocking issues': 'blocking',
    signature: 'signature',
  })
}
