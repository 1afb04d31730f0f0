import { mkdtempSync } from 'node:fs'
import path from 'node:path'
import { EmbeddedGraph } from '../../../src/graph/embedded.ts'
import type { Graph } from '../../../src/graph/port.ts'
import { dumpOf } from '../../support/graph-dump.ts'
import { checkGraphShape } from './graph-shape.ts'
import { graphAt, neo4jFor, planStatements } from './on-neo4j.ts'
import { checkRunShape } from './run-shape.ts'
import { withExecutors } from './run-world.ts'
import { type Later, type ScenarioOptions, until } from './scenario.ts'
import { folderOfScenario, type ServiceProcess, startServiceProcess, untilReady } from './service-process.ts'

/** A store that services of runs are started on, again and again: all of one instance unless `replica` says other. */
export type RunStore = {
  name: 'embedded' | 'Neo4j'
  /** A file of the scenario's own. */
  file(name: string): string
  /** Resolves once it listens. */
  start(environment?: Record<string, string>): Promise<ServiceProcess>
  /** Resolves once it is ready. */
  startReady(environment?: Record<string, string>): Promise<ServiceProcess>
  /** A ready service with a data folder of its own, which ends with the scenario. On Neo4j only. */
  replica(environment?: Record<string, string>): Promise<ServiceProcess>
  /** Looks at the whole graph from below; no service may hold it, if it is embedded. */
  checkShape(): Promise<{ turns: number; runs: number; attempts: number }>
  /** All that the graph holds; as with `checkShape`. */
  dump(): Promise<string[]>
}

export type EngineName = RunStore['name']

export async function openRunStore(
  engine: EngineName,
  options: ScenarioOptions,
  later: Later,
): Promise<RunStore> {
  const folder = folderOfScenario(later)
  return engine === 'embedded'
    ? runStore({ name: engine, folder, store: {}, graph: () => EmbeddedGraph.open({ folder }), later })
    : runStoreOnNeo4j(await neo4jFor(options, later), folder, later)
}

/** @param reachedAt the address that services are given, if it is another one: a proxy's */
export async function runStoreOnNeo4j(
  url: string,
  folder: string,
  later: Later,
  reachedAt = url,
): Promise<RunStore> {
  await planStatements(url)
  const store = { TURNGRAPH_STORE: reachedAt }
  return runStore({ name: 'Neo4j', folder, store, graph: () => graphAt(url), later })
}

function runStore({ name, folder, store, graph, later }: StoreParts): RunStore {
  const shared = { ...store, ...withExecutors(folder) }
  const begin = async (dataFolder: string, environment: Record<string, string> = {}) => {
    const service = await startServiceProcess({ dataFolder, environment: { ...shared, ...environment } })
    later(() => service.kill())
    return service
  }
  const looking = async <T>(look: (opened: Graph) => Promise<T>): Promise<T> => {
    const opened = graph()
    return look(opened).finally(() => opened.close())
  }
  return {
    name,
    file: (file) => path.join(folder, file),
    start: (environment) => begin(folder, environment),
    startReady: (environment) => begin(folder, environment).then(onceItServes),
    replica: (environment) =>
      begin(mkdtempSync(path.join(folder, 'replica-')), environment).then(onceItServes),
    checkShape: () =>
      looking(async (opened) => {
        const { turns } = await checkGraphShape(opened)
        return { turns, ...(await checkRunShape(opened)) }
      }),
    dump: () => looking(dumpOf),
  }
}

/** It says so once it has begun; asked for readiness before, it would remember for a second that it was not. */
async function onceItServes(service: ServiceProcess): Promise<ServiceProcess> {
  await until('the service serves', 60_000, async () => service.output().includes('Turngraph listens on'))
  await untilReady(service)
  return service
}

type StoreParts = {
  name: EngineName
  folder: string
  store: Record<string, string>
  graph: () => Graph
  later: Later
}
