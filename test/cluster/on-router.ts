// Starts services on a simulated cluster, and asks them as a caller does who passes bookmarks on.

import type { Place } from '../faults/harness/planned-turn.ts'
import { holds, type Later, until } from '../faults/harness/scenario.ts'
import { type Exchange, exchange } from '../faults/harness/send.ts'
import {
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
  untilReady,
} from '../faults/harness/service-process.ts'
import { newestOf } from './bolt-messages.ts'
import type { BoltRouter } from './bolt-router.ts'

const ANSWERS_WITHIN_MS = 60_000

/** A ready service whose store is the simulated cluster; it ends with the scenario. */
export async function serviceOn(
  router: BoltRouter,
  later: Later,
  environment: Record<string, string> = {},
): Promise<ServiceProcess> {
  const { folder, remove } = temporaryFolder()
  later(remove)
  const service = await startServiceProcess({
    dataFolder: folder,
    environment: { TURNGRAPH_STORE: router.url, ...environment },
  })
  later(() => service.kill())
  await untilReady(service)
  return service
}

/** The continuation context of a turn, asked again while the store is away. */
export function contextOf(
  { url }: ServiceProcess,
  { project, featureId, taskId }: Place,
  turn: number,
  bookmark: string | null,
): Promise<Exchange> {
  const query = new URLSearchParams({
    project,
    feature_id: featureId,
    task_id: taskId,
    current_turn: String(turn),
  })
  const headers: Record<string, string> = bookmark === null ? {} : { 'turngraph-bookmark': bookmark }
  return until('a context is answered', ANSWERS_WITHIN_MS, async () => {
    const seen = await exchange(`${url}/v1/continuation-context?${query}`, { headers })
    if (seen.status === 200) return seen
    holds([503, 504].includes(seen.status), 'a context is answered, or its store is away', seen)
    return null
  })
}

/** What a free query answers, asked again while the store is away. */
export function queryOf(
  { url }: ServiceProcess,
  query: string,
  params: object,
  bookmark: string | null,
): Promise<Exchange> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(bookmark !== null && { 'turngraph-bookmark': bookmark }),
  }
  const request = { method: 'POST', headers, body: JSON.stringify({ query, params }) }
  return until('a query is answered', ANSWERS_WITHIN_MS, async () => {
    const seen = await exchange(`${url}/v1/cypher`, request)
    if (seen.status === 200) return seen
    holds([503, 504].includes(seen.status), 'a query is answered, or its store is away', seen)
    return null
  })
}

/** The newest transaction that a bookmark of ours stands for. */
export function newestTransaction(bookmark: string): bigint {
  const [, ...bookmarks]: string[] = JSON.parse(Buffer.from(bookmark, 'base64url').toString())
  return newestOf(bookmarks)
}
