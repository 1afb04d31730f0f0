// Fills a graph with made-up turns of transcripts.
import { transcriptFileKey } from '../src/core/keys.ts'
import type { Graph } from '../src/graph/port.ts'
import { TranscriptBatch } from '../src/transcripts/batch.ts'
import { type StoredTurn, sessionParams, storedTurn } from '../src/transcripts/statement-params.ts'
import { newThread } from '../src/transcripts/thread.ts'
import { type TranscriptTurn, transcriptTurn } from '../src/transcripts/turn.ts'
import { newUsage } from '../src/transcripts/usage.ts'

/**
 * `few`: the same patterns repeat, as in a repeated corpus. `many`: most patterns are unique, as in real use.
 */
export type Shapes = 'few' | 'many'

export const TURNS_A_SESSION = 40
const MEAN_LENGTH = 12

/** Calls per tool in the real transcripts of ../shared/corpus, plus 36 more tools with four calls each. */
const CALLS: Record<string, number> = {
  Bash: 690,
  Read: 456,
  Edit: 407,
  Grep: 154,
  TodoWrite: 98,
  TaskUpdate: 77,
  Write: 58,
  Glob: 47,
  TaskCreate: 42,
  AskUserQuestion: 25,
  Task: 19,
  Agent: 17,
  MultiEdit: 15,
  WebFetch: 15,
  ...Object.fromEntries(Array.from({ length: 36 }, (_, i) => [`mcp__server__tool${i}`, 4])),
}
const TOOLS = Object.entries(CALLS).flatMap(([tool, times]) => Array<string>(times).fill(tool))
/** Share of calls that use the same tool as the call before: turns of 12 calls have 7 runs. */
const SAME_TOOL = 0.42
/** Number of different turns with `few` patterns. */
const FEW = 150
const FAILED = 0.04
const ERRORS = Array.from(
  { length: 200 },
  (_, i) => `File /a/b/${i}.ts does not fit: ${'abcdefgh'.slice(i % 8)}`,
)

export const instantOf = (turn: number): number => Date.UTC(2026, 0, 1) + turn * 60_000

/**
 * Writes turns with a realistic mix of lengths, tools and errors, in the way of an import, up to a number of
 * steps.
 *
 * @returns the number of turns
 */
export async function fillTurns(
  graph: Graph,
  { project, steps, shapes }: { project: string; steps: number; shapes: Shapes },
): Promise<number> {
  const batch = new TranscriptBatch(graph)
  let turns = 0
  for (let session = 0, written = 0; written < steps; session++) {
    const source = { project, sessionId: `s${session}` }
    const some: StoredTurn[] = []
    for (let i = 0; i < TURNS_A_SESSION && written < steps; i++, turns++) {
      const turn = madeUp(turns, shapes)
      some.push(storedTurn(project, transcriptFileKey(source), source.sessionId, turn))
      written += turn.length
    }
    await batch.add({
      source,
      file: {
        key: transcriptFileKey(source),
        expected: -1,
        sessions: [
          sessionParams({ project, agent: 'claude-code' }, newThread(source.sessionId, false), null),
        ],
        properties: {
          project,
          sessionId: source.sessionId,
          offset: 1,
          isWhole: true,
          tail: '',
          state: 'null',
        },
      },
      turns: some,
      agentsOf: [],
      links: [],
    })
  }
  await batch.flush()
  return turns
}

function madeUp(number: number, shapes: Shapes): TranscriptTurn {
  const random = randomFrom(shapes === 'few' ? number % FEW : number)
  const fails = randomFrom(number + 0.5)
  const length = 1 + Math.floor(random() ** 3 * MEAN_LENGTH * 4)
  const at = new Date(instantOf(number)).toISOString()
  let tool = oneOf(TOOLS, random)
  return transcriptTurn(
    {
      id: `turn-${number}`,
      index: number % TURNS_A_SESSION,
      kind: 'human',
      promptId: null,
      startedAt: at,
      lastAt: at,
      toldMs: 60_000,
      finished: true,
      interrupted: false,
      usage: newUsage(),
      effort: null,
      steps: Array.from({ length }, (_, i) => {
        if (random() > SAME_TOOL) tool = oneOf(TOOLS, random)
        const failed = fails() < FAILED
        return {
          id: `toolu_${number}_${i}`,
          tool,
          status: failed ? ('error' as const) : ('ok' as const),
          record: null,
          response: `r${i}`,
          startedAt: at,
          durationMs: 100,
          error: failed ? oneOf(ERRORS, fails) : null,
          agentId: null,
        }
      }),
    },
    true,
  )
}

const oneOf = (some: readonly string[], random: () => number): string =>
  some[Math.floor(random() * some.length)] ?? ''

/** Returns a generator of random numbers: the same seed gives the same numbers (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = Math.imul(seed * 2 + 1, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
