/**
 * Measures searches in a large project, by how many texts they find, and captures with an index of the
 * project in memory against captures without one.
 */
import { inProcessClient } from '../src/client/in-process.ts'
import { type Graph, graphWith, toStep } from '../src/graph/port.ts'
import { parseStatement } from '../src/graph/statements.ts'
import { TURNS_A_WORLD, turnOf } from './fill.ts'
import type { Floor } from './floor.ts'
import {
  type Figures,
  measureMs,
  printFigures,
  printGrowth,
  printRatios,
  rotated,
  sampler,
} from './latency.ts'
import { onBenchGraph } from './on-graph.ts'

type SearchBench = { store: string | null; turns: number[]; samples: number; out: string }

const WORLDS_AT_ONCE = 20
/** Size of the vocabulary: real sessions have about as many different words. */
const VOCABULARY = 40_000
const WORDS_OF_SUMMARY = 60
const WORDS_OF_LESSON = 12

/** Numbers that repeat in each run. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Makes a text whose words are as unequally frequent as those of a language. */
function textOf(next: () => number, words: number): string {
  return Array.from({ length: words }, () => `t${Math.floor(VOCABULARY ** next()).toString(36)}`).join(' ')
}

function wordyTurn(index: number, turnNumber: number) {
  const next = numbersFrom(index * 100 + turnNumber + 1)
  return {
    ...turnOf(`w${index}`, turnNumber),
    playerSummary: textOf(next, WORDS_OF_SUMMARY),
    coachFeedback: textOf(next, WORDS_OF_SUMMARY),
    lessonsFromTurn: [textOf(next, WORDS_OF_LESSON), textOf(next, WORDS_OF_LESSON)],
    issues: [
      { severity: 'must_fix', category: 'tests', description: textOf(next, WORDS_OF_LESSON) },
      { severity: 'minor', description: textOf(next, WORDS_OF_LESSON) },
    ],
  }
}

/** Writes only what a search reads: 100,000 captures would take an hour. */
const fill = parseStatement(
  'bench/fill-search',
  `// params: $project $worlds
   MERGE (p:Project {key: $project})
   MERGE (p)-[:HAS_FEATURE]->(f:Feature {key: $project + '/FEAT-BENCH'})
   WITH f
   UNWIND $worlds AS x
   CREATE (f)-[:HAS_TASK]->(k:Task {key: x.taskKey, id: x.slug, worldCount: 1, criteriaRev: 0})
   CREATE (k)-[:HAS_WORLD]->(w:World {key: x.key, slug: x.slug, project: $project, taskKey: x.taskKey, featureId: 'FEAT-BENCH',
     taskId: x.slug, ordinal: 1, turnCount: size(x.turns), currentTurn: size(x.turns)})
   WITH w, x
   UNWIND x.turns AS t
   CREATE (w)-[:HAS_TURN]->(n:Turn {key: t.key, number: t.number, digest: t.key, issueCount: 2, playerSummary: t.summary,
     coachFeedback: t.feedback, lessonsFromTurn: t.lessons, blockersFound: [], completedAt: datetime(t.at)})
   CREATE (n)-[:RAISED]->(:Issue {position: 0, description: t.issues[0]})
   CREATE (n)-[:RAISED]->(:Issue {position: 1, description: t.issues[1]})
   RETURN count(n) AS turns`,
)

const worldToFill = (project: string, index: number) => ({
  key: `${project}/w${index}`,
  taskKey: `${project}/FEAT-BENCH/TASK-w${index}`,
  slug: `w${index}`,
  turns: Array.from({ length: TURNS_A_WORLD }, (_, i) => {
    const { playerSummary, coachFeedback, lessonsFromTurn, issues } = wordyTurn(index, i + 1)
    return {
      key: `${project}/w${index}/${i + 1}`,
      number: i + 1,
      at: new Date(Date.UTC(2026, 0, 1) + ((index * 7_919) % 100_000) * 60_000 + i * 60_000).toISOString(),
      summary: playerSummary,
      feedback: coachFeedback,
      lessons: lessonsFromTurn,
      issues: issues.map(({ description }) => description),
    }
  }),
})

/** Queries by the number of texts that they find. */
const QUERIES = {
  'search, a rare word': (next: () => number) => `t${Math.floor(VOCABULARY * next()).toString(36)}`,
  'search, two words': (next: () => number) => textOf(next, 2),
  'search, a word of every turn': () => 't1',
  'search, the beginning of all words': () => 't',
  'search, two beginnings of many words': () => 't t1',
  'search, 16 beginnings': () => Array.from({ length: 16 }, (_, i) => `t${(i + 1).toString(36)}`).join(' '),
}

type Measured = { figures: Figures; buildMs: number; megabytes: number }

export async function benchSearch({ turns, samples, ...bench }: SearchBench): Promise<void> {
  await onBenchGraph(bench, async (graph, floor) => {
    const results: Record<number, Measured> = {}
    for (const size of turns.toSorted((a, b) => a - b))
      results[size] = await measureSearches(graph, floor, { turns: size, samples })
    printGrowth(Object.fromEntries(Object.entries(results).map(([size, { figures }]) => [size, figures])))
    return { results }
  })
}

/** Measures in a project of its own. */
async function measureSearches(
  graph: Graph,
  floor: Floor,
  { turns, samples }: { turns: number; samples: number },
): Promise<Measured> {
  const project = `bench-${Date.now()}`
  const searching = inProcessClient({ graph, project })
  const plain = inProcessClient({ graph: graphWith(graph, { close: async () => {} }), project })
  let worlds = 0
  while (worlds * TURNS_A_WORLD < turns) {
    const some = Array.from({ length: WORLDS_AT_ONCE }, () => worldToFill(project, worlds++))
    await graph.write([toStep(fill, { project, worlds: some })])
  }
  const before = process.memoryUsage()
  const buildMs = await measureMs(() => searching.search({ q: 't1' }))
  const megabytes = Math.round((process.memoryUsage().rss - before.rss) / 1e6)
  console.log(`index of ${turns} turns: ${Math.round(buildMs)} ms, ${megabytes} MB`)
  const { sample, figures } = sampler()
  const next = numbersFrom(7)
  for (let round = 0; round < samples; round++) {
    await sample('floor read', floor.read)
    for (const [name, query] of rotated(Object.entries(QUERIES), round))
      await sample(name, () => searching.search({ q: query(next) }))
  }
  // Both forms capture and search; only the place of the search differs from a capture without an index.
  for (let round = 0; round < samples; round++) {
    await sample('floor write', floor.write)
    for (const [name, client] of rotated(
      [['capture', plain] as const, ['capture, with an index', searching] as const],
      round,
    )) {
      const turn = wordyTurn(worlds++, 1)
      await sample(name, () => client.captureTurnState(turn))
    }
    await sample('search after a capture', () => searching.search({ q: 't1' }))
  }
  const measured = figures()
  printFigures(`${turns} turns`, measured)
  printRatios(
    Object.fromEntries(Object.entries(measured).filter(([name]) => name.startsWith('capture'))),
    'capture',
  )
  return { figures: measured, buildMs, megabytes }
}
