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

/** A store on which services of runs are started repeatedly; all are one instance except a `replica`. */
export type RunStore = {
  name: 'embedded' | 'Neo4j'
  /** Returns the path of a file in the scenario's folder. */
  file(name: string): string
  /** Starts a service. Resolves when it listens. */
  start(environment?: Record<string, string>): Promise<ServiceProcess>
  /** Starts a service. Resolves when it is ready. */
  startReady(environment?: Record<string, string>): Promise<ServiceProcess>
  /** Starts a ready service with a separate data folder, which ends with the scenario. On Neo4j only. */
  replica(environment?: Record<string, string>): Promise<ServiceProcess>
  /** Checks the whole graph below the interfaces. If it is embedded, no service may hold it. */
  checkShape(): Promise<{ turns: number; runs: number; attempts: number }>
  /** Returns the whole content of the graph, with the same condition as `checkShape`. */
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

/** @param reachedAt the address for the services, if it differs: that of a proxy */
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

/**
 * Waits for its log line first: a service that is asked for readiness earlier would remember the answer for a
 * second.
 */
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
