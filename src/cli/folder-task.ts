/** Chooses the task of a command: the task in its options, in the environment or of the folder. */
import type { TurngraphClient } from '../client/client.ts'
import { TurngraphError } from '../core/errors.ts'
import { quoteForShell } from '../rules/command-line.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import type { FoundTask } from './hook-task.ts'

export type Target = {
  featureId?: string | undefined
  taskId?: string | undefined
  worldSlug?: string | undefined
  project?: string | undefined
}

const MAX_NAMED = 5

/**
 * Completes the target of a command: an empty one is the task of TURNGRAPH_TASK or of this folder, and a task gets its feature.
 * @throws `invalid_request` if there is no task (the hint lists sessions), or if the feature of a task is missing or ambiguous
 */
export async function chooseTarget({ featureId, taskId, worldSlug, project }: Target): Promise<Target> {
  if (worldSlug !== undefined || (featureId !== undefined && taskId !== undefined))
    return { featureId, taskId, worldSlug, project }
  if (taskId !== undefined) return { featureId: await findFeature(taskId, project), taskId, project }
  if (featureId !== undefined) throw missingOption('--task')
  const found = await readFolderTask(process.env.TURNGRAPH_TASK)
  if (found === null) throw await noTask(project)
  const { chooseTaskProject } = await import('./hook-task.ts')
  const { task } = found
  return {
    featureId: task.feature_id,
    taskId: task.task_id,
    worldSlug: task.world_slug,
    project: chooseTaskProject(project, found),
  }
}

export const missingOption = (option: string): TurngraphError =>
  new TurngraphError(
    'invalid_request',
    `${option} is missing: a task is named by its feature and its own id.`,
    { hint: NAME_IT },
  )

const NAME_IT = 'Name it with --feature and --task, or one of its worlds with --world.'

async function withReadingClient<T>(
  project: string | undefined,
  use: (client: TurngraphClient) => Promise<T>,
): Promise<T> {
  const { withClient } = await import('./connect.ts')
  return withClient({ project, readsOnly: true }, use)
}

async function findFeature(taskId: string, project: string | undefined): Promise<string> {
  const { readPages } = await import('./require-project.ts')
  const { items } = await withReadingClient(project, (client) =>
    readPages({}, (window) => client.listWorlds({ taskId, withoutTokens: true, ...window })),
  )
  const features = [...new Set(items.map(({ featureId }) => featureId))]
  const [only] = features
  if (only !== undefined && features.length === 1) return only
  throw new TurngraphError(
    'invalid_request',
    features.length === 0
      ? `No session of a task ${taskId} is known.`
      : `${features.length} features have a task ${taskId}: ${features.join(', ')}.`,
    { hint: 'Name its feature with --feature.' },
  )
}

const listSessions = (project: string | undefined): Promise<string[]> =>
  withReadingClient(project, async (client) => {
    const request = { order: 'last_activity', limit: MAX_NAMED, withoutTokens: true } as const
    return (await client.listWorlds(request)).items.map(({ worldSlug }) => worldSlug)
  })

async function noTask(project: string | undefined): Promise<TurngraphError> {
  const { NO_TASK } = await import('./hook-task.ts')
  if (process.env.TURNGRAPH_TASK === NO_TASK)
    return new TurngraphError('invalid_request', `No task is named, and TURNGRAPH_TASK is ${NO_TASK}.`, {
      hint: NAME_IT,
    })
  const options = (await listSessions(project)).map((slug) => `--world ${quoteForShell(toOneLine(slug))}`)
  const hint =
    options.length === 0
      ? NAME_IT
      : `Add ${options.join(', or ')}. To set it once for this folder: turngraph task set FEATURE/TASK`
  return new TurngraphError('invalid_request', 'No task is named, and none is set for this folder.', { hint })
}

/** Finds the named task, or the task of this folder. @throws `invalid_request` if the task is malformed */
export async function readFolderTask(named?: string): Promise<FoundTask | null> {
  const { findTask } = await import('./hook-task.ts')
  return readTaskOrReject(() => findTask(named, [process.cwd()]))
}

export async function readTaskOrReject<T>(read: () => T): Promise<T> {
  const { TaskNotNamed } = await import('./hook-task.ts')
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TaskNotNamed)) throw error
    throw new TurngraphError('invalid_request', error.message, {
      hint: 'Set the task again: turngraph task set FEATURE/TASK',
    })
  }
}
