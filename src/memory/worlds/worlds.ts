/** Creates, reads and deletes worlds. */
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { name } from '../../core/fields.ts'
import { toInstant } from '../../core/instants.ts'
import { worldKey } from '../../core/keys.ts'
import { snakeCase, toWire } from '../../core/wire-form.ts'
import { withOneDeadline } from '../../graph/deadline.ts'
import { decodeRow, readRows } from '../../graph/decode.ts'
import { nodeReader } from '../../graph/node-reader.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { isNewWorldSlug } from '../../rules/new-world.ts'
import { optionalText } from '../../rules/values.ts'
import { instantRow } from '../record/rows.ts'
import { defaultSlug, keyOfTask, type Scope, taskParams } from '../scope/scope.ts'
import { restoreUnfinished, unknownWorld, worldAtWork, worldDeleted } from '../scope/world-errors.ts'
import { declaredCriteria } from '../specification/specification.ts'
import { DEFAULT_LEASE_TTL_MS, leaseTtlMs } from './lease-ttl.ts'
import { assertNewWorldSlug } from './new-world.ts'
import {
  differingRunSettings,
  type RunSettingsRequest,
  runSettings,
  runSettingsColumns,
  runSettingsFrom,
  runSettingsParams,
  runSettingsRequest,
} from './run-settings.ts'

/** World: one autobuild session of one task, whose turns are numbered from 1. */
export const world = z.object({
  worldSlug: z.string(),
  project: z.string(),
  featureId: z.string(),
  taskId: z.string(),
  currentTurn: z.number().describe('the greatest turn number present; 0 before the first'),
  executor: z.string(),
  leaseTtlMs: z.number(),
  ...runSettings,
  activeTurnRunId: z.string().nullable(),
  activeAttemptId: z.string().nullable(),
  createdAt: z.string(),
  deletedAt: z.string().nullable(),
})

export type World = z.output<typeof world>

export const createWorldRequest = z.strictObject({
  project: name.nullish().describe("default: the connection's project"),
  featureId: name,
  taskId: name,
  worldSlug: name
    .nullish()
    .describe("default: the task's next one; characters A-Z a-z 0-9 . _ ~ % -, at most 256"),
  executor: name.nullish().describe('default: external'),
  leaseTtlMs,
  ...runSettingsRequest,
  criteria: declaredCriteria
    .nullish()
    .describe('what must hold in its task: declared before the world is made, as PUT /v1/specification does'),
})

export type CreateWorldRequest = z.output<typeof createWorldRequest>

const DEFAULT_EXECUTOR = 'external'

const ensureWorld = statement('worlds/ensure')
const readTaskCounts = nodeReader('Task', ['worldCount', 'restoring'])
const getWorldStatement = statement('worlds/get')
const setWorldStatement = statement('worlds/set')
const deleteWorldStatement = statement('worlds/delete')

export const worldColumns = z.object({
  slug: z.string(),
  project: z.string(),
  featureId: z.string(),
  taskId: z.string(),
  taskKey: z.string(),
  currentTurn: z.number(),
  executor: z.string(),
  leaseTtlMs: z.number(),
  ...runSettingsColumns,
  activeRunId: optionalText,
  activeAttemptId: optionalText,
  createdAt: instantRow,
  deletedAt: instantRow,
  requestId: optionalText,
})
const worldRow = z.object({ world: worldColumns })
const ensuredRow = worldRow.extend({ created: z.boolean() })

type StoredWorld = z.output<typeof worldColumns>

export const toWorld = (stored: StoredWorld): World => ({
  worldSlug: stored.slug,
  project: stored.project,
  featureId: stored.featureId,
  taskId: stored.taskId,
  currentTurn: stored.currentTurn,
  executor: stored.executor,
  leaseTtlMs: stored.leaseTtlMs,
  ...runSettingsFrom(stored),
  activeTurnRunId: stored.activeRunId,
  activeAttemptId: stored.activeAttemptId,
  createdAt: stored.createdAt ?? '',
  deletedAt: stored.deletedAt,
})

export type NewWorld = {
  executor?: string | null | undefined
  leaseTtlMs?: number | null | undefined
  runSettings?: RunSettingsRequest
  /** Idempotency key of the caller. A repeated call finds the world of the first call. */
  requestId?: string | null
  now: string
  /** Token by which a call recognizes the world that it created. */
  token?: string
}

