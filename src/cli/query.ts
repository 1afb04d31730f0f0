/** `turngraph query` runs a Cypher statement or a named analysis; `turngraph analyses` lists the analyses. */
import { InvalidArgumentError } from 'commander'
import type { AnalysisRequest } from '../analysis/named-analyses.ts'
import { TurngraphError } from '../core/errors.ts'
import { didYouMean } from '../core/near-names.ts'
import { parseJson } from '../core/parse-json.ts'
import type { OperationInput, OperationOutput } from '../operations/table.ts'
import { removeHidden } from '../rules/foreign-text.ts'
import { ask } from './ask.ts'
import { MAX_REQUEST_BYTES, readAtMost } from './bounded-input.ts'
import { action, command, type Given, SHARED } from './command.ts'
import { printItems, printJson, printLines, printNote, printText } from './output.ts'

const OPTIONS = {
  preset: ['--preset <name>', 'an analysis of a project instead; `turngraph analyses` lists them'],
  featureId: ['--feature <id>', 'with --preset: of this feature alone'],
  taskId: ['--task <id>', 'with --preset: of this task alone'],
  worldSlug: ['--world <slug>', 'with --preset: of this world alone'],
  showCypher: [
    '--show-cypher',
    'with --preset: print its statement, ready to paste into Neo4j Browser or `query`',
  ],
  param: [
    '--param <name=json>',
    'a parameter of the statement; may be repeated',
    { parse: parameter, default: {} },
  ],
  timeoutMs: ['--timeout <ms>', 'how long the statement may take, 1 to 60,000 (default: 10,000)'],
  limit: ['--limit <n>', 'rows, 1 to 10,000 (default: 1,000; of an analysis 100)'],
  csv: ['--csv', 'print the rows as CSV (RFC 4180)', { conflicts: ['json', 'showCypher'] }],
  ...SHARED,
} as const

export const addQuery = action(
  {
    name: 'query',
    description: 'run one reading Cypher statement, or answer a question that has a name',
    arguments: { cypher: ['[cypher]', 'the statement, on the whole graph; - reads it from standard input'] },
    options: OPTIONS,
    help: `Examples:
  turngraph query --preset last-turn --task TASK-1
  turngraph query 'MATCH (w:World) RETURN w.slug AS world, w.currentTurn AS turns ORDER BY world'
  turngraph query --preset blockers --show-cypher | turngraph query -
  turngraph query --preset last-turn --csv > last-turns.csv
  turngraph query 'MATCH (w:World {project: $project}) RETURN sum(w.turnCount) AS turns' --param project=shop`,
  },
  ({ cypher, ...options }) => {
    if ((cypher === undefined) === (options.preset === undefined))
      throw usage('Give a statement or --preset NAME.', 'turngraph analyses lists the names.')
    return cypher === undefined ? answerPreset(options) : answerStatement(cypher, options)
  },
)

export const addAnalyses = command({
  name: 'analyses',
  description: 'list the questions that have a name',
  operation: 'listAnalyses',
  options: SHARED,
  print: printItems(null, { analysis: 'name', question: 'question' }),
})

type Options = Given<typeof OPTIONS>

function answerPreset(options: Options): Promise<void> {
  const {
    preset: name = '',
    featureId,
    taskId,
    worldSlug,
    limit,
    param = {},
    timeoutMs,
    project,
    json,
    csv,
  } = options
  if (timeoutMs !== undefined || Object.keys(param).length > 0)
    throw usage('--param and --timeout are for a statement.', 'Leave them out, or give the statement.')
  const analysis = { name, featureId, taskId, worldSlug }
  if (options.showCypher) return showCypher(analysis, options)
  return ask('runAnalysis', { ...analysis, limit }, { project, json }, (answer) => {
    printNote(answer.question)
    return csv ? printCsv(answer) : printRows(answer)
  })
}

