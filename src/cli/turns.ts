import type { Command } from 'commander'
import { formatSequence } from '../transcripts/pattern.ts'
import type { TranscriptPattern, TranscriptTurnRow } from '../transcripts/reports.ts'
import { ask, itemsOf } from './ask.ts'
import { named, whole, withJson, withProject } from './options.ts'
import { printNote } from './output.ts'

type TurnsOptions = {
  minLength?: number
  since?: string
  session?: string
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
    .option('--patterns', 'their shapes instead, by how often they occur')
    .option(
      '--pattern <pattern>',
      'the turns of exactly this shape, as it is printed or with -> between the tools',
      named,
    )
    .addHelpText('after', '\nExample:\n  turngraph turns --patterns --since 2026-01-01\n')
    .action(showTurns)
  withJson(withProject(turns))
}

const showTurns = (options: TurnsOptions): Promise<void> => {
  const { minLength, since, session: sessionId, limit, pattern } = options
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
    `COUNT is the turns ${from}. \`desires\` and \`paths\` count all turns of a pattern, as --min-length 1 does.`,
  )
}
