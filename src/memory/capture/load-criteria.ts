/** Reads the data of the world and the task with which a capture resolves the criteria of its turn. */
import * as z from 'zod'
import { retryTornRead } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { optionalNumber, optionalText } from '../../rules/values.ts'
import { decodeState, NO_TURNS, type StoredState, stateColumn } from '../../rules/world-state.ts'
import { isStateWhole, readTarget, statementOfTarget } from '../criteria/snapshot.ts'
import { criterionRow } from '../record/criterion-rows.ts'
import type { CaptureRequest } from '../record/record.ts'
import { keyOfTask } from '../scope/scope.ts'
import { readDeclared } from '../specification/read-specification.ts'

const resolve = statementOfTarget('turns/resolve')

/** Counter that is 0 if the property does not exist yet. */
export const counter = optionalNumber.transform((value) => value ?? 0)

const knownRow = z.object({
  worldSlug: optionalText,
  /** Task of the world; not that of the request if the request names a world of another task. The write then rejects it. */
  taskKey: optionalText,
  /** True if the world is being forgotten, which deletes its data piece by piece. The write then rejects the capture. */
  deleted: z.boolean().default(false),
  currentTurn: counter,
  turnCount: counter,
  ledgerRev: counter,
  criteriaRev: counter,
  worldCount: counter,
  specificationVersion: counter,
  criteria: z.array(criterionRow).default([]),
  state: stateColumn,
})

/** Data of the world and the task that a capture needs. Not a `Snapshot` (`criteria/snapshot.ts`), which answers reads. */
export type WorldSnapshot = Omit<z.output<typeof knownRow>, 'state'> & {
  state: StoredState
  /** The state as it is stored. The write checks that it has not changed. */
  stateText: string | null
  declared: readonly { label: string; criterionKey: string }[]
}

const NOTHING_KNOWN: WorldSnapshot = { ...knownRow.parse({}), state: NO_TURNS, stateText: null, declared: [] }

/** Reads the data for a capture in one statement. A specification needs another one. */
export function loadWorldSnapshot(
  graph: Graph,
  {
    request,
    digest,
  }: {
    request: Pick<CaptureRequest, 'featureId' | 'taskId' | 'worldSlug' | 'turnNumber'> & { project: string }
    digest: string
  },
): Promise<WorldSnapshot> {
  const params = request.worldSlug == null ? { turnNumber: request.turnNumber, digest } : {}
  const taskKey = keyOfTask(request)
  const read = async (): Promise<WorldSnapshot | null> => {
    const row = await readTarget(graph, resolve, request, params, knownRow, () => true)
    if (row === null) return NOTHING_KNOWN
    const { state: stateText } = row
    if (row.deleted || (row.taskKey ?? taskKey) !== taskKey)
      return { ...row, state: NO_TURNS, stateText, declared: [] }
    const state = decodeState(taskKey, stateText)
    const declared = await readDeclared(graph, taskKey, row.specificationVersion)
    const keys = new Set(row.criteria.map(({ key }) => key))
    // Otherwise the read saw half of a capture, or of a declaration.
    const isWhole =
      isStateWhole({
        world: { ...row, slug: row.worldSlug ?? '', state },
        namedCriteria: row.criteria,
      }) && declared.every(({ criterionKey }) => keys.has(criterionKey))
    return isWhole ? { ...row, state, stateText, declared } : null
  }
  return retryTornRead(read, (found): found is WorldSnapshot => found !== null)
}
