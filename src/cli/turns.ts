/** `turngraph turns`: shows the turns of transcripts, their patterns, and the steps of a turn. */
import type { TurngraphClient } from '../client/client.ts'
import { TurngraphError } from '../core/errors.ts'
import { plural } from '../core/plural.ts'
import type { OperationInput } from '../operations/table.ts'
import { formatSequence } from '../transcripts/pattern.ts'
import { ask, type Frame, takeItems } from './ask.ts'
import { action, SHARED } from './command.ts'
import { printItems, printNote } from './output.ts'

export const addTurns = action(
  {
    name: 'turns',
    description: 'show the turns of agents, longest first: how many calls each took, and which',
    options: {
      minLength: ['--min-length <n>', 'of so many calls at least (default: the configured threshold)'],
      since: ['--since <instant>', 'that began then or later; UTC where it has no zone'],
      sessionId: ['--session <id>', 'of this session alone'],
      limit: ['--limit <n>', 'so many; 0 is all (default: 50, of patterns all, of sequences 20)'],
      patterns: ['--patterns', 'their shapes instead, by how often they occur, of a single tool last'],
      sequences: [
        '--sequences',
        'frequent sequences of 2 to 5 calls within turns instead, of a single tool last',
        { conflicts: ['patterns', 'pattern', 'minLength', 'turn'] },
      ],
      pattern: [
        '--pattern <pattern>',
        'the turns of exactly this shape, as it is printed or with -> between the tools',
      ],
      turn: [
        '--turn <n>',
        'with --session: the steps of this turn, the first is 0',
        { conflicts: ['patterns', 'pattern', 'minLength', 'since', 'limit'] },
      ],
      ...SHARED,
    },
    help: `Examples:
  turngraph turns --patterns --since 2026-01-01
  turngraph turns --sequences
  turngraph turns --session 5a0b7c11-3d52-4f6e-9a41-0c8d2e6f1a01 --turn 0`,
  },
  ({ turn, patterns, sequences, pattern, project, json, ...input }) => {
    const frame = { project, json }
    if (sequences) return showSequences(input, frame)
    if (turn !== undefined) return showSteps(input.sessionId, turn, frame)
    if (patterns) return showPatterns(input, frame)
    return showTurns({ ...input, pattern }, frame)
  },
)

async function showTurns(input: OperationInput<'listTranscriptTurns'>, frame: Frame): Promise<void> {
  // With a pattern, turns of any length are listed.
  const isFiltered = input.pattern == null && input.minLength !== 0
  await ask(
    'listTranscriptTurns',
    input,
    frame,
    printItems(
      isFiltered ? 'No turn has that many calls. --min-length 0 lists all turns.' : 'No such turn.',
      {
        session: 'sessionId',
        turn: 'index',
        length: 'length',
        tools: ({ tools }) => formatSequence(tools),
      },
    ),
    { part: takeItems },
  )
  if (frame.json || !isFiltered) return
  const { minLength, since, sessionId } = input
  const [all = 0, listed = 0] = await countTurns([0, minLength], { since, sessionId }, frame)
  const shorter = all - listed
  if (shorter > 0)
    printNote(
      `Left out: ${plural(shorter, 'turn')} with calls, but fewer than ${
        minLength ?? 'the configured number (TURNGRAPH_TURN_LENGTH_THRESHOLD)'
      }. --min-length 0 lists all turns.`,
    )
}

type Patterns = OperationInput<'listTranscriptPatterns'>

async function countTurns(
  minLengths: readonly Patterns['minLength'][],
  input: Patterns,
  { project }: Frame,
): Promise<number[]> {
  const { withClient } = await import('./connect.ts')
  const count = async (client: TurngraphClient, minLength: Patterns['minLength']) => {
    const { items } = await client.listTranscriptPatterns({ ...input, minLength, limit: 0 })
    return items.reduce((sum, each) => sum + each.count, 0)
  }
  return withClient({ project, readsOnly: true }, (client) =>
    Promise.all(minLengths.map((minLength) => count(client, minLength))),
  )
}

function showPatterns(input: OperationInput<'listTranscriptPatterns'>, frame: Frame): Promise<void> {
  const from =
    input.minLength === undefined
      ? 'from --min-length on (default: the configured threshold)'
      : `of ${input.minLength} or more calls`
  const note = `COUNT is the turns ${from}. \`desires\` and \`paths\` count all turns of a pattern, as --min-length 1 does. Patterns of a single tool come last.`
  return ask(
    'listTranscriptPatterns',
    input,
    frame,
    printItems(
      'No such pattern.',
      {
        pattern: 'pattern',
        count: 'count',
        avg_length: ({ avgLength }) => avgLength.toFixed(1),
        sessions: 'sessions',
      },
      note,
    ),
    { part: takeItems },
  )
}

function showSequences(input: OperationInput<'listTranscriptSequences'>, frame: Frame): Promise<void> {
  return ask(
    'listTranscriptSequences',
    input,
    frame,
    printItems(
      'No sequence of calls stands in three turns.',
      { sequence: 'sequence', count: 'count', turns: 'turns', sessions: 'sessions' },
      'COUNT is how often the calls follow each other, TURNS in how many turns. Sequences of a single tool come last.',
    ),
    { part: takeItems },
  )
}

function showSteps(sessionId: string | undefined, index: number, frame: Frame): Promise<void> {
  if (sessionId === undefined) {
    throw new TurngraphError(
      'invalid_request',
      '--turn needs --session: turns are counted in their session.',
      { hint: '`turngraph turns --min-length 0` lists sessions and turns.' },
    )
  }
  return ask(
    'listTranscriptSteps',
    { sessionId, index },
    frame,
    printItems(
      'The turn has no calls.',
      {
        step: 'sequence',
        tool: 'tool',
        status: 'status',
        parallel: ({ parallelGroup }) => parallelGroup ?? '-',
        duration_ms: ({ durationMs }) => durationMs ?? '-',
        error: ({ error }) => error ?? '-',
      },
      'Steps of the same number under PARALLEL were called by one response.',
    ),
    { window: {}, part: takeItems },
  )
}
