import { type Command, Option } from 'commander'
import { named, whole, withJson, withProject } from './options.ts'
import { printJson, printNote, printText } from './output.ts'

type ContextOptions = {
  feature: string
  task: string
  turn: number
  role?: 'player' | 'coach'
  world?: string
  tokenBudget?: number
  policy?: 'sticky' | 'evidence' | 'latest'
  perspectiveReset?: boolean
  project?: string
  json?: boolean
}

export function addContext(program: Command): void {
  const context = program
    .command('context')
    .description('print what the next turn needs to know: the prior turn and all that was verified so far')
    .requiredOption('--feature <id>', 'the feature', named)
    .requiredOption('--task <id>', 'the task', named)
    .requiredOption('--turn <n>', 'the turn that is about to begin', whole)
    .addOption(new Option('--role <role>', 'for whom (default: player)').choices(['player', 'coach']))
    .option('--world <slug>', "default: the task's newest", named)
    .option('--token-budget <n>', '100 to 100,000 (default: 2000)', whole)
    .addOption(
      new Option('--policy <policy>', 'what counts as verified (default: sticky)').choices([
        'sticky',
        'evidence',
        'latest',
      ]),
    )
    .option('--perspective-reset', 'leave all prior feedback and issues out')
    .addHelpText(
      'after',
      '\nExample:\n  turngraph context --feature FEAT-1 --task TASK-1 --turn 3 --role coach\n',
    )
    .action(printContext)
  withJson(withProject(context))
}

async function printContext({
  feature,
  task,
  turn,
  world,
  project,
  json,
  ...rest
}: ContextOptions): Promise<void> {
  const [{ operations }, { toWire }, { withClient }] = await Promise.all([
    import('../operations.ts'),
    import('../wire.ts'),
    import('./connect.ts'),
  ])
  const answer = await withClient({ project, readsOnly: true }, (client) =>
    client.loadTurnContinuationContext({
      featureId: feature,
      taskId: task,
      currentTurn: turn,
      ...(world !== undefined && { worldSlug: world }),
      ...rest,
    }),
  )
  if (json) return printJson(toWire(operations.loadTurnContinuationContext.output, answer))
  if (answer.context !== null) return printText(answer.context)
  printNote(
    answer.status === 'first_turn'
      ? `Turn ${turn} is the first: there is nothing before it.`
      : `${task} has no turn before turn ${turn}.`,
  )
}
