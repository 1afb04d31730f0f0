// Measures captures and contexts at several sizes of the graph, against RETURN 1 and a one-node write.
import type { TurngraphClient } from '../src/client/client.ts'
import { httpClient } from '../src/client/http.ts'
import { inProcessClient } from '../src/client/in-process.ts'
import { type Graph, graphWith } from '../src/graph/port.ts'
import { startService } from '../src/http/service.ts'
import type { Config } from '../src/platform/config.ts'
import { startServiceProcess } from '../test/faults/harness/service-process.ts'
import { storeSetting } from './bench-folder.ts'
import { type FillCounts, fillByWrites, TURNS_A_WORLD, turnOf, turnOfTrial } from './fill.ts'
import type { Floor } from './floor.ts'
import { type Figures, printFigures, printGrowth, rotated, sampler } from './latency.ts'
import { onBenchGraph } from './on-graph.ts'

type TurnsBench = {
  store: string | null
  /** Sizes of the graph at which to measure. */
  turns: number[]
  samples: number
  warmUp: number
  http: boolean
  out: string
}

const PROJECT = `bench-${Date.now()}`
const ENVIRONMENT = {
  TURNGRAPH_PORT: '0',
  TURNGRAPH_AUTH: 'off',
  TURNGRAPH_LOG: 'warn',
  TURNGRAPH_PROJECT: PROJECT,
}

export const benchTurns = (bench: TurnsBench): Promise<void> =>
  onBenchGraph({ ...bench, environment: ENVIRONMENT }, async (graph, floor, config) => {
    const service = bench.http ? await serve(bench.store, graph, config) : null
    const own: Clients['own'] = { direct: inProcessClient({ graph, project: PROJECT }) }
    if (service !== null) own.http = httpClient({ url: service.url, project: PROJECT })
    // Acts as another process, without the caches of this one.
    const replica = graphWith(graph, { close: async () => {} })
    const other = inProcessClient({ graph: replica, project: PROJECT })
    try {
      const fill: Fill = (filled, turns) => fillByWrites(graph, PROJECT, filled, turns)
      const results = await measureAll(bench, { own, other }, floor, fill)
      return { date: new Date().toISOString(), results }
    } finally {
      await service?.end()
    }
  })

/** Serves in a separate process, as for real callers. Only one process can have the embedded graph. */
async function serve(
  store: string | null,
  graph: Graph,
  config: Config,
): Promise<{ url: string; end: () => Promise<unknown> }> {
  if (config.store.kind !== 'neo4j') {
    const service = await startService({ config, graph })
    return { url: service.url, end: () => service.close() }
  }
  const environment = { ...ENVIRONMENT, ...storeSetting(store) }
  const service = await startServiceProcess({ dataFolder: config.dataFolder, environment })
  return { url: service.url, end: () => service.stop() }
}

type Clients = {
  /** Clients of this process, by their transport. */
  own: Record<string, TurngraphClient>
  /** A direct client of another replica, which did not write the turn before. */
  other: TurngraphClient
}

type Fill = (filled: FillCounts, turns: number) => Promise<void>

async function measureAll(
  bench: TurnsBench,
  clients: Clients,
  floor: Floor,
  fill: Fill,
): Promise<Record<number, Figures>> {
  const results: Record<number, Figures> = {}
  const filled = { worlds: 0, turns: 0 }
  const { direct } = clients.own as { direct: TurngraphClient }
  await fillWorlds(direct)
  for (const size of bench.turns) {
    await fill(filled, size)
    if (size === bench.turns[0]) await sampled(bench.warmUp, clients, floor, 'warm', filled.worlds)
    const { figures, captured } = await sampled(bench.samples, clients, floor, `at${size}`, filled.worlds)
    filled.turns += captured
    results[size] = figures
    printFigures(`${size} turns`, figures)
  }
  printGrowth(results)
  return results
}

