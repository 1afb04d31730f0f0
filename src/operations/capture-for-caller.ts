// Captures a turn with the rights of a caller.
import { TurngraphError } from '../core/errors.ts'
import type { Graph } from '../graph/port.ts'
import { type Captured, captureTurnState } from '../memory/capture/capture.ts'
import type { CaptureRequest } from '../memory/record/record.ts'
import { CAPTURE_FIELDS, isOnlyPlayer, refuseFields } from './field-rules.ts'
import type { Call, Scope } from './operation.ts'

/**
 * Captures a turn for a caller. Checks its fields, because a report may set fields of a turn that another scope decides. A
 * conflict does not show the stored record to a Player, because it may hold a verdict.
 *
 * @throws `forbidden`, and the errors of a capture
 */
export async function captureFor(
  caller: Call['caller'],
  graph: Graph,
  request: CaptureRequest & { project: string },
): Promise<Captured> {
  const scopes = caller === undefined ? null : new Set(caller.scopes)
  if (scopes !== null) refuseFields(CAPTURE_FIELDS, request, scopes)
  try {
    return await captureTurnState(graph, request, { recordedBy: caller?.tokenName })
  } catch (error) {
    throw scopes === null ? error : hideVerdict(error, scopes)
  }
}

export const hideVerdict = (error: unknown, scopes: ReadonlySet<Scope>): unknown =>
  isOnlyPlayer(scopes) && error instanceof TurngraphError && error.code === 'turn_conflict'
    ? hideStoredRecord(error)
    : error

function hideStoredRecord(conflict: TurngraphError): TurngraphError {
  const { stored: _, ...details } = conflict.details as Record<string, unknown>
  return new TurngraphError('turn_conflict', conflict.message, {
    hint: 'A token with the scope "judge" may replace the record, or a new session may be created for this turn.',
    details,
  })
}
