import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TurngraphClient } from '../src/client/client.ts'
import { inProcessClient } from '../src/client/in-process.ts'
import { loadConfig } from '../src/config.ts'
import { migrate } from '../src/graph/migrations.ts'
import { openGraph } from '../src/graph/open.ts'
import { warmUp } from '../src/warm-up.ts'
import { fillTo, TURNS_A_WORLD, turnOf } from './fill.ts'
import { type Floor, floorOf } from './floor.ts'
import { type Figures, printFigures, sampler } from './latency.ts'

export type CoachBench = { store: string | null; turns: number; long: number; samples: number; out: string }

const PROJECT = `bench-coach-${Date.now()}`
const MANY_CRITERIA = 50

type Place = { featureId: string; taskId: string; worldSlug: string; turn: number }
const placeOf = (world: string, turns: number): Place => ({
  featureId: 'FEAT-BENCH',
  taskId: `TASK-${world}`,
  worldSlug: world,
  turn: turns + 1,
})

/**
 * What a Coach asks, at so many turns, as ratios to RETURN 1; and of one long world with 50 criteria, as ratios to the
 * same of a short one.
 */
export async function benchCoach(bench: CoachBench): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-bench-'))
  const config = loadConfig({
    ...process.env,
    TURNGRAPH_DATA: folder,
    TURNGRAPH_PROJECT: PROJECT,
    ...(bench.store === null ? {} : { TURNGRAPH_STORE: bench.store }),
  })
  const graph = await openGraph(config.store)
  await migrate(graph)
  await warmUp(graph)
  const client = inProcessClient({ graph, project: PROJECT })
  const floor = floorOf(graph, config.store.kind === 'neo4j' ? config.store : null)
  try {
    const filled = { worlds: 0, turns: 0 }
    await fillTo(client, filled, bench.turns)
    await fillOne(client, 'short', TURNS_A_WORLD)
    await fillOne(client, 'long', bench.long)
    await sampled(client, floor, filled.worlds, bench, 300) // unmeasured
    const figures = await sampled(client, floor, filled.worlds, bench, bench.samples)
    printFigures(`${bench.turns} turns`, figures)
    for (const name of Object.keys(operationsOf(client, placeOf('', 0)))) {
      const ratio = (figures[`${name}, long world`]?.p50 ?? 0) / (figures[`${name}, short world`]?.p50 ?? 1)
      console.log(
        `${name.padEnd(24)} world of ${bench.long} turns / world of ${TURNS_A_WORLD}: ${ratio.toFixed(2)}`,
      )
    }
    mkdirSync(path.dirname(bench.out), { recursive: true })
    writeFileSync(
      bench.out,
      `${JSON.stringify({ store: graph.engine, turns: bench.turns, figures }, null, 2)}\n`,
    )
  } finally {
    await floor.close()
    await graph.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fillOne(client: TurngraphClient, world: string, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn++) await client.captureTurnState(turnOf(world, turn, MANY_CRITERIA))
}

const operationsOf = (client: TurngraphClient, { turn, ...place }: Place) => ({
  'criteria (coach)': () => client.listCriteria(place),
  'criteria (player)': () => client.listCriteria({ ...place, role: 'player' }),
  promises: () => client.recoverPromises({ ...place, turn }),
  stall: () => client.loadStall(place),
  why: () => client.explainTurn(place),
  'context (coach)': () => client.loadTurnContinuationContext({ ...place, currentTurn: turn, role: 'coach' }),
  'context (player)': () =>
    client.loadTurnContinuationContext({ ...place, currentTurn: turn, role: 'player' }),
})

async function sampled(
  client: TurngraphClient,
  floor: Floor,
  worlds: number,
  bench: CoachBench,
  rounds: number,
): Promise<Figures> {
  const { sample, figures } = sampler()
  for (let round = 0; round < rounds; round++) {
    await sample('floor read', floor.read)
    const some = operationsOf(client, placeOf(`w${(round * 7919) % worlds}`, TURNS_A_WORLD))
    for (const [name, work] of Object.entries(some)) await sample(name, work)
    if (round % 5 !== 0) continue
    const short = operationsOf(client, placeOf('short', TURNS_A_WORLD))
    const long = operationsOf(client, placeOf('long', bench.long))
    for (const [name, work] of Object.entries(short)) await sample(`${name}, short world`, work)
    for (const [name, work] of Object.entries(long)) await sample(`${name}, long world`, work)
  }
  return figures()
}
