import * as z from 'zod'
import { keysOfProject } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { compareKeys, firstAfter, windowAfter } from './order.ts'
import { desireRow, keysAfter, readFiles, readKeys, readSessions, readTranscriptTurns } from './read.ts'
import type { ExportRecord, RecordOf } from './records.ts'

/**
 * The transcripts of a project: sessions, then their turns with the calls, then how far each file was read, so that
 * a file counts as read only once its turns are there; then the desires.
 */

const sessions = statement('export/sessions')
const sessionsSince = statement('export/sessions-since')
const activeSessions = statement('export/active-sessions')
const turnsOfSessions = statement('export/turns-of-sessions')
const files = statement('export/files')
const filesSince = statement('export/files-since')
const desires = statement('export/desires')

const STAGES = ['sessions', 'turns', 'files', 'desires'] as const

/** Where the transcripts of a project were left: after a key, and of a session's turns after one of them. */
export const transcriptPosition = z.strictObject({
  stage: z.enum(STAGES),
  after: z.string(),
  session: z.strictObject({ key: z.string(), index: z.number(), turn: z.string() }).optional(),
})
export type TranscriptPosition = z.output<typeof transcriptPosition>

type Told = { record: ExportRecord; at: TranscriptPosition }

const AT_ONCE = 100
/** Sessions of a project whose turns are looked up together, and calls that are read together. */
const SESSIONS_AT_ONCE = 20
const STEPS_AT_ONCE = 2_000

export async function* tellTranscripts(
  graph: Graph,
  project: string,
  since: string | null,
  from: TranscriptPosition | null,
): AsyncGenerator<Told> {
  const scope = { graph, project, since }
  for (const stage of STAGES.slice(STAGES.indexOf(from?.stage ?? 'sessions'))) {
    const at = from?.stage === stage ? from : { stage, after: keysOfProject(project).after }
    if (stage === 'turns') yield* tellTurns(scope, at)
    // They are of all turns: a part of the transcripts has others.
    else if (stage !== 'desires' || since === null) yield* tellByKey(scope, stage, at.after)
  }
}

type Scope = { graph: Graph; project: string; since: string | null }

async function* tellByKey(
  scope: Scope,
  stage: Exclude<(typeof STAGES)[number], 'turns'>,
  from: string,
): AsyncGenerator<Told> {
  for (let after = from; ; ) {
    const { records, last, more } = await readStage[stage](scope, after)
    for (const record of records) {
      after = keyOf(record)
      yield { record, at: { stage, after } }
    }
    after = last
    if (!more) return
  }
}

type Some = {
  records: (RecordOf<'transcript_session'> | RecordOf<'transcript_file'> | RecordOf<'desire'>)[]
  last: string
  more: boolean
}

const keyOf = (record: Some['records'][number]): string =>
  record.kind === 'transcript_session'
    ? record.session.key
    : record.kind === 'transcript_file'
      ? record.file.key
      : record.desire.key

const readStage: Record<
  Exclude<(typeof STAGES)[number], 'turns'>,
  (scope: Scope, after: string) => Promise<Some>
> = {
  sessions: async (scope, after) => {
    const keys = await keysIn(scope, sessions, sessionsSince, after, AT_ONCE)
    return someOf(await readSessions(scope.graph, keys), keys)
  },
  files: async (scope, after) => {
    const keys = await keysIn(scope, files, filesSince, after, FILES_AT_ONCE)
    return { ...someOf(await readFiles(scope.graph, keys), keys), more: keys.length === FILES_AT_ONCE }
  },
  desires: async ({ graph, project }, after) => {
    const found = await readRows(graph, desires, { project, ...windowAfter(after, AT_ONCE) }, desireRow)
    const rows = firstAfter(found, ({ desire }) => desire.key, after, AT_ONCE)
    return someOf(
      rows.map(({ desire }) => ({ kind: 'desire', desire })),
      rows.map(({ desire }) => desire.key),
    )
  },
}

/** What stood open at the end of a file may be long. */
const FILES_AT_ONCE = 20

const someOf = (records: Some['records'], keys: readonly string[]): Some => ({
  records,
  last: keys.at(-1) ?? '',
  more: keys.length === AT_ONCE,
})

