import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import neo4j from 'neo4j-driver'
import type { TurngraphClient } from '../src/client/client.ts'
import { httpClient } from '../src/client/http.ts'
import { inProcessClient } from '../src/client/in-process.ts'
import { loadConfig } from '../src/config.ts'
import { migrate } from '../src/graph/migrations.ts'
import { openGraph } from '../src/graph/open.ts'
import type { Graph } from '../src/graph/port.ts'
import { startService } from '../src/http/service.ts'
import { warmUp } from '../src/turns/warm-up.ts'
import { type Latency, latencyOf, timed } from './latency.ts'

export type TurnsBench = {
  store: string | null
  sizes: number[]
  samples: number
  warmUp: number
  http: boolean
  out: string
}

const PROJECT = `bench-${Date.now()}`
const TURNS_A_WORLD = 10
const CRITERIA = 8
/** Filling writes this many worlds at a time. */
const FILL_WIDTH = 16

/**
 * The floor is what one round trip costs: `RETURN 1` and a one-node write, as the driver's own executeQuery runs
 * them (DESIGN.md measured it so), or as the embedded engine does.
 */
type Floor = { read: () => Promise<unknown>; write: () => Promise<unknown>; close: () => Promise<void> }

export async function benchTurns(bench: TurnsBench): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-bench-'))
  const config = loadConfig({
    ...process.env,
    TURNGRAPH_DATA: folder,
    TURNGRAPH_PORT: '0',
    TURNGRAPH_AUTH: 'off',
    TURNGRAPH_LOG: 'warn',
    TURNGRAPH_PROJECT: PROJECT,
    ...(bench.store === null ? {} : { TURNGRAPH_STORE: bench.store }),
  })
  const graph = await openGraph(config.store)
  await migrate(graph)
  await warmUp(graph)
  const service = bench.http ? await startService({ config, graph }) : null
  const clients: Record<string, TurngraphClient> = { direct: inProcessClient({ graph, project: PROJECT }) }
  if (service !== null) clients.http = httpClient({ url: service.url, project: PROJECT })
  const floor = floorOf(graph, config.store.kind === 'neo4j' ? config.store : null)
  try {
    const results = await measureAll(bench, clients, floor)
    mkdirSync(path.dirname(bench.out), { recursive: true })
    writeFileSync(
      bench.out,
      `${JSON.stringify({ store: graph.engine, date: new Date().toISOString(), results }, null, 2)}\n`,
    )
    console.log(`\nwritten to ${bench.out}`)
  } finally {
    await floor.close()
    await (service === null ? graph.close() : service.close())
    rmSync(folder, { recursive: true, force: true })
  }
}

type Figures = Record<string, Latency>

async function measureAll(
  bench: TurnsBench,
  clients: Record<string, TurngraphClient>,
  floor: Floor,
): Promise<Record<number, Figures>> {
  const results: Record<number, Figures> = {}
  let world = 0
  let turns = 0
  const direct = clients.direct as TurngraphClient
  for (const size of bench.sizes) {
    while (turns < size) {
      const width = Math.min(FILL_WIDTH, Math.ceil((size - turns) / TURNS_A_WORLD))
      await Promise.all(Array.from({ length: width }, () => fillWorld(direct, world++)))
      turns += width * TURNS_A_WORLD
    }
    if (size === bench.sizes[0]) await sampled(bench.warmUp, clients, floor, 'warm', world)
    const { figures, captured } = await sampled(bench.samples, clients, floor, `at${size}`, world)
    turns += captured
    results[size] = figures
    print(size, figures)
  }
  return results
}

async function fillWorld(client: TurngraphClient, world: number): Promise<void> {
  for (let turn = 1; turn <= TURNS_A_WORLD; turn++) await client.captureTurnState(turnOf(`w${world}`, turn))
}

