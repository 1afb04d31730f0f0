/**
 * Measures the requests of a Coach at the given number of turns, as ratios to RETURN 1, and in one long world
 * with 50 criteria, as ratios to the same requests in a short one.
 */
import type { TurngraphClient } from '../src/client/client.ts'
import { inProcessClient } from '../src/client/in-process.ts'
import { fillTo, TURNS_A_WORLD, turnOf } from './fill.ts'
import type { Floor } from './floor.ts'
import { type Figures, printFigures, sampler } from './latency.ts'
import { onBenchGraph } from './on-graph.ts'

type CoachBench = { store: string | null; turns: number; long: number; samples: number; out: string }

const PROJECT = `bench-coach-${Date.now()}`
const MANY_CRITERIA = 50

type Place = { featureId: string; taskId: string; worldSlug: string; turn: number }
const placeOf = (world: string, turns: number): Place => ({
  featureId: 'FEAT-BENCH',
  taskId: `TASK-${world}`,
  worldSlug: world,
  turn: turns + 1,
})

export async function benchCoach(bench: CoachBench): Promise<void> {
  await onBenchGraph(bench, async (graph, floor) => {
    const client = inProcessClient({ graph, project: PROJECT })
    const filled = { worlds: 0, turns: 0 }
    await fillTo(client, filled, bench.turns)
    await fillOne(client, 'short', TURNS_A_WORLD)
    await fillOne(client, 'long', bench.long)
    await sampled(client, floor, filled.worlds, bench, 300) // unmeasured
    const figures = await sampled(client, floor, filled.worlds, bench, bench.samples)
    printFigures(`${bench.turns} turns`, figures)
    for (const name of [...Object.keys(operationsOf(client, placeOf('', 0))), AGAIN]) {
      const ratio = (figures[`${name}, long world`]?.p50 ?? 0) / (figures[`${name}, short world`]?.p50 ?? 1)
      console.log(
        `${name.padEnd(24)} world of ${bench.long} turns / world of ${TURNS_A_WORLD}: ${ratio.toFixed(2)}`,
      )
    }
    return { turns: bench.turns, figures }
  })
}

const AGAIN = 'capture sent again'

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
    for (const [name, work] of named(some)) await sample(name, work)
    if (round % 5 !== 0) continue
    const short = operationsOf(client, placeOf('short', TURNS_A_WORLD))
    const long = operationsOf(client, placeOf('long', bench.long))
    for (const [name, work] of named(short)) await sample(`${name}, short world`, work)
    for (const [name, work] of named(long)) await sample(`${name}, long world`, work)
    const again = (world: string, turn: number) => client.captureTurnState(turnOf(world, turn, MANY_CRITERIA))
    await sample(`${AGAIN}, short world`, () => again('short', TURNS_A_WORLD / 2))
    await sample(`${AGAIN}, long world`, () => again('long', bench.long / 2))
  }
  return figures()
}

const named = (some: ReturnType<typeof operationsOf>): [string, () => Promise<unknown>][] =>
  Object.entries(some)
