/** Measures captures during hostile queries, as a ratio to captures without them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { TurngraphClient } from '../src/client/client.ts'
import { inProcessClient } from '../src/client/in-process.ts'
import {
  DISGUISES,
  FILES_AND_PROCEDURES,
  SCHEMA_AND_SERVER,
  TOO_MUCH,
  WRITES,
} from '../test/support/hostile-cypher.ts'
import { fillTo, turnOf } from './fill.ts'
import { type Latency, latencyOf, measureMs } from './latency.ts'
import { onBenchGraph } from './on-graph.ts'

type QueriesBench = { store: string | null; turns: number; samples: number; out: string }

const ATTACKERS = 4
const TIMEOUT_MS = 2_000

export async function benchQueries({ store, turns, samples, out }: QueriesBench): Promise<void> {
  await onBenchGraph({ store, out }, async (graph) => {
    const client = inProcessClient({ graph, project: `bench-queries-${Date.now()}` })
    await fillTo(client, { worlds: 0, turns: 0 }, turns)
    await captures(client, 'warm', samples)
    const calm = await captures(client, 'calm', samples)
    const attack = { over: false }
    const outcomes: Record<string, number> = {}
    const attackers = Array.from({ length: ATTACKERS }, (_, i) => attackUntil(attack, client, i, outcomes))
    const attacked = await captures(client, 'attacked', samples)
    attack.over = true
    await Promise.all(attackers)
    for (const name of ['p50', 'p95'] as const) {
      console.log(
        `capture ${name}: ${calm[name].toFixed(2)} ms, under attack ${attacked[name].toFixed(2)} ms, ${(attacked[name] / calm[name]).toFixed(2)} x`,
      )
    }
    console.log('queries by how they ended:', JSON.stringify(outcomes))
    return { turns, calm, attacked, outcomes }
  })
}

async function captures(client: TurngraphClient, world: string, samples: number): Promise<Latency> {
  const times: number[] = []
  // Pauses between two captures like an orchestrator, so that the queries get time regardless of the
  // captures.
  for (let turn = 1; turn <= samples; turn++) {
    const record = turnOf(`${world}-${Math.ceil(turn / 20)}`, ((turn - 1) % 20) + 1)
    times.push(await measureMs(() => client.captureTurnState(record)))
    await pause(20)
  }
  return latencyOf(times)
}

async function attackUntil(
  attack: { over: boolean },
  client: TurngraphClient,
  first: number,
  outcomes: Record<string, number>,
): Promise<void> {
  const refused = [...WRITES, ...SCHEMA_AND_SERVER, ...FILES_AND_PROCEDURES, ...DISGUISES]
  for (let i = first; !attack.over; i += ATTACKERS) {
    // Sends mostly the most expensive queries.
    const corpus = i % 3 === 0 ? refused : TOO_MUCH
    const query = corpus[i % corpus.length] ?? ''
    const outcome = await client.queryGraph({ query, timeoutMs: TIMEOUT_MS }).then(
      ({ truncated }) => (truncated ? 'truncated' : 'answered'),
      (error: { code?: string }) => error.code ?? 'unknown',
    )
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
}