/** Each round measures every operation once, so that all see the same machine. */
async function sampled(
  rounds: number,
  clients: Record<string, TurngraphClient>,
  floor: Floor,
  label: string,
  worlds: number,
): Promise<{ figures: Figures; captured: number }> {
  const samples: Record<string, number[]> = {}
  const sample = async (name: string, work: () => Promise<unknown>) => {
    const list = samples[name] ?? []
    samples[name] = list
    list.push(await timed(work))
  }
  for (let round = 0; round < rounds; round++) {
    const turn = (round % TURNS_A_WORLD) + 1
    const world = `${label}-${Math.floor(round / TURNS_A_WORLD)}`
    const other = `w${(round * 7919) % worlds}`
    await sample('floor read', floor.read)
    await sample('floor write', floor.write)
    for (const [name, client] of Object.entries(clients)) {
      await sample(`${name} capture`, () => client.captureTurnState(turnOf(`${world}-${name}`, turn)))
      await sample(`${name} context`, () =>
        client.loadTurnContinuationContext({
          featureId: 'FEAT-BENCH',
          taskId: `TASK-${other}`,
          worldSlug: other,
          currentTurn: TURNS_A_WORLD + 1,
          role: round % 2 === 0 ? 'player' : 'coach',
        }),
      )
    }
  }
  const figures = Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, latencyOf(list)]))
  return { figures, captured: rounds * Object.keys(clients).length }
}

/** A turn as real sessions have them: eight criteria judged with evidence, promises, two issues. */
function turnOf(world: string, turnNumber: number) {
  const criterion = (i: number) => ({
    criterionId: `AC-00${i + 1}`,
    criterionText: `Criterion ${i + 1} of the bench holds for every input that the service accepts`,
  })
  const numbers = Array.from({ length: CRITERIA }, (_, i) => i)
  return {
    featureId: 'FEAT-BENCH',
    taskId: `TASK-${world}`,
    worldSlug: world,
    turnNumber,
    playerSummary: 'Implemented the endpoint, wrote its tests and fixed what the last review named. '.repeat(
      3,
    ),
    playerDecision: 'implemented',
    coachDecision: 'feedback',
    coachFeedback: 'Not all acceptance criteria are met: the error path lacks a test.',
    filesModified: ['src/a.ts', 'src/b.ts', 'test/a.test.ts'],
    verifications: numbers.map((i) => ({
      ...criterion(i),
      status: i < turnNumber ? ('verified' as const) : ('rejected' as const),
      evidence: `tests/test_${i}.py::test_criterion passed in 0.3 s`,
    })),
    promises: numbers.map((i) => ({
      ...criterion(i),
      status: 'complete' as const,
      evidence: 'see the tests',
    })),
    issues: [
      {
        severity: 'must_fix',
        category: 'tests',
        description: 'The error path has no test',
        criterionIds: ['AC-003'],
      },
      { severity: 'minor', description: 'A name could be clearer' },
    ],
    gates: { tests_passed: 'passed' as const, coverage_met: 'failed' as const },
  }
}

function floorOf(
  graph: Graph,
  store: { url: string; user: string; password: string | null; database: string } | null,
): Floor {
  if (store === null) {
    const statement = (text: string) => ({ name: 'bench/floor', text, params: [] })
    return {
      read: () => graph.read(statement('RETURN 1 AS one'), {}),
      write: () =>
        graph.write([{ statement: statement('CREATE (n:BenchFloor {i: 1}) RETURN n.i AS i'), params: {} }]),
      close: async () => {},
    }
  }
  const driver = neo4j.driver(
    store.url,
    store.password === null ? undefined : neo4j.auth.basic(store.user, store.password),
  )
  const { database } = store
  return {
    read: () => driver.executeQuery('RETURN 1 AS one', {}, { database, routing: neo4j.routing.READ }),
    write: () => driver.executeQuery('CREATE (n:BenchFloor {i: 1}) RETURN n.i AS i', {}, { database }),
    close: () => driver.close(),
  }
}

function print(size: number, figures: Figures): void {
  const read = figures['floor read']?.p50 ?? 1
  const write = figures['floor write']?.p50 ?? 1
  console.log(`\n${size} turns${' '.repeat(14)}p50 ms    p95 ms   × RETURN 1   × one-node write`)
  for (const [name, { p50, p95 }] of Object.entries(figures)) {
    const cells = [p50.toFixed(3), p95.toFixed(3), (p50 / read).toFixed(2), (p50 / write).toFixed(2)]
    console.log(name.padEnd(20) + cells.map((cell) => cell.padStart(9)).join(' '))
  }
}
