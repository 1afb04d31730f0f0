import { type Command, InvalidArgumentError } from 'commander'
import { TurngraphError } from '../core/errors.ts'
import type { OperationOutput } from '../operations/table.ts'
import { ask } from './ask.ts'
import { whole, withJson, withProject } from './options.ts'
import { printNote, printText } from './output.ts'

type Options = { project?: string; json?: boolean }
type QueryOptions = Options & {
  preset?: string
  feature?: string
  task?: string
  world?: string
  limit?: number
  param?: Record<string, unknown>
  timeout?: number
  showCypher?: boolean
}

export function addQuery(program: Command): void {
  const query = program
    .command('query')
    .description('run one reading Cypher statement, or answer a question that has a name')
    .argument('[cypher]', 'the statement, on the whole graph; - reads it from standard input')
    .option('--preset <name>', 'an analysis of a project instead; `turngraph analyses` lists them')
    .option('--feature <id>', 'with --preset: of this feature alone')
    .option('--task <id>', 'with --preset: of this task alone')
    .option('--world <slug>', 'with --preset: of this world alone')
    .option(
      '--show-cypher',
      'with --preset: print its statement, ready to paste into Neo4j Browser or `query`',
    )
    .option('--param <name=json>', 'a parameter of the statement; may be repeated', parameter, {})
    .option('--timeout <ms>', 'how long the statement may take, 1 to 60,000 (default: 10,000)', whole)
    .option('--limit <n>', 'rows, 1 to 10,000 (default: 1,000; of an analysis 100)', whole)
    .addHelpText(
      'after',
      `
Examples:
  turngraph query --preset last-turn --task TASK-1
  turngraph query 'MATCH (w:World) RETURN w.slug AS world, w.currentTurn AS turns ORDER BY world'
  turngraph query --preset blockers --show-cypher | turngraph query -
  turngraph query 'MATCH (t:Turn {project: $project}) RETURN count(t) AS turns' --param project=shop
`,
    )
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

/** `name=json`; what is no JSON is text, so that names need no quotes within quotes. */
function parameter(text: string, before: Record<string, unknown>): Record<string, unknown> {
  const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.')
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} was given before.`)
  return { ...before, [name]: jsonOrText(value) }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (/^\s*[[{"]/.test(text)) throw new InvalidArgumentError('It begins like JSON, and is none.')
    return text
  }
}

async function showAnswer(cypher: string | undefined, options: QueryOptions): Promise<void> {
  const { preset, feature, task, world, limit, param, timeout, showCypher, ...rest } = options
  if ((cypher === undefined) === (preset === undefined)) {
    throw usage('Give a statement or --preset NAME.', 'turngraph analyses lists the names.')
  }
  if (preset !== undefined) {
    if (timeout !== undefined || Object.keys(param ?? {}).length > 0) {
      throw usage('--param and --timeout are for a statement.', 'Leave them out, or give the statement.')
    }
    const input = { name: preset, featureId: feature, taskId: task, worldSlug: world, limit }
    if (showCypher) return (await import('./show-cypher.ts')).showCypher(input, rest)
    return ask('runAnalysis', input, rest, printAnalysis)
  }
  if (showCypher) throw usage('--show-cypher is for --preset.', 'A statement of your own is shown already.')
  if (feature ?? task ?? world ?? rest.project) {
    throw usage(
      'A statement is about the whole graph: --project, --feature, --task and --world mean nothing to it.',
      'Say it in the statement: MATCH (t:Turn {project: $project}) …, with --param project=NAME.',
    )
  }
  const { readParamLines } = await import('./param-lines.ts')
  const { query, params: given } = readParamLines(cypher === '-' ? await standardInput() : (cypher as string))
  const params = { ...given, ...param } as Parameters<typeof ask<'queryGraph'>>[1]['params']
  await ask('queryGraph', { query, params, limit, timeoutMs: timeout }, rest, printRows, rowsAlone)
}

const usage = (message: string, hint: string): TurngraphError =>
  new TurngraphError('invalid_request', message, { hint })

async function standardInput(): Promise<string> {
  const { text } = await import('node:stream/consumers')
  return text(process.stdin)
}

/** What the contract of the command line says (turns.md): `{columns, rows}`; and whether there are more. */
const rowsAlone = (wire: unknown): unknown => {
  const { columns, rows, truncated } = wire as Record<string, unknown>
  return { columns, rows, truncated }
}

async function printAnalysis(answer: OperationOutput<'runAnalysis'>): Promise<void> {
  printNote(answer.question)
  await printRows(answer)
}

async function printRows(
  answer: Pick<OperationOutput<'queryGraph'>, 'columns' | 'rows' | 'truncated'>,
): Promise<void> {
  const { columns, rows, truncated } = answer
  if (rows.length === 0) return printText('Nothing.')
  const { printTable } = await import('./table.ts')
  printTable(
    columns,
    rows.map((row) => row.map(cellOf)),
    { as: 'names' },
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
