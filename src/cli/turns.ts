/** `turngraph turns`: the turns of transcripts, their patterns, and the steps of one of them. */
import { type Command, Option } from 'commander'
import { formatSequence } from '../transcripts/pattern.ts'
import type { TranscriptPattern, TranscriptTurnRow } from '../transcripts/reports.ts'
import type { TranscriptStep } from '../transcripts/steps.ts'
import { ask, itemsOf } from './ask.ts'
import { named, whole, withJson, withProject } from './options.ts'
import { printJson, printNote } from './output.ts'

type TurnsOptions = {
  minLength?: number
  since?: string
  session?: string
  turn?: number
  limit?: number
  patterns?: boolean
  pattern?: string
  project?: string
  json?: boolean
}

export function addTurns(program: Command): void {
  const turns = program
    .command('turns')
    .description('show the turns of agents, longest first: how many calls each took, and which')
    .option('--min-length <n>', 'of so many calls at least (default: the configured threshold)', whole)
    .option('--since <instant>', 'that began then or later; UTC where it has no zone', named)
    .option('--session <id>', 'of this session alone', named)
    .option('--limit <n>', 'so many; 0 is all (default: 50, of patterns all)', whole)
    .option('--patterns', 'their shapes instead, by how often they occur, of a single tool last')
    .option(
      '--pattern <pattern>',
      'the turns of exactly this shape, as it is printed or with -> between the tools',
      named,
    )
    .addOption(
      new Option('--turn <n>', 'with --session: the steps of this turn, the first is 0')
        .argParser(whole)
        .conflicts(['patterns', 'pattern', 'minLength', 'since', 'limit']),
    )
    .addHelpText(
      'after',
      `
Examples:
  turngraph turns --patterns --since 2026-01-01
  turngraph turns --session 5a0b7c11-3d52-4f6e-9a41-0c8d2e6f1a01 --turn 0
`,
    )
    .action(showTurns)
  withJson(withProject(turns))
}

const showTurns = (options: TurnsOptions): Promise<void> => {
  const { minLength, since, session: sessionId, turn, limit, pattern } = options
  if (turn !== undefined) return showSteps(sessionId, turn, options)
  const asked = { minLength, since, sessionId, ...(limit !== undefined && { limit }) }
  return options.patterns
    ? ask('listTranscriptPatterns', asked, options, ({ items }) => printPatterns(items, minLength), itemsOf)
    : ask('listTranscriptTurns', { ...asked, pattern }, options, ({ items }) => printTurns(items), itemsOf)
}

async function printTurns(turns: readonly TranscriptTurnRow[]): Promise<void> {
  if (turns.length === 0) return printNote('No such turn.')
  const { printTable } = await import('./table.ts')
  printTable(
    ['session', 'turn', 'length', 'tools'],
    turns.map(({ sessionId, index, length, tools }) => [sessionId, index, length, formatSequence(tools)]),
  )
}

async function printPatterns(patterns: readonly TranscriptPattern[], minLength?: number): Promise<void> {
  if (patterns.length === 0) return printNote('No such pattern.')
  const { printTable } = await import('./table.ts')
  printTable(
    ['pattern', 'count', 'avg_length', 'sessions'],
    patterns.map(({ pattern, count, avgLength, sessions }) => [
      pattern,
      count,
      avgLength.toFixed(1),
      sessions,
    ]),
  )
  const from =
    minLength === undefined
      ? 'from --min-length on (default: the configured threshold)'
      : `of ${minLength} or more calls`
  printNote(
    `COUNT is the turns ${from}. \`desires\` and \`paths\` count all turns of a pattern, as --min-length 1 does. Patterns of a single tool come last.`,
  )
}

async function showSteps(
  sessionId: string | undefined,
  index: number,
  { project, json }: TurnsOptions,
): Promise<void> {
  const [{ TurngraphError }, { withClient }, { readPages }, { operations }, { toWire }] = await Promise.all([
    import('../core/errors.ts'),
    import('./connect.ts'),
    import('./pages.ts'),
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
  ])
  if (sessionId === undefined) {
    throw new TurngraphError(
      'invalid_request',
      '--turn needs --session: turns are counted in their session.',
      {
        hint: '`turngraph turns --min-length 0` lists sessions and turns.',
      },
    )
  }
  let turnId = ''
  const found = await withClient({ project, readsOnly: true }, (client) =>
    readPages({}, async (window) => {
      const page = await client.listTranscriptSteps({ sessionId, index, ...window })
      turnId = page.turnId
      return page
    }),
  )
  if (json) printJson(itemsOf(toWire(operations.listTranscriptSteps.output, { turnId, ...found })))
  else await printSteps(found.items)
}

async function printSteps(steps: readonly TranscriptStep[]): Promise<void> {
  if (steps.length === 0) return printNote('The turn has no calls.')
  const { printTable } = await import('./table.ts')
  printTable(
    ['step', 'tool', 'status', 'parallel', 'duration_ms', 'error'],
    steps.map(({ sequence, tool, status, isParallel, parallelGroup, durationMs, error }) => [
      sequence,
      tool,
      status,
      parallelGroup ?? (isParallel ? 'yes' : '-'),
      durationMs ?? '-',
      error ?? '-',
    ]),
  )
  printNote('Steps of the same number under PARALLEL were called by one response.')
}
