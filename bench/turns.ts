import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TurngraphClient } from '../src/client/client.ts'
import { httpClient } from '../src/client/http.ts'
import { inProcessClient } from '../src/client/in-process.ts'
import { loadConfig } from '../src/config.ts'
import { migrate } from '../src/graph/migrations.ts'
import { openGraph } from '../src/graph/open.ts'
import { startService } from '../src/http/service.ts'
import { warmUp } from '../src/warm-up.ts'
import { startServiceProcess } from '../test/chaos/service-process.ts'
import { fillTo, TURNS_A_WORLD, turnOf, turnOfTrial } from './fill.ts'
import { type Floor, floorOf } from './floor.ts'
import { type Figures, printFigures, sampler } from './latency.ts'

export type TurnsBench = {
  store: string | null
  sizes: number[]
  samples: number
  warmUp: number
  http: boolean
  out: string
}

const PROJECT = `bench-${Date.now()}`

export async function benchTurns(bench: TurnsBench): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-bench-'))
  const environment = {
    TURNGRAPH_DATA: folder,
    TURNGRAPH_PORT: '0',
    TURNGRAPH_AUTH: 'off',
    TURNGRAPH_LOG: 'warn',
    TURNGRAPH_PROJECT: PROJECT,
    ...(bench.store === null ? {} : { TURNGRAPH_STORE: bench.store }),
  }
  const config = loadConfig({ ...process.env, ...environment })
  const graph = await openGraph(config.store)
  await migrate(graph)
  await warmUp(graph)
  // In a process of its own, as callers have it; the embedded graph is held by one process alone.
  const alone = bench.http && config.store.kind === 'neo4j'
  const service = alone
    ? await startServiceProcess({ dataFolder: folder, environment })
    : bench.http
      ? await startService({ config, graph })
      : null
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
    if (service !== null && 'stop' in service) await service.stop()
    else await service?.close()
    await graph.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureAll(
  bench: TurnsBench,
  clients: Record<string, TurngraphClient>,
  floor: Floor,
): Promise<Record<number, Figures>> {
  const results: Record<number, Figures> = {}
  const filled = { worlds: 0, turns: 0 }
  const direct = clients.direct as TurngraphClient
  for (const size of bench.sizes) {
    await fillTo(direct, filled, size)
    if (size === bench.sizes[0]) await sampled(bench.warmUp, clients, floor, 'warm', filled.worlds)
    const { figures, captured } = await sampled(bench.samples, clients, floor, `at${size}`, filled.worlds)
    filled.turns += captured
    results[size] = figures
    printFigures(`${size} turns`, figures)
  }
  return results
}

/** Each round measures every operation once, so that all see the same machine. */
async function sampled(
  rounds: number,
  clients: Record<string, TurngraphClient>,
  floor: Floor,
  label: string,
  worlds: number,
): Promise<{ figures: Figures; captured: number }> {
  const { sample, figures } = sampler()
  for (let round = 0; round < rounds; round++) {
    const turn = (round % TURNS_A_WORLD) + 1
    const world = `${label}-${Math.floor(round / TURNS_A_WORLD)}`
    const other = `w${(round * 7919) % worlds}`
    await sample('floor read', floor.read)
    await sample('floor write', floor.write)
    for (const [name, client] of Object.entries(clients)) {
      await sample(`${name} capture`, () => client.captureTurnState(turnOf(`${world}-${name}`, turn)))
      await sample(`${name} capture, as the trial`, () =>
        client.captureTurnState(turnOfTrial(`${world}-${name}-trial`, turn)),
      )
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
  return { figures: figures(), captured: 2 * rounds * Object.keys(clients).length }
}