/** Builds the step that creates a world, which is also the first step of a capture into a new world. */
export const ensureWorldStep = (scope: Scope, worldSlug: string, options: NewWorld): Step => ({
  statement: ensureWorld,
  params: {
    ...taskParams(scope),
    worldKey: worldKey(scope.project, worldSlug),
    worldSlug,
    settings: {
      executor: options.executor ?? DEFAULT_EXECUTOR,
      leaseTtlMs: options.leaseTtlMs ?? DEFAULT_LEASE_TTL_MS,
      createdAt: options.now,
      requestId: options.requestId ?? null,
      runs: runSettingsParams(options.runSettings ?? {}),
    },
    token: options.token ?? crypto.randomUUID(),
  },
})

/** @throws `world_conflict` if an existing world differs, `world_deleted` if it was deleted, `restore_unfinished` */
export async function createWorld(
  store: Graph,
  request: CreateWorldRequest & { project: string },
  options: { requestId?: string | null; now?: string } = {},
): Promise<{ world: World; created: boolean }> {
  const graph = withOneDeadline(store)
  const scope: Scope = request
  const settings: NewWorld = {
    executor: request.executor,
    leaseTtlMs: request.leaseTtlMs,
    runSettings: request,
    requestId: options.requestId ?? null,
    now: options.now ?? toInstant(new Date()),
  }
  const worldCount = await countWorldsOfWholeTask(graph, scope)
  if (request.worldSlug == null) return createNextWorld(graph, scope, settings, worldCount)
  if (!isNewWorldSlug(request.worldSlug)) await refuseOtherWorld(graph, request)
  const { stored, created } = await ensure(graph, scope, request.worldSlug, settings)
  if (!created) refuseOther(stored, request)
  return { world: toWorld(stored), created }
}

/** @throws `restore_unfinished` if a restore still has to write a part of the task */
export async function countWorldsOfWholeTask(graph: Graph, scope: Scope): Promise<number> {
  const [task] = await readTaskCounts(graph, [keyOfTask(scope)])
  if (task?.restoring === true) throw restoreUnfinished(scope)
  return task?.worldCount ?? 0
}

/** Checks an existing world, whose slug may have older characters. @throws `world_conflict`, `world_deleted`, `invalid_request` */
export async function refuseOtherWorld(
  graph: Graph,
  request: CreateWorldRequest & { project: string },
): Promise<void> {
  if (request.worldSlug == null) return
  const stored = await readStoredWorld(graph, request.project, request.worldSlug)
  if (stored === null) assertNewWorldSlug(request.worldSlug)
  else refuseOther(stored, request)
}

function refuseOther(stored: StoredWorld, request: CreateWorldRequest & { project: string }): void {
  refuseDeleted(stored)
  const differing = [
    stored.taskKey !== keyOfTask(request) && 'task_id',
    request.executor != null && stored.executor !== request.executor && 'executor',
    request.leaseTtlMs != null && stored.leaseTtlMs !== request.leaseTtlMs && 'lease_ttl_ms',
    ...differingRunSettings(request, toWorld(stored)).map(snakeCase),
  ].filter((field) => field !== false)
  if (differing.length > 0) throw worldConflict(stored, differing)
}

async function createNextWorld(
  graph: Graph,
  scope: Scope,
  settings: NewWorld,
  worldCount: number,
): Promise<{ world: World; created: boolean }> {
  // Starts from the first world, because an earlier try of the request may have created any of the task's worlds.
  const first = settings.requestId == null ? worldCount + 1 : 1
  for (let ordinal = first; ordinal < first + MAX_WORLDS; ordinal++) {
    for (const withFeature of [false, true]) {
      const { stored, created } = await ensure(
        graph,
        scope,
        defaultSlug(scope, ordinal, withFeature),
        settings,
      )
      if (created) return { world: toWorld(stored), created }
      if (stored.taskKey !== keyOfTask(scope)) continue // another task holds that slug
      if (settings.requestId != null && stored.requestId === settings.requestId) {
        refuseDeleted(stored)
        return { world: toWorld(stored), created }
      }
      break
    }
  }
  throw new TurngraphError('world_conflict', `Task ${scope.taskId} has no free default slug.`, {
    hint: 'Name the world with world_slug.',
  })
}

