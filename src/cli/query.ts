import type { Command } from 'commander'
import type { OperationOutput } from '../operations.ts'
import { ask } from './ask.ts'
import { whole, withJson, withProject } from './options.ts'
import { printNote, printText } from './output.ts'

type Options = { project?: string; json?: boolean }
type QueryOptions = Options & {
  preset: string
  feature?: string
  task?: string
  world?: string
  limit?: number
}

export function addQuery(program: Command): void {
  const query = program
    .command('query')
    .description('answer a question about a project that has a name')
    .requiredOption('--preset <name>', 'the analysis; `turngraph analyses` lists them')
    .option('--feature <id>', 'of this feature alone')
    .option('--task <id>', 'of this task alone')
    .option('--world <slug>', 'of this world alone')
    .option('--limit <n>', 'rows, 1 to 10,000 (default: 100)', whole)
    .addHelpText('after', '\nExample:\n  turngraph query --preset last-turn --task TASK-1\n')
    .action(showAnswer)
  withJson(withProject(query))
}

export function addAnalyses(program: Command): void {
  const analyses = program
    .command('analyses')
    .description('list the questions that have a name')
    .action((options: Options) => ask('listAnalyses', {}, options, printAnalyses))
  withJson(withProject(analyses))
}

const showAnswer = ({ preset, feature, task, world, limit, ...options }: QueryOptions): Promise<void> =>
  ask(
    'runAnalysis',
    { name: preset, featureId: feature, taskId: task, worldSlug: world, limit },
    options,
    printAnswer,
  )

async function printAnswer(answer: OperationOutput<'runAnalysis'>): Promise<void> {
  const { question, columns, rows, truncated } = answer
  printNote(question)
  if (rows.length === 0) return printText('Nothing.')
  const { printTable } = await import('./table.ts')
  printTable(
    columns,
    rows.map((row) => row.map(cellOf)),
  )
  if (truncated) printNote(`There is more: --limit ${Math.min(10 * rows.length, 10_000)}`)
}

const cellOf = (value: unknown): string | number | null => {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number') return Number.isInteger(value) ? value : value.toFixed(2)
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join('; ')
    : JSON.stringify(value)
}

async function printAnalyses({ items }: OperationOutput<'listAnalyses'>): Promise<void> {
  const { printTable } = await import('./table.ts')
  printTable(
    ['analysis', 'question'],
    items.map(({ name, question }) => [name, question]),
  )
}
