/** Reads the session from the first record of a Codex rollout. */
import { asText } from '../content.ts'
import { asObject, parseObject, type TranscriptRecord, topLevelType } from '../line-records.ts'

export type CodexSession = {
  id: string
  /** The session that started this one, if it is the thread of a subagent. */
  parentId: string | null
  isSubagent: boolean
  cwd: string | null
  version: string | null
  startedAt: string | null
}

const LINE_TYPES: ReadonlySet<unknown> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
])

/** Checks for a record of a rollout. The first line of versions before 0.32 has no type. */
export const isCodexRecord = (record: TranscriptRecord): boolean =>
  (LINE_TYPES.has(record.type) && asObject(record.payload) !== null) || isOldHeader(record)

/** Checks the start of a file. The first line may be longer than the start. */
export const isRollout = (start: string): boolean =>
  start
    .split('\n', MAX_LOOKED_AT)
    .some(
      (line) => NAMES_FIELD.test(line) && (isCodexRecord(parseObject(line) ?? {}) || isLongCodexRecord(line)),
    )

/** Matches a field that every record of a rollout has, so that lines of other formats are not parsed. */
const NAMES_FIELD = /"(?:payload|instructions)"/

const MAX_LOOKED_AT = 20

function isLongCodexRecord(line: string): boolean {
  if (!line.includes('"payload"')) return false
  const bytes = Buffer.from(line)
  return LINE_TYPES.has(topLevelType(bytes, 0, bytes.length))
}

const isOldHeader = ({ type, id, timestamp, ...rest }: TranscriptRecord): boolean =>
  type === undefined &&
  typeof id === 'string' &&
  typeof timestamp === 'string' &&
  'instructions' in rest &&
  rest.message === undefined

export function readCodexSession(record: TranscriptRecord): CodexSession | null {
  const meta = record.type === 'session_meta' ? asObject(record.payload) : isOldHeader(record) ? record : null
  const root = asText(meta?.session_id)
  const id = asText(meta?.id) ?? root
  if (meta === null || id === null) return null
  const subagent = asObject(meta.source)?.subagent
  const spawned = asText(asObject(asObject(subagent)?.thread_spawn)?.parent_thread_id)
  const isSubagent = subagent !== undefined || meta.thread_source === 'subagent'
  const parentId = spawned ?? (isSubagent ? asText(meta.parent_thread_id) : null)
  return {
    id,
    // A subagent of a subagent belongs to the session of both, if the file names it.
    parentId: parentId === null || parentId === id ? null : root !== null && root !== id ? root : parentId,
    isSubagent,
    cwd: asText(meta.cwd),
    version: asText(meta.cli_version),
    startedAt: asText(meta.timestamp) ?? asText(record.timestamp),
  }
}
