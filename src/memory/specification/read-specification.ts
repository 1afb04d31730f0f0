/** Reads the specification of a task. */
import * as z from 'zod'
import { canonicalInstant } from '../../core/instants.ts'
import { specificationKey } from '../../core/keys.ts'
import { readRows, readWholeRow, retryTornRead } from '../../graph/decode.ts'
import { nodeReader } from '../../graph/node-reader.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { columns } from '../../rules/values.ts'
import { type Specification, specificationRow } from './specification.ts'

const getVersion = statement('specifications/get')
const listedCriteria = statement('specifications/listed')
const readVersions = nodeReader('Task', ['specificationVersion'])

const listedRow = z.object({
  criteriaCount: z.number(),
  listed: z.array(columns({ label: z.string(), criterionKey: z.string() })),
})

/** Reads the criteria of a version with their labels; empty if the task has no specification (version 0). */
export async function readDeclared(
  graph: Graph,
  taskKey: string,
  version: number,
): Promise<z.output<typeof listedRow>['listed']> {
  if (version === 0) return []
  const params = { key: specificationKey(taskKey, version) }
  const row = await readWholeRow(
    graph,
    listedCriteria,
    params,
    listedRow,
    ({ listed, criteriaCount }) => listed.length === criteriaCount,
  )
  return row?.listed ?? []
}

/** Reads the number of declared versions of a task; null if the task does not exist. */
export async function readVersion(graph: Graph, taskKey: string): Promise<number | null> {
  const [task] = await readVersions(graph, [taskKey])
  return task === undefined ? null : (task.specificationVersion ?? 0)
}

const isVersionWhole = ({ specification, listed }: z.output<typeof specificationRow>): boolean =>
  listed.length === specification.criteriaCount

export const readSpecificationRow = (graph: Graph, taskKey: string, version: number) =>
  readWholeRow(
    graph,
    getVersion,
    { keys: [specificationKey(taskKey, version)] },
    specificationRow,
    isVersionWhole,
  )

/** Reads versions of several tasks by their keys in one statement. */
export async function readSpecifications(
  graph: Graph,
  keys: readonly string[],
): Promise<Map<string, Specification>> {
  if (keys.length === 0) return new Map()
  const rows = await retryTornRead(
    () => readRows(graph, getVersion, { keys: [...keys] }, specificationRow),
    (found) => found.every(isVersionWhole),
  )
  return new Map(rows.map((row) => [row.specification.key, specificationFrom(row)]))
}

/** Reads a version with its criteria in order; null if it does not exist. */
export async function readSpecification(
  graph: Graph,
  taskKey: string,
  version: number,
): Promise<Specification | null> {
  const row = version === 0 ? null : await readSpecificationRow(graph, taskKey, version)
  return row === null ? null : specificationFrom(row)
}

export const specificationFrom = ({
  specification,
  listed,
  versions,
  retired,
}: z.output<typeof specificationRow>): Specification => {
  const declaredAt = new Map(
    [...versions, specification].map((each) => [each.version, canonicalInstant(each.declaredAt)]),
  )
  return {
    version: specification.version,
    declaredAt: specification.declaredAt,
    declared: listed
      .toSorted((a, b) => a.position - b.position)
      .map(({ position, criterion, ...listing }) => ({
        ...listing,
        key: criterion.key,
        rewordedAt: declaredAt.get(listing.rewordedIn ?? 0) ?? null,
        criterion,
      })),
    retiredIn: new Map(retired.map(({ criterion, version }) => [criterion.key, version])),
  }
}
