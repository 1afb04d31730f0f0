/**
 * Exports the transcripts of a project: sessions, then their turns with the calls, then how far each file was read, so
 * that a file counts as read only once its turns are there; then the desires. An import may run during the export. Then
 * the lines are complete only together with the filter of export-lines.ts, which knows all exported sessions.
 */
import * as z from 'zod'
import { inChunks } from '../../core/group-by.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { keepSessions } from './keep-sessions.ts'
import {
  importsBefore,
  keysInProject,
  readActive,
  readImportsBefore,
  readUnchanged,
  readUntil,
} from './list.ts'
import { compareKeys } from './order.ts'
import { readNodes, readRecords } from './read.ts'
import type { ExportRecord, RecordOf } from './records.ts'
import { findKey } from './stored-form.ts'

const turnsOfSessions = statement('export/turns-of-sessions')

/** Number of records that are read at once. The unfinished calls of a file may be long. */
const AT_ONCE = { transcript_session: 100, transcript_turn: 20, transcript_file: 20, desire: 100 } as const
type TranscriptKind = keyof typeof AT_ONCE
const KINDS = Object.keys(AT_ONCE) as TranscriptKind[]

/** Kind and key of the last record; for a turn also the session with which it was exported. */
export const transcriptPosition = z.strictObject({
  kind: z.enum(KINDS),
  key: z.string(),
  session: z.string().optional(),
  imports: importsBefore,
})
export type TranscriptPosition = z.output<typeof transcriptPosition>

type Entry = { record: ExportRecord; at: TranscriptPosition }
type Scope = { graph: Graph; project: string; since: string | null; imports: TranscriptPosition['imports'] }

export async function* exportTranscripts(
  graph: Graph,
  project: string,
  since: string | null,
  from: TranscriptPosition | undefined,
): AsyncGenerator<Entry> {
  const imports = from?.imports ?? (await readImportsBefore(graph, project))
  const scope = { graph, project, since, imports }
  for (const kind of KINDS.slice(KINDS.indexOf(from?.kind ?? 'transcript_session'))) {
    const at = from?.kind === kind ? from : null
    if (kind === 'transcript_turn') yield* exportTurns(scope, at)
    else {
      for await (const keys of keysInProject(graph, kind, scope, at?.key ?? '', AT_ONCE[kind])) {
        const found = kind === 'transcript_file' ? readFiles(scope, keys) : readRecords(graph, kind, keys)
        for (const record of await found) yield { record, at: { kind, key: findKey(record), imports } }
      }
    }
  }
}

/**
 * Reads files. A file that an import changed during the export may have a position behind the exported turns. It loses its
 * `rulesVersion`, so the next import reads the whole file again (transcripts/progress.ts). An earlier position would not be
 * enough: an import from there skips the calls that the graph has, and writes the open turn without them.
 */
async function readFiles(
  { graph, project, imports }: Scope,
  keys: readonly string[],
): Promise<RecordOf<'transcript_file'>[]> {
  const found = await readNodes(graph, 'transcript_file', keys)
  const until = await readUntil(graph, project, imports)
  return found.map(({ node, record }) => {
    if (Number(node.changedAt ?? 0) <= until) return record
    const { rulesVersion: _, ...file } = record.file
    return { ...record, file }
  })
}

const turnRow = z.object({
  session: z.string(),
  index: z.number(),
  turn: z.string(),
  length: z.number(),
  holders: z.array(z.string()),
})

/** Exports each turn with its first session by key. A session that changed during the export does not count as the first. */
async function* exportTurns(scope: Scope, from: TranscriptPosition | null): AsyncGenerator<Entry> {
  const { session: first } = from ?? {}
  if (first !== undefined) yield* readTurns(scope, [first], from)
  const atOnce = AT_ONCE.transcript_turn
  for await (const keys of keysInProject(scope.graph, 'transcript_session', scope, first ?? '', atOnce))
    yield* readTurns(scope, keys, null)
}

async function* readTurns(
  scope: Scope,
  sessions: readonly string[],
  from: TranscriptPosition | null,
): AsyncGenerator<Entry> {
  const { graph, project, since, imports } = scope
  const rows = await readRows(graph, turnsOfSessions, { keys: [...sessions] }, turnRow)
  const shared = [...new Set(rows.flatMap(({ holders }) => (holders.length > 1 ? holders : [])))]
  const active = since === null ? shared : await readActive(graph, shared, since)
  const until = active.length === 0 ? 0 : await readUntil(graph, project, imports)
  const unchanged = new Set(await readUnchanged(graph, active, until))
  for (const session of sessions) {
    const own = rows
      .filter((row) => row.session === session)
      .filter(({ holders }) => holders.every((key) => !unchanged.has(key) || compareKeys(session, key) <= 0))
      .sort((a, b) => a.index - b.index || compareKeys(a.turn, b.turn))
    const left = own.slice(own.findIndex(({ turn }) => turn === from?.key) + 1)
    for (const some of inChunks(left, STEPS_AT_ONCE, countSteps)) {
      const keys = some.map(({ turn }) => turn)
      const records = await readRecords(scope.graph, 'transcript_turn', keys)
      for (const record of await withoutHidden(scope, records))
        yield { record, at: { kind: 'transcript_turn', key: record.turn.key, session, imports } }
    }
  }
}

/** Maximum number of calls that are read at once. A turn counts as at least 20 calls. */
const STEPS_AT_ONCE = 2_000
const countSteps = ({ length }: { length: number }): number => Math.max(20, length)

/** Removes references to sessions that an export since an instant leaves out. */
async function withoutHidden(
  { graph, since }: Scope,
  turns: RecordOf<'transcript_turn'>[],
): Promise<RecordOf<'transcript_turn'>[]> {
  if (since === null) return turns
  const named = turns.flatMap(({ heldBy, steps }) => [
    ...heldBy.map(({ session }) => session),
    ...steps.flatMap(({ started = [] }) => started),
  ])
  const active = new Set(await readActive(graph, [...new Set(named)], since))
  return turns.map((turn) => keepSessions(turn, active))
}
