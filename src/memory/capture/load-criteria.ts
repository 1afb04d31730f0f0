/** Reads the data of the world and the task with which a capture resolves the criteria of its turn. */
import * as z from 'zod'
import { worldKey } from '../../core/keys.ts'
import { readRows, retryTornRead } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { type NamingRecord, namesCriteria, needsEarlier } from '../../rules/turn-entries.ts'
import { columns, optionalNumber, optionalText } from '../../rules/values.ts'
import { readTarget, statementOfTarget } from '../criteria/snapshot.ts'
import { criterionRow, progressIsWhole, progressRow } from '../record/criterion-rows.ts'
import type { CaptureRequest } from '../record/record.ts'
import { keyOfTask } from '../scope/scope.ts'
import { readDeclared } from '../specification/read-specification.ts'

const resolve = statementOfTarget('turns/resolve')
const earlierPromises = statement('turns/earlier-promises')

const earlierColumns = {
  /** Promises in the order of their list. The last one with a label counts. */
  earlierPromises: z
    .array(columns({ position: z.number(), label: z.string(), criterionKey: z.string() }))
    .default([])
    .transform((rows) =>
      rows
        .sort((a, b) => a.position - b.position)
        .map(({ label, criterionKey }) => ({ label, criterionKey })),
    ),
}

const earlierRow = z.object(earlierColumns)

/** Counter that is 0 if the property does not exist yet. */
export const counter = optionalNumber.transform((value) => value ?? 0)

const knownRow = z.object({
  worldSlug: optionalText,
  /** True if the world is being forgotten, which deletes its data piece by piece. The write then rejects the capture. */
  deleted: z.boolean().default(false),
  currentTurn: counter,
  ledgerRev: counter,
  progressSum: counter,
  criteriaRev: counter,
  worldCount: counter,
  specificationVersion: counter,
  criteria: z.array(criterionRow).default([]),
  progress: z.array(columns({ key: z.string(), stored: progressRow })).default([]),
  labels: z
    .array(columns({ source: z.string(), label: z.string(), turn: z.number(), criterionKey: z.string() }))
    .default([]),
  ...earlierColumns,
})

type KnownRow = z.output<typeof knownRow>

/**
 * Data of the world and the task that a capture needs. Not a `Snapshot` (`criteria/snapshot.ts`), which answers reads. If `isRead`
 * is false, the capture needed no data, and all fields have their defaults.
 */
export type WorldSnapshot = KnownRow & {
  isRead: boolean
  declared: readonly { label: string; criterionKey: string }[]
}

const NOTHING_KNOWN: WorldSnapshot = { ...knownRow.parse({}), isRead: false, declared: [] }

/**
 * Reads the data for a capture in one statement; in none if the turn names its world and no criterion. A late turn and a
 * specification each need another statement.
 */
export async function loadWorldSnapshot(
  graph: Graph,
  {
    request,
    record,
    digest,
  }: {
    request: Pick<CaptureRequest, 'featureId' | 'taskId' | 'worldSlug' | 'turnNumber'> & { project: string }
    record: NamingRecord
    digest: string
  },
): Promise<WorldSnapshot> {
  const { worldSlug, turnNumber } = request
  if (worldSlug != null && !namesCriteria(record)) return NOTHING_KNOWN
  const withEarlier = needsEarlier(record)
  const isWhole = (row: KnownRow) =>
    row.deleted ||
    progressIsWhole(
      row.progressSum,
      row.progress.map(({ stored }) => stored),
    )
  const params = { turnNumber, withEarlier, ...(worldSlug == null && { digest }) }
  const read = async (): Promise<WorldSnapshot | null> => {
    const row = await readTarget(graph, resolve, request, params, knownRow, isWhole)
    if (row === null) return { ...NOTHING_KNOWN, isRead: true }
    const declared = await readDeclared(graph, keyOfTask(request), row.specificationVersion)
    // The read saw half of a declaration: the version without all of its criteria.
    const keys = new Set(row.criteria.map(({ key }) => key))
    const isTorn = declared.some(({ criterionKey }) => !keys.has(criterionKey))
    return isTorn ? null : { ...row, declared, isRead: true }
  }
  const row = await retryTornRead(read, (found): found is WorldSnapshot => found !== null)
  if (!withEarlier || row.worldSlug === null || row.currentTurn < turnNumber) return row
  const late = { worldKey: worldKey(request.project, row.worldSlug), turnNumber }
  return { ...row, earlierPromises: await readEarlierPromises(graph, late) }
}

/** Reads the promises of the newest turn with promises below a turn. */
export async function readEarlierPromises(
  graph: Graph,
  below: { worldKey: string; turnNumber: number },
): Promise<WorldSnapshot['earlierPromises']> {
  const [earlier] = await readRows(graph, earlierPromises, below, earlierRow)
  return earlier?.earlierPromises ?? []
}
