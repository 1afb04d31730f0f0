/** Says which Turngraph and which engine a command works with. */
import * as z from 'zod'
import type { Config } from '../platform/config.ts'
import { VERSION } from '../platform/version.ts'
import { openStore } from './connect.ts'
import { runningServer } from './running-server.ts'

const health = z.object({ version: z.string() })
const readiness = z.object({ engine: z.string() })

/** Of a service that runs: its own version and its engine's name; else those of this program and of the store itself. */
export async function describeStore(config: Config): Promise<{ version: string; store: string }> {
  const url = config.url ?? (await runningServer(config))?.url ?? null
  if (url !== null) {
    const { version } = health.parse(await (await fetch(`${url}/healthz`)).json())
    const { engine } = readiness.parse(await (await fetch(`${url}/readyz`)).json())
    return { version, store: `${engine}, through a service` }
  }
  const graph = await openStore(config.store)
  try {
    const { engine, version } = await graph.health()
    return { version: VERSION, store: `${engine} (${version})` }
  } finally {
    await graph.close()
  }
}
