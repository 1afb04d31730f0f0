import { type Command, Option } from 'commander'
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
import { printJson, printNote, printText } from './output.ts'
import { reportUnknownTask } from './unknown-task.ts'

type ContextOptions = TargetOptions &
  PolicyOption & {
    turn: number
    role?: 'player' | 'coach'
    tokenBudget?: number
    perspectiveReset?: boolean
  }

export function addContext(program: Command): void {
  const context = program
    .command('context')
    .description('print what the next turn needs to know: the prior turn and all that was verified so far')
    .requiredOption('--turn <n>', 'the turn that is about to begin', whole)
    .addOption(new Option('--role <role>', 'for whom (default: player)').choices(['player', 'coach']))
    .option('--token-budget <n>', '100 to 100,000 (default: 2000)', whole)
    .option('--perspective-reset', 'leave all prior feedback and issues out')
    .addHelpText(
      'after',
      '\nExample:\n  turngraph context --feature FEAT-1 --task TASK-1 --turn 3 --role coach\n',
    )
    .action(printContext)
  withPolicy(withTarget(context))
  withJson(withProject(context))
}

async function printContext(options: ContextOptions): Promise<void> {
  const { feature, task, world, turn, project, json, ...rest } = options
  const [{ logRecovery }, { operations }, { toWire }, { withClient }] = await Promise.all([
    import('../memory/criteria/log-recovery.ts'),
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
    import('./connect.ts'),
  ])
  const answer = await withClient({ project, readsOnly: true }, (client) =>
    client.loadTurnContinuationContext({
      ...targetOf(options),
      currentTurn: turn,
      ...rest,
    }),
  )
  reportUnknownTask(answer, { byLoops: true })
  logRecovery(printNote, { promises: answer.promises, role: options.role ?? 'player' })
  if (json) return printJson(toWire(operations.loadTurnContinuationContext.output, answer))
  if (answer.context !== null) return printText(answer.context)
  printNote(
    answer.status === 'first_turn'
      ? `Turn ${turn} is the first: there is nothing before it.`
      : `${task ?? `World ${world}`} has no turn before turn ${turn}.`,
  )
}
