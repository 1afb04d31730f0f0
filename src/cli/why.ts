import type { Command } from 'commander'
import type { WhyView } from '../turns/why.ts'
import { ask } from './ask.ts'
import { type TargetOptions, targetOf, whole, withJson, withProject, withTarget } from './options.ts'
import { printText } from './output.ts'

type WhyOptions = TargetOptions & { turn?: number }

export function addWhy(program: Command): void {
  const why = program
    .command('why')
    .description('say what was tried in a turn, and why it was not approved')
    .option('--turn <n>', 'the turn (default: the newest)', whole)
    .addHelpText('after', '\nExample:\n  turngraph why --feature FEAT-1 --task TASK-1 --turn 3\n')
    .action(showWhy)
  withTarget(why)
  withJson(withProject(why))
}

const showWhy = (options: WhyOptions): Promise<void> =>
  ask('explainTurn', { ...targetOf(options), turn: options.turn }, options, printWhy)

function printWhy(why: WhyView): void {
  const line = (name: string, content: string | null) => {
    if (content !== null && content !== '') printText(`${name}: ${content}`)
  }
  const list = (name: string, items: readonly string[]) => {
    if (items.length > 0) printText(`${name}:${items.map((item) => `\n  - ${item}`).join('')}`)
  }
  const criterion = ({ criterionId, text, evidence }: WhyView['won'][number]) =>
    [criterionId, text, evidence].filter((part) => part !== null && part !== '').join(' — ')
  printText(`Turn ${why.turn} of world ${why.worldSlug}: ${why.coachDecision}`)
  line('What was tried', why.playerSummary)
  line('Feedback', why.coachFeedback)
  list(
    'Blocking issues',
    why.blockingIssues.map(({ category, description }) =>
      category === null ? description : `[${category}] ${description}`,
    ),
  )
  list('Criteria lost', why.lost.map(criterion))
  list('Criteria won', why.won.map(criterion))
  line('Gates that failed', why.blockingGates.join(', '))
  line('Verified', `${why.verified} of ${why.total}`)
  line('Suggested next', why.whatToTryNext)
}
