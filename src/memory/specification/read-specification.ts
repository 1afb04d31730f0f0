/** Reads what a task declares must hold, and what a world says of the files behind its proofs. */
import * as z from 'zod'
import { specificationKey } from '../../core/keys.ts'
import { readRows, readWholeRow, untilWhole } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import type { TouchedFiles } from '../../rules/stale.ts'
import { columns, optionalText, textList } from '../../rules/values.ts'
import type { Snapshot } from '../criteria/snapshot.ts'
import { type Specification, specificationRow } from './specification.ts'

const getVersion = statement('specifications/get')
const listedCriteria = statement('specifications/listed')
const taskCounts = statement('projects/task-counts')
const touchedFiles = statement('specifications/files')

const listedRow = z.object({
  criteriaCount: z.number(),
  listed: z.array(columns({ label: z.string(), criterionKey: z.string() })),
})

/** Which criteria a version lists, under which labels; nothing where the task declares nothing (version 0). */
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

const taskCountsRow = z.object({ versionCount: z.number() })

/** How many versions a task has declared; null where there is no such task. */
export async function readVersion(graph: Graph, taskKey: string): Promise<number | null> {
  const [row] = await readRows(graph, taskCounts, { taskKey }, taskCountsRow)
  return row?.versionCount ?? null
}

const isVersionWhole = ({ specification, listed }: z.output<typeof specificationRow>): boolean =>
  listed.length === specification.criteriaCount

/** One version as it is stored; null where the task has none of that number. */
export const readSpecificationRow = (graph: Graph, taskKey: string, version: number) =>
  readWholeRow(
    graph,
    getVersion,
    { keys: [specificationKey(taskKey, version)] },
    specificationRow,
    isVersionWhole,
  )

/** Versions of several tasks by their keys, in one statement. */
export async function readSpecifications(
  graph: Graph,
  keys: readonly string[],
): Promise<Map<string, Specification>> {
  if (keys.length === 0) return new Map()
  const rows = await untilWhole(
    () => readRows(graph, getVersion, { keys: [...keys] }, specificationRow),
    (found) => found.every(isVersionWhole),
  )
  return new Map(rows.map((row) => [row.specification.key, specificationFrom(row)]))
}

/** A version, in the order of its criteria; null where the task has none of that number. */
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
  retired,
}: z.output<typeof specificationRow>): Specification => ({
  version: specification.version,
  declaredAt: specification.declaredAt,
  declared: listed
    .toSorted((a, b) => a.position - b.position)
    .map(({ position, criterion, ...listing }) => ({ ...listing, key: criterion.key, criterion })),
  retiredIn: new Map(retired.map(({ criterion, version }) => [criterion.key, version])),
})

const filesRow = z.object({
  turn: z.number(),
  touched: textList,
  promised: z.array(
    columns({ position: z.number(), key: z.string(), testFile: optionalText, implementationFiles: textList }),
  ),
  verified: z.array(columns({ position: z.number(), key: z.string(), files: textList })),
})

const byPosition = (a: { position: number }, b: { position: number }) => a.position - b.position

/** What each turn of a world touched from a turn on, ascending, and on which files its proofs stand: of two of a turn the later one counts. */
export async function readTouchedFiles(
  graph: Graph,
  { worldKey, turn }: Snapshot,
  since: number,
): Promise<TouchedFiles[]> {
  const rows = await readRows(graph, touchedFiles, { worldKey, since, turn }, filesRow)
  return rows
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ promised, verified, ...row }) => ({
      ...row,
      verified: verified.sort(byPosition),
      promised: promised.sort(byPosition).map(({ key, testFile, implementationFiles }) => ({
        key,
        files: [...(testFile === null ? [] : [testFile]), ...implementationFiles],
      })),
    }))
}