/** Kinds of worlds, by the source of the promises of their next turn. */
const PROMISING = ['own', 'recovered', 'none'] as const
const WORLDS_OF_EACH = 16

async function fillWorlds(client: TurngraphClient): Promise<void> {
  for (const promising of PROMISING) {
    for (let i = 0; i < WORLDS_OF_EACH; i++) {
      for (let turn = 1; turn <= TURNS_A_WORLD; turn++) {
        const { promises, ...silent } = turnOf(`${promising}${i}`, turn)
        const isPromising = promising === 'own' || (promising === 'recovered' && turn === 1)
        await client.captureTurnState(isPromising ? { ...silent, promises } : silent)
      }
    }
  }
}

/** Measures every operation once per round, so that all are measured under the same conditions. */
async function sampled(
  rounds: number,
  { own, other }: Clients,
  floor: Floor,
  label: string,
  worlds: number,
): Promise<{ figures: Figures; captured: number }> {
  const { sample, figures } = sampler()
  let captured = 0
  for (let round = 0; round < rounds; round++) {
    const turn = (round % TURNS_A_WORLD) + 1
    const world = `${label}-${Math.floor(round / TURNS_A_WORLD)}`
    await sample('floor read', floor.read)
    await sample('floor write', floor.write)
    for (const [name, client] of Object.entries(own)) {
      const forms: [form: string, record: CapturedTurn, by: TurngraphClient][] = [
        ['', turnOf(`${world}-${name}`, turn), client],
        [', as the trial', turnOfTrial(`${world}-${name}-trial`, turn), client],
        [', no world named', withoutWorld(turnOf(`${world}-${name}-task`, turn)), client],
        [', labels only', labelsOnly(turnOf(`${world}-${name}-labels`, turn), turn), client],
        [
          ', labels only, no world',
          withoutWorld(labelsOnly(turnOf(`${world}-${name}-plain`, turn), turn)),
          client,
        ],
        [', by two processes', turnOf(`${world}-${name}-two`, turn), turn % 2 === 0 ? client : other],
      ]
      // Each form comes first in its turn, because the first one after the floor pays for cold caches.
      for (const [form, record, by] of rotated(forms, round)) {
        await sample(`${name} capture${form}`, () => by.captureTurnState(record))
        captured++
      }
      const filler = `w${(round * 7919) % worlds}`
      const contexts: [form: string, world: string, next: number, isNamed: boolean][] = [
        ['', filler, TURNS_A_WORLD + 1, true],
        [', no world named', filler, TURNS_A_WORLD + 1, false],
        ...PROMISING.map((promising): [string, string, number, boolean] => [
          `, promises ${promising}, no world named`,
          `${promising}${round % WORLDS_OF_EACH}`,
          TURNS_A_WORLD + 1,
          false,
        ]),
        [', earlier turn, no world named', `recovered${round % WORLDS_OF_EACH}`, 6, false],
      ]
      for (const [form, of, currentTurn, isNamed] of rotated(contexts, round)) {
        const request = { featureId: 'FEAT-BENCH', taskId: `TASK-${of}`, currentTurn }
        const role = round % 2 === 0 ? 'player' : 'coach'
        await sample(`${name} context${form}`, () =>
          client.loadTurnContinuationContext({ ...request, role, ...(isNamed && { worldSlug: of }) }),
        )
      }
    }
  }
  return { figures: figures(), captured }
}

type CapturedTurn = Parameters<TurngraphClient['captureTurnState']>[0]

function withoutWorld({ worldSlug, ...turn }: CapturedTurn): CapturedTurn {
  return turn
}

/**
 * Removes all texts of criteria after the first turn of a session: a model as Coach names them by their ids
 * only.
 */
const labelsOnly = <T extends ReturnType<typeof turnOf>>(record: T, turn: number): CapturedTurn =>
  turn === 1
    ? record
    : {
        ...record,
        promises: [],
        verifications: record.verifications.map(({ criterionText, ...verification }) => verification),
      }
