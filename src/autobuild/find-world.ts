/** Finds the world in which the loop works, or creates it. */
import type { TurngraphClient } from '../client/client.ts'
import { hasCode, TurngraphError } from '../core/errors.ts'
import { defaultSlug } from '../memory/scope/scope.ts'
import type { World } from '../memory/worlds/worlds.ts'
import { EXTERNAL } from '../runs/record.ts'
import type { AutobuildSettings } from './settings.ts'

type Settings = Pick<AutobuildSettings<unknown, unknown>, 'world' | 'criteria'>
type WorldOptions = Settings['world']

export async function findWorld(
  client: TurngraphClient,
  { world: options, criteria }: Settings,
): Promise<World> {
  const { project, featureId, taskId, leaseTtlMs } = options
  if (criteria !== null) await client.declareCriteria({ project, featureId, taskId, criteria })
  const found = options.worldSlug ?? (await newestWorld(client, options))
  // Two loops may begin a new task at the same time. Both name the same first world, so only one of them creates it.
  const firstSlug = (withFeature: boolean) => defaultSlug({ featureId, taskId }, 1, withFeature)
  const worldSlug = found ?? firstSlug(false)
  const create = (slug: string | null) =>
    client.createWorld({ project, featureId, taskId, worldSlug: slug, leaseTtlMs })
  const opened = found === null ? create(worldSlug) : client.getWorld({ project, worldSlug })
  const world = await opened
    .catch((error: unknown) => {
      if (hasCode(error, 'unknown_world')) return create(worldSlug)
      // Another task has this slug.
      if (found === null && hasCode(error, 'world_conflict')) return create(firstSlug(true))
      throw error
    })
    .catch((error: unknown) => {
      // Other tasks have both slugs, or the first world was deleted.
      if (found === null && hasCode(error, 'world_conflict', 'world_deleted')) return create(null)
      throw error
    })
  if (world.featureId !== featureId || world.taskId !== taskId) {
    throw new TurngraphError(
      'world_conflict',
      `world.worldSlug: "${world.worldSlug}" is a session of ${world.featureId}, ${world.taskId}.`,
      { hint: 'Name another world, or omit worldSlug to use the newest one of the task.' },
    )
  }
  if (world.executor === EXTERNAL) return world
  throw new TurngraphError(
    'world_conflict',
    `The turns of world "${world.worldSlug}" are executed by "${world.executor}".`,
    {
      hint: 'runAutobuild works only in worlds with the executor "external"; name another worldSlug to create one.',
    },
  )
}

async function newestWorld(client: TurngraphClient, options: WorldOptions): Promise<string | null> {
  const { project, featureId, taskId } = options
  const context = await client.loadTurnContinuationContext({ project, featureId, taskId, currentTurn: 1 })
  return context.worldSlug
}
