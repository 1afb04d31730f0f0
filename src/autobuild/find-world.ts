/** Finds the world in which the loop works, or creates it. */
import type { TurngraphClient } from '../client/client.ts'
import { hasCode, TurngraphError } from '../core/errors.ts'
import type { World } from '../memory/worlds/worlds.ts'
import { EXTERNAL } from '../runs/record.ts'
import type { AutobuildSettings } from './settings.ts'

type Settings = Pick<AutobuildSettings<unknown, unknown>, 'world' | 'criteria'>
type WorldOptions = Settings['world']

/** Returns the named world, the task's newest one, or a new one. Declares the criteria of the task first. */
export async function findWorld(
  client: TurngraphClient,
  { world: options, criteria }: Settings,
): Promise<World> {
  const { project, featureId, taskId, leaseTtlMs } = options
  if (criteria !== null) await client.declareCriteria({ project, featureId, taskId, criteria })
  const worldSlug = options.worldSlug ?? (await newestWorld(client, options))
  const create = () => client.createWorld({ project, featureId, taskId, worldSlug, leaseTtlMs })
  const world = await (worldSlug === null ? create() : client.getWorld({ project, worldSlug })).catch(
    (error: unknown) => {
      if (hasCode(error, 'unknown_world')) return create()
      throw error
    },
  )
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
