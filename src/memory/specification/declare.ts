/** Stores the specification of a task as a new version, and reads any version. */
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { canonicalInstant, toInstant } from '../../core/instants.ts'
import { sha256, specificationKey } from '../../core/keys.ts'
import { scrub } from '../../core/scrub/scrub.ts'
import { serializeRetries, withOneDeadline } from '../../graph/deadline.ts'
import { readRows } from '../../graph/decode.ts'
import { markerOfProject } from '../../graph/mask-key.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { applyVersion } from '../../rules/apply-turn.ts'
import { shownText } from '../../rules/criterion-states.ts'
import type { Criterion } from '../../rules/identity.ts'
import { criterionRow, storedCriterion } from '../record/criterion-rows.ts'
import { keyOfTask, type Scope, taskParams } from '../scope/scope.ts'
import { restoreUnfinished } from '../scope/world-errors.ts'
import { readSpecificationRow, readVersion, specificationFrom } from './read-specification.ts'
import {
  type DeclaredInput,
  type Listing,
  type Specification,
  type SpecificationView,
  toListings,
} from './specification.ts'

const criteriaOfTask = statement('specifications/known')
const lockWorlds = statement('specifications/lock-worlds')
const declare = statement('specifications/declare')

const knownRow = z.object({
  isRestoring: z.boolean(),
  criteriaRev: z.number(),
  version: z.number(),
  criteria: z.array(criterionRow),
})

export type Declaration = Scope & {
  criteria: DeclaredInput
  source?: { path?: string | null | undefined; commit?: string | null | undefined } | null | undefined
  /** Name of the token of the caller. */
  recordedBy?: string | null | undefined
}

/**
 * Declares the specification of a task. The same list is the same version; another list is the next version, and earlier ones stay.
 *
 * @throws `restore_unfinished`, `store_unavailable`, `timeout`
 * @example
 * await declareCriteria(graph, { project: 'p', featureId: 'FEAT-1', taskId: 'TASK-1', criteria: [{ text: 'An unknown host is retried' }] })
 */
export async function declareCriteria(
  store: Graph,
  declaration: Declaration,
  now: () => Date = () => new Date(),
): Promise<SpecificationView & { created: boolean }> {
  const graph = withOneDeadline(store)
  const { scrubbed } = await scrub(declaration, () => markerOfProject(graph, declaration.project))
  // Runs after other writes of this process to the task, because captures also add criteria.
  return serializeRetries(store, keyOfTask(scrubbed), () => tryDeclare(graph, scrubbed, toInstant(now())))
}

/** Declares a version; null if the task changed since it was read. */
async function tryDeclare(
  graph: Graph,
  declaration: Declaration,
  now: string,
): Promise<(SpecificationView & { created: boolean }) | null> {
  const taskKey = keyOfTask(declaration)
  const [task = { isRestoring: false, criteriaRev: 0, version: 0, criteria: [] }] = await readRows(
    graph,
    criteriaOfTask,
    { taskKey },
    knownRow,
  )
  if (task.isRestoring) throw restoreUnfinished(declaration)
  const row = task.version === 0 ? null : await readSpecificationRow(graph, taskKey, task.version)
  if (task.version > 0 && row === null) return null
  const listings = toListings(declaration.criteria)
  const digest = sha256(JSON.stringify(listings))
  if (row !== null && row.specification.digest === digest) {
    return { ...toView(declaration, row), created: false }
  }
  const steps = planDeclaration(
    declaration,
    listings,
    digest,
    task,
    row === null ? null : specificationFrom(row),
    now,
  )
  const written = await graph.write(steps)
  if (written === null || written.at(-1)?.length === 0) return null
  const view = await getSpecification(graph, declaration, task.version + 1)
  return { ...view, created: true }
}

function planDeclaration(
  { source, recordedBy, ...scope }: Declaration,
  listings: readonly Listing[],
  digest: string,
  task: z.output<typeof knownRow>,
  before: Specification | null,
  now: string,
): [Step, ...Step[]] {
  const taskKey = keyOfTask(scope)
  const { registry, changed } = applyVersion(
    { taskKey, criteria: task.criteria, specification: before },
    { declaredAt: now, listings },
  )
  const { version, declared, retiredIn } = registry.specification
  const changedByKey = new Map(changed.map((criterion) => [criterion.key, storedCriterion(criterion)]))
  const listed = declared.map(({ key, rewordedIn, rewordedAt: _, command, tests, ...listing }, position) => {
    const properties = changedByKey.get(key)
    return {
      key,
      changed: properties === undefined ? [] : [properties],
      listing: {
        position,
        ...listing,
        ...(command != null && { command: [...command] }),
        ...(rewordedIn !== null && { rewordedIn }),
        ...(tests != null && { tests: [...tests] }),
      },
    }
  })
  const retired = [...retiredIn].map(([key, version]) => ({ key, version }))
  const token = crypto.randomUUID()
  return [
    { statement: lockWorlds, params: { taskKey, token } },
    {
      statement: declare,
      params: {
        ...taskParams(scope),
        version,
        criteriaRev: task.criteriaRev,
        extends: changed.length > 0,
        token,
        specification: {
          key: specificationKey(taskKey, version),
          version,
          digest,
          criteriaCount: listings.length,
          ...(source?.path != null && { path: source.path }),
          ...(source?.commit != null && { commit: source.commit }),
          ...(recordedBy != null && { recordedBy }),
        },
        declaredAt: now,
        listed,
        retired,
      },
    },
  ]
}

/** @throws `not_found` if the task has no specification or no such version */
export async function getSpecification(
  store: Graph,
  scope: Scope,
  version: number | null = null,
): Promise<SpecificationView> {
  const graph = withOneDeadline(store)
  const taskKey = keyOfTask(scope)
  const newest = version ?? (await readVersion(graph, taskKey)) ?? 0
  const row = newest === 0 ? null : await readSpecificationRow(graph, taskKey, newest)
  if (row === null) throw noSpecification(scope, version)
  return toView(scope, row)
}

const noSpecification = ({ taskId }: Scope, version: number | null): TurngraphError =>
  new TurngraphError(
    'not_found',
    version === null
      ? `Task ${taskId} declares no criteria.`
      : `Task ${taskId} has no version ${version} of its criteria.`,
    { hint: 'Declare what must hold with PUT /v1/specification, or `turngraph specify FILE`.' },
  )

type Row = NonNullable<Awaited<ReturnType<typeof readSpecificationRow>>>

function toView({ project, featureId, taskId }: Scope, row: Row): SpecificationView {
  const { version, declaredAt, path, commit, recordedBy = null } = row.specification
  const { declared } = specificationFrom(row)
  return {
    project,
    featureId,
    taskId,
    version,
    total: declared.length,
    declaredAt: canonicalInstant(declaredAt) ?? declaredAt,
    source: { path: path ?? null, commit: commit ?? null },
    recordedBy,
    criteria: declared.map(({ label, text, kind, command, key, rewordedIn, tests }) => ({
      criterionId: label,
      text,
      kind,
      ...(command != null && { command: [...command] }),
      key,
      ...(rewordedIn !== null && { rewordedInVersion: rewordedIn }),
      ...(tests != null && { tests: [...tests] }),
    })),
    retired: row.retired
      .toSorted((a, b) => a.version - b.version || (a.criterion.key < b.criterion.key ? -1 : 1))
      .map(({ version: retiredInVersion, criterion }: { version: number; criterion: Criterion }) => ({
        key: criterion.key,
        text: shownText(criterion),
        retiredInVersion,
      })),
  }
}
