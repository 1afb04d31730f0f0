import type { Graph, Params } from '../src/graph/port.ts'
import { type Statement, statement } from '../src/graph/statements.ts'
import {
  listDesires,
  listPaths,
  listToolStats,
  listTranscriptPatterns,
  listTranscriptTurns,
} from '../src/transcripts/reports.ts'
import { heldParams, sessionKey, storedTurn, turnParams } from '../src/transcripts/stored.ts'
import { transcriptTurn } from '../src/transcripts/turn.ts'
import { onBenchGraph } from './on-graph.ts'

export type ReportsBench = { store: string | null; steps: number; samples: number; out: string }

const PROJECT = `bench-reports-${Date.now()}`
const TOOLS = [
  'Read',
  'Bash',
  'Edit',
  'Grep',
  'Glob',
  'Write',
  'Task',
  'TodoWrite',
  'WebFetch',
  'mcp__db__query',
]
const TURNS_A_SESSION = 40
const MEAN_LENGTH = 12
const STEPS_AT_ONCE = 1_000

/** Each report over so many steps, as a ratio to counting the same turns. */
export async function benchReports({ store, steps, samples, out }: ReportsBench): Promise<void> {
  await onBenchGraph({ store, out }, async (graph) => {
    const turns = await fill(graph, steps)
    const reports: Record<string, () => Promise<unknown>> = {
      turns: () => listTranscriptTurns(graph, { project: PROJECT, minLength: 5, limit: 50 }),
      'turns --since': () =>
        listTranscriptTurns(graph, {
          project: PROJECT,
          minLength: 5,
          limit: 50,
          sinceMs: instantOf(turns / 2),
        }),
      'turns --patterns': () => listTranscriptPatterns(graph, { project: PROJECT, minLength: 5 }),
      'turns --pattern': () =>
        listTranscriptTurns(graph, { project: PROJECT, minLength: 0, limit: 50, pattern: 'Read{2+} → Bash' }),
      'turns --session': () =>
        listTranscriptTurns(graph, { project: PROJECT, minLength: 5, limit: 50, sessionId: 's1' }),
      paths: () => listPaths(graph, { project: PROJECT, threshold: 5, limit: 20 }),
      'paths --turns': () => listToolStats(graph, { project: PROJECT, threshold: 5, limit: 20 }),
      desires: () => listDesires(graph, { project: PROJECT, threshold: 5 }),
    }
    const figures: Record<string, { ms: number; ratio: number }> = {}
    for (const [name, report] of Object.entries(reports)) {
      const counts: number[] = []
      const times: number[] = []
      for (let i = 0; i <= samples; i++) {
        counts.push(await msOf(() => graph.read(COUNT, { project: PROJECT })))
        times.push(await msOf(report))
      }
      const [count, ms] = [median(counts.slice(1)), median(times.slice(1))]
      figures[name] = { ms, ratio: ms / count }
      console.log(
        `${name.padEnd(18)} ${ms.toFixed(0).padStart(6)} ms, ${(ms / count).toFixed(2)} x counting the turns (${count.toFixed(0)} ms)`,
      )
    }
    return { steps, turns, reports: figures }
  })
}

const COUNT: Statement = {
  name: 'bench/count-turns',
  text: 'MATCH (t:TranscriptTurn {project: $project}) WHERE t.length >= 1 RETURN count(t) AS turns',
  params: ['project'],
}

const instantOf = (turn: number): number => Date.UTC(2026, 0, 1) + turn * 60_000

/** Turns of a real mix of lengths, tools and errors, written as an import writes them. */
async function fill(graph: Graph, steps: number): Promise<number> {
  const writeTurns = statement('transcripts/turns')
  const writeHolds = statement('transcripts/holds')
  let turns = 0
  for (let written = 0; written < steps; ) {
    const some = []
    const sessions = new Set<string>()
    for (let size = 0; size < STEPS_AT_ONCE; turns++) {
      const sessionId = `s${Math.floor(turns / TURNS_A_SESSION)}`
      const turn = storedTurn(PROJECT, 'bench', sessionId, madeUp(turns))
      some.push(turn)
      sessions.add(sessionId)
      size += turn.length
      written += turn.length
    }
    const batch = { turns: some.map((turn) => turnParams(turn, MESSAGES)), held: some.map(heldParams) }
    await graph.write([
      { statement: SESSIONS, params: { keys: [...sessions].map((id) => sessionKey(PROJECT, id)) } },
      { statement: writeTurns, params: { batch } as unknown as Params },
      { statement: writeHolds, params: { batch } as unknown as Params },
    ])
  }
  console.log(`${steps} steps in ${turns} turns`)
  return turns
}

const SESSIONS: Statement = {
  name: 'bench/sessions',
  text: 'UNWIND $keys AS key MERGE (s:TranscriptSession {key: key}) SET s.id = key RETURN count(s) AS sessions',
  params: ['keys'],
}

const ERRORS = Array.from(
  { length: 200 },
  (_, i) => `File /a/b/${i}.ts does not fit: ${'abcdefgh'.slice(i % 8)}`,
)
const MESSAGES = new Map(ERRORS.map((error) => [error, error]))

function madeUp(number: number) {
  const random = (salt: number) => (Math.imul(number * 31 + salt, 0x9e3779b1) >>> 8) / 2 ** 24
  const length = 1 + Math.floor(random(1) ** 3 * MEAN_LENGTH * 4)
  const at = new Date(instantOf(number)).toISOString()
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
      steps: Array.from({ length }, (_, i) => {
        const failed = random(i + 100) < 0.04
        return {
          id: `toolu_${number}_${i}`,
          // Agents do the same again and again: few shapes are frequent, most are not.
          tool: TOOLS[Math.floor(random(Math.floor(i / 3)) ** 2 * TOOLS.length)] ?? 'Read',
          status: failed ? ('error' as const) : ('ok' as const),
          response: `r${i}`,
          startedAt: at,
          durationMs: 100,
          error: failed ? (ERRORS[Math.floor(random(i + 200) * ERRORS.length)] ?? null) : null,
          agentId: null,
        }
      }),
    },
    true,
  )
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