const MAX_WORLDS = 10_000

/** Creates the world. If another task has it, nothing is stored, neither the task nor its feature or project. */
async function ensure(
  graph: Graph,
  scope: Scope,
  worldSlug: string,
  settings: NewWorld,
): Promise<{ stored: StoredWorld; created: boolean }> {
  const step = ensureWorldStep(scope, worldSlug, settings)
  for (;;) {
    const ensured = await graph.transact(async (run) => {
      const [row = {}] = await run(step)
      const { world: stored, created } = decodeRow(ensureWorld, ensuredRow, row)
      return stored.taskKey === keyOfTask(scope) ? { stored, created } : null
    })
    if (ensured !== null) return ensured
    const stored = await readStoredWorld(graph, scope.project, worldSlug)
    if (stored !== null) return { stored, created: false } // otherwise the world was forgotten in the meantime
  }
}

async function readStoredWorld(
  graph: Graph,
  project: string,
  worldSlug: string,
): Promise<StoredWorld | null> {
  const [row] = await readRows(graph, getWorldStatement, { worldKey: worldKey(project, worldSlug) }, worldRow)
  return row?.world ?? null
}

/** @throws `unknown_world`, `world_deleted` */
export async function getWorld(graph: Graph, project: string, worldSlug: string): Promise<World> {
  const stored = await readStoredWorld(graph, project, worldSlug)
  if (stored === null) throw unknownWorld(project, worldSlug)
  refuseDeleted(stored)
  return toWorld(stored)
}

/** Changes the settings of runs. An active run uses them after its current attempt. @throws `unknown_world`, `world_deleted` */
export async function setWorld(
  store: Graph,
  project: string,
  worldSlug: string,
  settings: RunSettingsRequest,
): Promise<World> {
  const graph = withOneDeadline(store)
  const params = {
    worldKey: worldKey(project, worldSlug),
    settings: runSettingsParams(settings),
    token: crypto.randomUUID(),
  }
  const rows = await graph.write([{ statement: setWorldStatement, params }])
  const row = rows?.[0]?.[0]
  return row === undefined
    ? getWorld(graph, project, worldSlug)
    : toWorld(decodeRow(setWorldStatement, worldRow, row).world)
}

/** @throws `unknown_world`, `busy` while it has an active run or attempt, `world_deleted` with the world in its details */
export async function deleteWorld(store: Graph, project: string, worldSlug: string): Promise<World> {
  const graph = withOneDeadline(store)
  for (let tries = 1; ; tries++) {
    const token = crypto.randomUUID()
    const ofWorld = worldKey(project, worldSlug)
    const rows = await graph.write([
      {
        statement: deleteWorldStatement,
        params: { worldKey: ofWorld, deletedAt: toInstant(new Date()), token },
      },
    ])
    const row = rows?.[0]?.[0]
    if (row !== undefined) return toWorld(decodeRow(deleteWorldStatement, worldRow, row).world)
    const stored = await readStoredWorld(graph, project, worldSlug)
    if (stored === null) throw unknownWorld(project, worldSlug)
    const found = toWorld(stored)
    // A client whose first answer was lost takes its answer from the details.
    if (found.deletedAt !== null) throw worldDeleted(stored.slug, { world: toWire(world, found) })
    const { activeTurnRunId, activeAttemptId } = found
    // The run or attempt that blocked the deletion may have ended between the two reads.
    const isFree = activeTurnRunId === null && activeAttemptId === null
    if (!isFree || tries === MAX_TRIES) {
      throw worldAtWork(worldSlug, { activeRunId: activeTurnRunId, activeAttemptId })
    }
  }
}

const MAX_TRIES = 5

export const refuseDeleted = (stored: StoredWorld): void => {
  if (stored.deletedAt !== null) throw worldDeleted(stored.slug)
}

const worldConflict = (stored: StoredWorld, fields: string[]): TurngraphError =>
  new TurngraphError('world_conflict', `World ${stored.slug} exists and differs in ${fields.join(', ')}.`, {
    hint: 'Name another world_slug, or leave it out for the next one of the task.',
    details: {
      fields,
      world: { project: stored.project, feature_id: stored.featureId, task_id: stored.taskId },
    },
  })
