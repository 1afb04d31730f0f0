/** `turngraph paths` and `turngraph desires`: list recurring patterns of agents, and the tools that agents lack. */
import { ask, takeItems } from './ask.ts'
import { action, command, SHARED } from './command.ts'
import { printItems } from './output.ts'

/** Note about the counts. Two reports with different numbers for one pattern would look like a mistake. */
const ALL_TURNS = '`turns --patterns` counts those from --min-length on. Patterns of a single tool come last.'

export const addPaths = action(
  {
    name: 'paths',
    description: 'show what agents struggle with: failed calls and turns that are too long, in one list',
    options: {
      turns: ['--turns', 'per tool instead: how long the turns are in which it is called'],
      limit: ['--top <n>', 'so many; 0 is all (default: 20)'],
      since: ['--since <instant>', 'in turns that began then or later; UTC where it has no zone'],
      ...SHARED,
    },
    help: 'Example:\n  turngraph paths --turns --top 10',
  },
  ({ turns, project, json, ...input }) =>
    turns
      ? ask(
          'listToolStats',
          input,
          { project, json },
          printItems(
            'No tool was called.',
            {
              rank: (_, i) => i + 1,
              pattern: 'toolName',
              count: 'count',
              avg_turn_len: ({ avgTurnLen }) => avgTurnLen.toFixed(1),
              'long_turn_%': ({ longTurnPct }) => `${Math.round(longTurnPct)}%`,
            },
            'COUNT is calls; AVG_TURN_LEN and LONG_TURN_% are of the turns with at least one of them, each once.',
          ),
          { part: takeItems },
        )
      : ask(
          'listPaths',
          input,
          { project, json },
          printItems(
            'Nothing failed, and no long turn recurs.',
            {
              rank: (_, i) => i + 1,
              pattern: 'pattern',
              count: 'count',
              sessions: 'sessions',
              category: 'category',
              last_seen: ({ lastSeen }) => lastSeen ?? '-',
            },
            `COUNT is failed calls (tool-error), or all turns of a pattern (turn-pattern). ${ALL_TURNS}`,
          ),
          { part: takeItems },
        ),
)

export const addDesires = command({
  name: 'desires',
  description: 'show patterns of long turns that recur across sessions: each is worth a better tool',
  operation: 'listDesires',
  options: SHARED,
  help: 'Example:\n  turngraph desires --json',
  part: takeItems,
  print: printItems(
    'No long turn recurs.',
    { tool: 'toolName', category: 'category', source: 'source', error: 'error' },
    `Seen and averaged are all turns of a pattern. ${ALL_TURNS}`,
  ),
})