async function keysIn(
  { graph, project, since }: Scope,
  all: Statement,
  some: Statement,
  after: string,
  limit: number,
): Promise<string[]> {
  const { after: prefix, below } = keysOfProject(project)
  const params = { below, ...(since !== null && { since }) }
  const keys = await keysAfter(graph, since === null ? all : some, params, after, limit)
  return keys.filter((key) => key.startsWith(prefix))
}

const heldRow = z.object({
  session: z.string(),
  index: z.number(),
  turn: z.string(),
  length: z.number(),
  holders: z.array(z.string()),
})
type Held = z.output<typeof heldRow>

/** Each turn once: a fork's are told with the least of the sessions that hold them. */
async function* tellTurns(scope: Scope, from: TranscriptPosition): AsyncGenerator<Told> {
  const { graph } = scope
  let after = from.after
  const resumed = from.session
  const first = resumed === undefined ? [] : [resumed.key]
  for (let keys = first; ; keys = []) {
    if (keys.length === 0) keys = await keysIn(scope, sessions, sessionsSince, after, SESSIONS_AT_ONCE)
    if (keys.length === 0) return
    const rows = await readRows(graph, turnsOfSessions, { keys }, heldRow)
    const told = await selected(
      scope,
      rows.flatMap(({ holders }) => (holders.length > 1 ? holders : [])),
    )
    for (const session of keys) {
      const own = rows
        .filter((row) => row.session === session)
        .filter(({ holders }) => holders.filter(told).every((holder) => compareKeys(session, holder) <= 0))
        .filter((row) => session !== resumed?.key || isAfter(row, resumed))
        .sort(inOrder)
      for (const some of chunksOf(own)) {
        const records = await readTranscriptTurns(
          graph,
          some.map(({ turn }) => turn),
        )
        const places = new Map(some.map((held) => [held.turn, held]))
        const whole = await withoutUntold(scope, records)
        for (const record of whole) {
          const { index = 0 } = places.get(record.turn.key) ?? {}
          yield {
            record,
            at: { stage: 'turns', after, session: { key: session, index, turn: record.turn.key } },
          }
        }
      }
      after = session
    }
  }
}

const inOrder = (a: Held, b: Held): number => a.index - b.index || compareKeys(a.turn, b.turn)
const isAfter = (held: Held, { index, turn }: { index: number; turn: string }): boolean =>
  held.index > index || (held.index === index && compareKeys(held.turn, turn) > 0)

function* chunksOf(held: readonly Held[]): Generator<Held[]> {
  let chunk: Held[] = []
  let steps = 0
  for (const one of held) {
    if (chunk.length > 0 && (steps + one.length > STEPS_AT_ONCE || chunk.length === AT_ONCE)) {
      yield chunk
      chunk = []
      steps = 0
    }
    chunk.push(one)
    steps += one.length
  }
  if (chunk.length > 0) yield chunk
}

/** Whether a session is told: with `since` not all are. */
async function selected({ graph, since }: Scope, keys: readonly string[]): Promise<(key: string) => boolean> {
  if (since === null) return () => true
  const some = [...new Set(keys)]
  const active = some.length === 0 ? [] : await readKeys(graph, activeSessions, { keys: some, since })
  const set = new Set(active)
  const asked = new Set(some)
  return (key) => !asked.has(key) || set.has(key)
}

/** Without what points at sessions that are not told. */
async function withoutUntold(
  scope: Scope,
  turns: RecordOf<'transcript_turn'>[],
): Promise<RecordOf<'transcript_turn'>[]> {
  if (scope.since === null) return turns
  const told = await selected(
    scope,
    turns.flatMap(({ heldBy, steps }) => [
      ...heldBy.map(({ session }) => session),
      ...steps.flatMap(({ started = [] }) => started),
    ]),
  )
  return turns.map((turn) => ({
    ...turn,
    heldBy: turn.heldBy.filter(({ session }) => told(session)),
    steps: turn.steps.map(({ started, ...step }) => {
      const kept = started?.filter(told) ?? []
      return kept.length === 0 ? step : { ...step, started: kept }
    }),
  }))
}
