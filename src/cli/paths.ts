import type { Command } from 'commander'
import type { Desire } from '../transcripts/desires.ts'
import type { Path } from '../transcripts/reports.ts'
import type { ToolStat } from '../transcripts/tool-stats.ts'
import { ask, itemsOf } from './ask.ts'
import { named, whole, withJson, withProject } from './options.ts'
import { printNote } from './output.ts'

type PathsOptions = { turns?: boolean; top?: number; since?: string; project?: string; json?: boolean }

export function addPaths(program: Command): void {
  const paths = program
    .command('paths')
    .description('show what agents struggle with: failed calls and turns that are too long, in one list')
    .option('--turns', 'per tool instead: how long the turns are in which it is called')
    .option('--top <n>', 'so many; 0 is all (default: 20)', whole)
    .option('--since <instant>', 'in turns that began then or later; UTC where it has no zone', named)
    .addHelpText('after', '\nExample:\n  turngraph paths --turns --top 10\n')
    .action(showPaths)
  withJson(withProject(paths))
  const desires = program
    .command('desires')
    .description('show patterns of long turns that recur across sessions: each is worth a better tool')
    .addHelpText('after', '\nExample:\n  turngraph desires --json\n')
    .action(showDesires)
  withJson(withProject(desires))
}

const showPaths = (options: PathsOptions): Promise<void> => {
  const { turns, top, since } = options
  const asked = { since, ...(top !== undefined && { limit: top }) }
  return turns
    ? ask('listToolStats', asked, options, ({ items }) => printToolStats(items), itemsOf)
    : ask('listPaths', asked, options, ({ items }) => printPaths(items), itemsOf)
}

const showDesires = (options: { project?: string; json?: boolean }): Promise<void> =>
  ask('listDesires', {}, options, ({ items }) => printDesires(items), itemsOf)

async function printToolStats(stats: readonly ToolStat[]): Promise<void> {
  if (stats.length === 0) return printNote('No tool was called.')
  const { printTable } = await import('./table.ts')
  printTable(
    ['rank', 'pattern', 'count', 'avg_turn_len', 'long_turn_%'],
    stats.map(({ toolName, count, avgTurnLen, longTurnPct }, i) => [
      i + 1,
      toolName,
      count,
      avgTurnLen.toFixed(1),
      `${Math.round(longTurnPct)}%`,
    ]),
  )
  printNote(
    'COUNT is calls; AVG_TURN_LEN and LONG_TURN_% are of the turns with at least one of them, each once.',
  )
}

/** Two reports that name one pattern with different numbers would be taken for a mistake. */
const ALL_TURNS = '`turns --patterns` counts those from --min-length on. Patterns of a single tool come last.'

async function printPaths(paths: readonly Path[]): Promise<void> {
  if (paths.length === 0) return printNote('Nothing failed, and no long turn recurs.')
  const { printTable } = await import('./table.ts')
  printTable(
    ['rank', 'pattern', 'count', 'sessions', 'category', 'last_seen'],
    paths.map(({ pattern, count, sessions, category, lastSeen }, i) => [
      i + 1,
      pattern,
      count,
      sessions,
      category,
      lastSeen ?? '-',
    ]),
  )
  printNote(`COUNT is failed calls (tool-error), or all turns of a pattern (turn-pattern). ${ALL_TURNS}`)
}

async function printDesires(desires: readonly Desire[]): Promise<void> {
  if (desires.length === 0) return printNote('No long turn recurs.')
  const { printTable } = await import('./table.ts')
  printTable(
    ['tool', 'category', 'source', 'error'],
    desires.map(({ toolName, category, source, error }) => [toolName, category, source, error]),
  )
  printNote(`Seen and averaged are all turns of a pattern. ${ALL_TURNS}`)
}
