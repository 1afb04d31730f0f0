/** Finds the task of `turngraph verify`, with the criteria that it declares. */
import type { TurngraphClient } from '../client/client.ts'
import { hasCode, TurngraphError } from '../core/errors.ts'
import type { OperationOutput } from '../operations/table.ts'
import type { NamedCriterion } from '../verify/checks.ts'
import type { Given } from './verify-options.ts'

export type Target = { featureId: string; taskId: string; worldSlug?: string; turnNumber?: number }

export type Task = { target: Target; declared: Specified[]; known: NamedCriterion[] }

type Specified = OperationOutput<'getSpecification'>['criteria'][number]

export const usage = (message: string): TurngraphError =>
  new TurngraphError('invalid_request', message, { hint: '`turngraph verify --help` shows examples.' })

/**
 * Reads the task and its declared criteria, or the criteria of its session if the task declares none. The connection ends before
 * a command runs: an embedded graph is then free for others, and for the command itself.
 */
export async function readTask(
  { featureId, taskId, worldSlug, turnNumber, project }: Given,
  isSpecificationOptional: boolean,
): Promise<Task> {
  const { withClient } = await import('./connect.ts')
  return withClient({ project, readsOnly: true }, async (client) => {
    const task = await findTask(client, { featureId, taskId, worldSlug })
    const orNone = (error: unknown): { criteria: [] } => {
      if (isSpecificationOptional && hasCode(error, 'not_found')) return { criteria: [] }
      throw error
    }
    const { criteria: declared } = await client.getSpecification(task).catch(orNone)
    const { criteria: known } =
      declared.length > 0 ? { criteria: [] } : await client.listCriteria({ ...task, worldSlug }).catch(orNone)
    const target = {
      ...task,
      ...(worldSlug !== undefined && { worldSlug }),
      ...(turnNumber !== undefined && { turnNumber }),
    }
    return { target, declared, known }
  })
}

export async function findTask(
  client: TurngraphClient,
  { featureId, taskId, worldSlug }: Pick<Given, 'featureId' | 'taskId' | 'worldSlug'>,
): Promise<{ featureId: string; taskId: string }> {
  if (featureId !== undefined && taskId !== undefined) return { featureId, taskId }
  const world = await client.getWorld({ worldSlug: worldSlug ?? '' })
  return { featureId: world.featureId, taskId: world.taskId }
}
