/** Reads what a capture must know of its world and task to resolve the criteria that its turn names. */
import * as z from 'zod'
import { worldKey } from '../../core/keys.ts'
import { readRows, untilWhole } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { namesCriteria, needsEarlier } from '../../rules/turn-entries.ts'
import { columns, optionalNumber, optionalText } from '../../rules/values.ts'
import { criterionRow, progressIsWhole, progressRow } from '../criteria/rows.ts'
import { readTarget, statementOfTarget } from '../criteria/snapshot.ts'
import type { CaptureRequest, TurnRecord } from '../record/record.ts'
import { readDeclared } from '../specification/read-specification.ts'
import { keyOfTask } from '../worlds/scope.ts'

const resolve = statementOfTarget('turns/resolve')
const earlierPromises = statement('turns/earlier-promises')

const earlierColumns = {
  /** In the order of their list: of two under one label the last one counts. */
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

/** 0 before what is counted is there. */
export const counter = optionalNumber.transform((value) => value ?? 0)

const knownRow = z.object({
  worldSlug: optionalText,
  /** What a world knew goes piece by piece once it is forgotten: the write says that it is deleted. */
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

/** `isRead`: false where nothing had to be known, and nothing was asked. */
export type Known = KnownRow & {
  isRead: boolean
  declared: readonly { label: string; criterionKey: string }[]
}

const NOTHING_KNOWN: Known = { ...knownRow.parse({}), isRead: false, declared: [] }

/**
 * One read: none where the turn names its world and no criterion; a second one for a turn that came late, and one for what a
 * task declares.
 */
export async function readKnown(
  graph: Graph,
  {
    request,
    record,
    digest,
  }: { request: CaptureRequest & { project: string }; record: TurnRecord; digest: string },
): Promise<Known> {
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
  const read = async (): Promise<Known | null> => {
    const row = await readTarget(graph, resolve, request, params, knownRow, isWhole)
    if (row === null) return { ...NOTHING_KNOWN, isRead: true }
    const declared = await readDeclared(graph, keyOfTask(request), row.specificationVersion)
    // Half of a declaration was seen: the version without all of its criteria.
    const keys = new Set(row.criteria.map(({ key }) => key))
    const isTorn = declared.some(({ criterionKey }) => !keys.has(criterionKey))
    return isTorn ? null : { ...row, declared, isRead: true }
  }
  const row = await untilWhole(read, (found): found is Known => found !== null)
  if (!withEarlier || row.worldSlug === null || row.currentTurn < turnNumber) return row
  const late = { worldKey: worldKey(request.project, row.worldSlug), turnNumber }
  const [earlier] = await readRows(graph, earlierPromises, late, earlierRow)
  return { ...row, ...earlier }
}
