import type { Command } from 'commander'
import type { PromisesView } from '../memory/criteria/views.ts'
import { ask } from './ask.ts'
import { type TargetOptions, targetOf, whole, withJson, withProject, withTarget } from './options.ts'
import { printNote } from './output.ts'

type PromisesOptions = TargetOptions & { turn: number }

export function addPromises(program: Command): void {
  const promises = program
    .command('promises')
    .description(
      'show what the Player promised: in this turn, else in the newest earlier one that has promises',
    )
    .requiredOption('--turn <n>', 'the turn; it need not be captured yet', whole)
    .addHelpText('after', '\nExample:\n  turngraph promises --feature FEAT-1 --task TASK-1 --turn 3\n')
    .action(showPromises)
  withTarget(promises)
  withJson(withProject(promises))
}

const showPromises = (options: PromisesOptions): Promise<void> =>
  ask('recoverPromises', { ...targetOf(options), turn: options.turn }, options, printPromises)

async function printPromises({ items, message }: PromisesView): Promise<void> {
  if (message !== undefined) printNote(message)
  if (items.length === 0) return printNote('Nothing was promised up to this turn.')
  const { beginning, printTable } = await import('./table.ts')
  printTable(
    ['criterion', 'label', 'status', 'text', 'evidence'],
    items.map(({ criterionId, label, status, criterionText, evidence }) => [
      criterionId,
      label,
      status,
      beginning(criterionText ?? '', 50),
      beginning(evidence ?? '', 50),
    ]),
  )
}