async function showCypher(
  analysis: Omit<AnalysisRequest, 'project' | 'limit'>,
  { limit = 100, project, json }: Options,
): Promise<void> {
  const { prepareAnalysis } = await import('../analysis/named-analyses.ts')
  const { configFor } = await import('./connect.ts')
  const { paramLine } = await import('./param-lines.ts')
  const request = { ...analysis, limit, project: configFor(project).project }
  const { question, about, cypher, params } = prepareAnalysis(request)
  if (json) return printJson({ cypher, params })
  const comments = [question, about].filter((line) => line !== '').map((line) => `// ${line}`)
  const declared = Object.entries(params).map(([name, value]) => paramLine(name, value))
  printLines([...comments, ...declared, `${cypher};`].map(removeHidden).join('\n'))
}

async function answerStatement(cypher: string, options: Options): Promise<void> {
  const { featureId, taskId, worldSlug, project, json, csv, limit, timeoutMs, param } = options
  if (options.showCypher)
    throw usage('--show-cypher is for --preset.', 'A statement of your own is shown already.')
  if (featureId ?? taskId ?? worldSlug ?? project) {
    throw usage(
      'A statement is about the whole graph: --project, --feature, --task and --world mean nothing to it.',
      'Say it in the statement: MATCH (t:Turn {project: $project}) …, with --param project=NAME.',
    )
  }
  const { readParamLines } = await import('./param-lines.ts')
  const text = cypher === '-' ? (await readAtMost('-', MAX_REQUEST_BYTES)).toString('utf8') : cypher
  const { query, params: declared } = readParamLines(text)
  const params = { ...declared, ...param } as OperationInput<'queryGraph'>['params']
  await ask('queryGraph', { query, params, limit, timeoutMs }, { json }, csv ? printCsv : printRows, {
    part: rowsAlone,
    beside: printWarnings,
  })
}

const usage = (message: string, hint: string): TurngraphError =>
  new TurngraphError('invalid_request', message, { hint })

/** Parses `name=json`. A value that is not JSON is a text, so that names need no quotes within quotes. */
function parameter(text: string, before: Record<string, unknown>): Record<string, unknown> {
  const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.')
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} was given before.`)
  return { ...before, [name]: jsonOrText(value) }
}

function jsonOrText(text: string): unknown {
  const value = parseJson(text)
  if (value === undefined && /^\s*[[{"]/.test(text))
    throw new InvalidArgumentError('It begins like JSON, but cannot be parsed as JSON.')
  return value === undefined ? text : value
}

/** Selects the output of `--json`: `{columns, rows, truncated}`, and warnings if there are any. */
const rowsAlone = (wire: unknown): unknown => {
  const { columns, rows, truncated, warnings } = wire as { warnings: unknown[] } & Record<string, unknown>
  return { columns, rows, truncated, ...(warnings.length === 0 ? {} : { warnings }) }
}

function printWarnings({ warnings }: OperationOutput<'queryGraph'>): void {
  for (const { unknown, near } of warnings)
    printNote(`The graph has no label, relationship type or property ${unknown}.${didYouMean(near)}`)
}

type Rows = Pick<OperationOutput<'queryGraph'>, 'columns' | 'rows' | 'truncated'>

async function printRows({ columns, rows, truncated }: Rows): Promise<void> {
  if (rows.length === 0) return printText('Nothing.')
  const { printTable } = await import('./table.ts')
  printTable(
    columns,
    rows.map((row) => row.map(toCell)),
    { as: 'names' },
  )
  if (truncated) printMore(rows.length)
}

async function printCsv({ columns, rows, truncated }: Rows): Promise<void> {
  const { toCsv } = await import('../rules/csv.ts')
  process.stdout.write(toCsv(columns, rows, { oneLine: process.stdout.isTTY === true }))
  if (truncated) printMore(rows.length)
}

const printMore = (shown: number): void => printNote(`There is more: --limit ${Math.min(10 * shown, 10_000)}`)

/** Formats a value of a cell: numbers in full, and null as `null`, because an empty cell means an empty text. */
const toCell = (value: unknown): string | number => {
  if (value === null) return 'null'
  if (typeof value === 'string' || typeof value === 'number') return value
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join('; ')
    : JSON.stringify(value)
}
