import type { Command } from 'commander'
import type { StallView } from '../memory/criteria/views.ts'
import { ask } from './ask.ts'
import { colours } from './colours.ts'
import {
  type PolicyOption,
  type TargetOptions,
  targetOf,
  whole,
  withJson,
  withPolicy,
  withProject,
  withTarget,
} from './options.ts'
import { printNote, printText } from './output.ts'

type StallOptions = TargetOptions & PolicyOption & { turn?: number }

export function addStall(program: Command): void {
  const stall = program
    .command('stall')
    .description('say whether a session still gets anywhere, and what to look at if not')
    .option('--turn <n>', 'as of this turn, inclusive (default: the newest)', whole)
    .addHelpText('after', '\nExample:\n  turngraph stall --feature FEAT-1 --task TASK-1\n')
    .action(showStall)
  withPolicy(withTarget(stall))
  withJson(withProject(stall))
}

const showStall = (options: StallOptions): Promise<void> => {
  const { turn, policy } = options
  return ask('loadStall', { ...targetOf(options), turn, policy }, options, printStall)
}

async function printStall(stall: StallView): Promise<void> {
  const { bold } = colours(process.stdout)
  printText(`${stall.verdict}${stall.shouldStop ? ': stop' : ''}`)
  if (stall.reason !== undefined) printText(stall.reason)
  if (stall.suggestion != null) printText(stall.suggestion)
  if (stall.signatures.length === 0) return printNote(`${bold('Window')}: no feedback turn.`)
  const { printTable } = await import('./table.ts')
  printTable(
    ['turn', 'verified', 'blocking issues', 'signature'],
    stall.signatures.map(({ turn, verifiedTotal, blocking, signature }) => [
      turn,
      verifiedTotal,
      blocking ?? null,
      signature ?? null,
    ]),
  )
}
