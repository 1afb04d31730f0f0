import * as z from 'zod'
import { worldKey } from '../../core/keys.ts'
import { readRows, readWholeRow } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import type { Criterion, Resolution } from '../criteria/identity.ts'
import { criterionRow, progressIsWhole, progressRow } from '../criteria/rows.ts'
import { namesCriteria, needsEarlier, type TurnParts } from '../record/normalize.ts'
import type { CaptureRequest } from '../record/record.ts'
import { keyOfTask } from '../worlds/scope.ts'

/** What a capture must know of its world and task to resolve the criteria that its turn names. */

const resolveInWorld = statement('turns/resolve', 'named-world')
const resolveInTask = statement('turns/resolve', 'newest-world')
const earlierPromises = statement('turns/earlier-promises')

const earlierColumns = {
  /** In the order of their list: of two under one label the last one counts. */
  earlierPromises: z
    .array(z.tuple([z.number(), z.string(), z.string()]))
    .transform((rows) =>
      rows.sort(([a], [b]) => a - b).map(([, label, criterionKey]) => ({ label, criterionKey })),
    ),
  earlierVerifications: z.array(z.string()),
}

const earlierRow = z.object(earlierColumns)

const knownRow = z.object({
  worldSlug: z.string().nullable(),
  /** What a world knew goes piece by piece once it is forgotten: the write says that it is deleted. */
  deleted: z.boolean(),
  currentTurn: z.number().nullable(),
  ledgerRev: z.number().nullable(),
  progressSum: z.number().nullable(),
  criteriaRev: z.number().nullable(),
  worldCount: z.number().nullable(),
  criteria: z.array(criterionRow),
  progress: z.array(z.tuple([z.string(), progressRow])),
  labels: z.array(
    z
      .tuple([z.string(), z.string(), z.number(), z.string()])
      .transform(([source, label, turn, criterionKey]) => ({ source, label, turn, criterionKey })),
  ),
  ...earlierColumns,
})

type KnownRow = z.output<typeof knownRow>
type Counter = 'currentTurn' | 'ledgerRev' | 'progressSum' | 'criteriaRev' | 'worldCount'

export type Known = Omit<KnownRow, Counter> &
  Record<Counter, number> & {
    /** False where nothing had to be known, and nothing was asked. */
    isRead: boolean
  }

const NOTHING_KNOWN: Known = {
  isRead: false,
  worldSlug: null,
  deleted: false,
  currentTurn: 0,
  ledgerRev: 0,
  progressSum: 0,
  criteriaRev: 0,
  worldCount: 0,
  criteria: [],
  progress: [],
  labels: [],
  earlierPromises: [],
  earlierVerifications: [],
}

/** One read: none where the turn names its world and no criterion; a second one for a turn that came late. */
export async function readKnown(
  graph: Graph,
  request: CaptureRequest & { project: string },
  { parts, digest }: { parts: TurnParts; digest: string },
): Promise<Known> {
  const { worldSlug, turnNumber } = request
  if (worldSlug != null && !namesCriteria(parts)) return NOTHING_KNOWN
  const withEarlier = needsEarlier(parts)
  const params = { taskKey: keyOfTask(request), turnNumber, withEarlier }
  const isWhole = (row: KnownRow) =>
    row.deleted ||
    progressIsWhole(
      row.progressSum ?? 0,
      row.progress.map(([, progress]) => progress),
    )
  const row = await (worldSlug == null
    ? readWholeRow(graph, resolveInTask, { ...params, digest }, knownRow, isWhole)
    : readWholeRow(
        graph,
        resolveInWorld,
        { ...params, worldKey: worldKey(request.project, worldSlug) },
        knownRow,
        isWhole,
      ))
  if (row === null) return { ...NOTHING_KNOWN, isRead: true }
  const isLate = withEarlier && row.worldSlug !== null && (row.currentTurn ?? 0) >= turnNumber
  return {
    ...row,
    ...(isLate && (await readEarlier(graph, worldKey(request.project, row.worldSlug ?? ''), turnNumber))),
    isRead: true,
    currentTurn: row.currentTurn ?? 0,
    ledgerRev: row.ledgerRev ?? 0,
    progressSum: row.progressSum ?? 0,
    criteriaRev: row.criteriaRev ?? 0,
    worldCount: row.worldCount ?? 0,
  }
}

async function readEarlier(graph: Graph, keyOfWorld: string, turnNumber: number) {
  const [row] = await readRows(graph, earlierPromises, { worldKey: keyOfWorld, turnNumber }, earlierRow)
  return row
}

/** The criteria of a task, with those that a turn adds or changes. */
export const criteriaAfter = (
  criteria: readonly Criterion[],
  { changed }: Pick<Resolution, 'changed'>,
): Criterion[] => [
  ...criteria.filter(({ key }) => !changed.some((criterion) => criterion.key === key)),
  ...changed,
]
