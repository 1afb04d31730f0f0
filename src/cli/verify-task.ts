/** Finds the task of `turngraph verify`, with the criteria that it declares. */
import type { TurngraphClient } from '../client/client.ts'
import { hasCode, TurngraphError } from '../core/errors.ts'
import type { OperationOutput } from '../operations/table.ts'
import { requireTarget } from './command.ts'
import type { Given } from './verify-options.ts'

export type Target = { featureId: string; taskId: string; worldSlug?: string; turnNumber?: number }

type Specified = OperationOutput<'getSpecification'>['criteria'][number]

export const usage = (message: string): TurngraphError =>
  new TurngraphError('invalid_request', message, { hint: '`turngraph verify --help` shows examples.' })

/**
 * Reads the task and its declared criteria. The connection ends before a command runs: an embedded graph is free for others, and
 * for the command itself.
 */
export async function readTask(
  { featureId, taskId, worldSlug, turnNumber, project }: Given,
  isSpecificationOptional: boolean,
): Promise<{ target: Target; declared: Specified[] }> {
  const { withClient } = await import('./connect.ts')
  return withClient({ project, readsOnly: true }, async (client) => {
    const task = await findTask(client, { featureId, taskId, worldSlug })
    const declared = await client.getSpecification(task).then(
      ({ criteria }) => criteria,
      (error: unknown) => {
        if (isSpecificationOptional && hasCode(error, 'not_found')) return []
        throw error
      },
    )
    const target = {
      ...task,
      ...(worldSlug !== undefined && { worldSlug }),
      ...(turnNumber !== undefined && { turnNumber }),
    }
    return { target, declared }
  })
}

/** Finds the feature and the task: as given, those of the world, or the only feature that has the task. */
export async function findTask(
  client: TurngraphClient,
  { featureId, taskId, worldSlug }: Pick<Given, 'featureId' | 'taskId' | 'worldSlug'>,
): Promise<{ featureId: string; taskId: string }> {
  if (featureId !== undefined && taskId !== undefined) return { featureId, taskId }
  if (worldSlug !== undefined) {
    const world = await client.getWorld({ worldSlug })
    return { featureId: world.featureId, taskId: world.taskId }
  }
  if (taskId === undefined) requireTarget({ featureId, taskId, worldSlug })
  const { items } = await client.listWorlds({ taskId: taskId ?? '', limit: 100, withoutTokens: true })
  const features = [...new Set(items.map((world) => world.featureId))]
  const [only] = features
  if (taskId !== undefined && only !== undefined && features.length === 1) return { featureId: only, taskId }
  throw new TurngraphError(
    'invalid_request',
    features.length === 0
      ? `No session of a task ${taskId} is known.`
      : `${features.length} features have a task ${taskId}: ${features.join(', ')}.`,
    { hint: 'Name its feature with --feature.' },
  )
}
