/**
 * Exports the transcripts of a project: sessions, then their turns with the calls, then how far each file was read, so
 * that a file counts as read only once its turns are there; then the desires.
 */
import * as z from 'zod'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { keysInProject, readActive } from './list.ts'
import { compareKeys } from './order.ts'
import { readRecords } from './read.ts'
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
})
export type TranscriptPosition = z.output<typeof transcriptPosition>

type Entry = { record: ExportRecord; at: TranscriptPosition }
type Scope = { graph: Graph; project: string; since: string | null }

export async function* exportTranscripts(
  graph: Graph,
  project: string,
  since: string | null,
  from: TranscriptPosition | undefined,
): AsyncGenerator<Entry> {
  const scope = { graph, project, since }
  for (const kind of KINDS.slice(KINDS.indexOf(from?.kind ?? 'transcript_session'))) {
    const at = from?.kind === kind ? from : null
    if (kind === 'transcript_turn') yield* exportTurns(scope, at)
    else {
      for await (const keys of keysInProject(graph, kind, scope, at?.key ?? '', AT_ONCE[kind])) {
        for (const record of await readRecords(graph, kind, keys))
          yield { record, at: { kind, key: findKey(record) } }
      }
    }
  }
}

const turnRow = z.object({
  session: z.string(),
  index: z.number(),
  turn: z.string(),
  length: z.number(),
  holders: z.array(z.string()),
})
type TurnToExport = z.output<typeof turnRow>

/** Exports each turn once. A turn of several sessions (a fork) is exported with the first of them by key. */
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
  const rows = await readRows(scope.graph, turnsOfSessions, { keys: [...sessions] }, turnRow)
  const isExported = await exportedAmong(
    scope,
    rows.flatMap(({ holders }) => (holders.length > 1 ? holders : [])),
  )
  for (const session of sessions) {
    const own = rows
      .filter((row) => row.session === session)
      .filter(({ holders }) => holders.filter(isExported).every((key) => compareKeys(session, key) <= 0))
      .sort((a, b) => a.index - b.index || compareKeys(a.turn, b.turn))
    const left = own.slice(own.findIndex(({ turn }) => turn === from?.key) + 1)
    for (const keys of inChunks(left)) {
      const records = await readRecords(scope.graph, 'transcript_turn', keys)
      for (const record of await withoutHidden(scope, records))
        yield { record, at: { kind: 'transcript_turn', key: record.turn.key, session } }
    }
  }
}

/** Maximum number of turns, and of calls, that are read at once. */
const TURNS_AT_ONCE = 100
const STEPS_AT_ONCE = 2_000

function* inChunks(turns: readonly TurnToExport[]): Generator<string[]> {
  let chunk: string[] = []
  let steps = 0
  for (const { turn, length } of turns) {
    if (chunk.length > 0 && (steps + length > STEPS_AT_ONCE || chunk.length === TURNS_AT_ONCE)) {
      yield chunk
      chunk = []
      steps = 0
    }
    chunk.push(turn)
    steps += length
  }
  if (chunk.length > 0) yield chunk
}

/** Returns a test for exported sessions: with `since` an export leaves out some sessions. */
async function exportedAmong(
  { graph, since }: Scope,
  sessions: readonly string[],
): Promise<(key: string) => boolean> {
  if (since === null) return () => true
  const known = new Set(sessions)
  const active = new Set(await readActive(graph, [...known], since))
  return (key) => !known.has(key) || active.has(key)
}

/** Removes references to sessions that are not exported. */
async function withoutHidden(
  scope: Scope,
  turns: RecordOf<'transcript_turn'>[],
): Promise<RecordOf<'transcript_turn'>[]> {
  if (scope.since === null) return turns
  const isExported = await exportedAmong(
    scope,
    turns.flatMap(({ heldBy, steps }) => [
      ...heldBy.map(({ session }) => session),
      ...steps.flatMap(({ started = [] }) => started),
    ]),
  )
  return turns.map((turn) => ({
    ...turn,
    heldBy: turn.heldBy.filter(({ session }) => isExported(session)),
    steps: turn.steps.map(({ started = [], ...step }) => {
      const left = started.filter(isExported)
      return left.length === 0 ? step : { ...step, started: left }
    }),
  }))
}
