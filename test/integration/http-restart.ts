import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { newFolder, type Started, start } from './http-start.ts'

/** Starts a service that can be stopped and restarted at the same address, with the same graph and token. */
export async function restartable(environment: Record<string, string> = {}) {
  const dataFolder = newFolder()
  let port = '0'
  let started: Started | null = null
  const up = async (): Promise<Started> => {
    const graph = EmbeddedGraph.open({ folder: dataFolder })
    const settings = { TURNGRAPH_STORE: `embedded:${dataFolder}`, TURNGRAPH_PORT: port, ...environment }
    started = await start(settings, { graph, dataFolder })
    port = String(started.service.port)
    return started
  }
  const first = await up()
  return {
    url: first.service.url,
    token: first.token,
    up,
    down: async () => started?.service.close(),
  }
}
