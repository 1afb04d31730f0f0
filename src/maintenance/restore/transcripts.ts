import { patternKey, transcriptKey } from '../../core/keys.ts'
import { stepOf, type Value } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { Sums } from '../../transcripts/sums.ts'
import { readDesires, readFiles, readSessions, readTranscriptTurns } from '../export/read.ts'
import type { RecordOf } from '../export/records.ts'
import { differing, missing } from './conflicts.ts'
import { split } from './properties.ts'
import type { Given, Restored, Work } from './work.ts'
import { compared, keysOf, writeRows } from './write.ts'

/**
 * Transcripts, written with the statements of the import, so that what an import derives from turns (tools, patterns,
 * sums) is derived here too, and adds up with what stands there.
 */

const sessions = statement('restore/sessions')
const started = statement('restore/started')
const files = statement('restore/files')
const filesHold = statement('restore/files-hold')
const lockTurns = statement('transcripts/lock-turns')
const turns = statement('transcripts/write-turns')
const linkTurns = statement('transcripts/link-session-turns')
const desires = statement('transcripts/write-desires')

export async function writeSessions(
  work: Work,
  given: readonly Given<'transcript_session'>[],
): Promise<Restored> {
  const { fresh, conflicts } = compared(given, await readSessions(work.graph, keysOf(given)))
  await writeRows(
    work,
    sessions,
    fresh.map(({ record: { session, agentOf } }) => ({
      key: session.key,
      agentOf,
      ...split('TranscriptSession', session),
    })),
  )
  return { created: fresh.length, conflicts }
}

type Turn = RecordOf<'transcript_turn'>

export async function writeTranscriptTurns(
  work: Work,
  given: readonly Given<'transcript_turn'>[],
): Promise<Restored> {
  const keys = keysOf(given).sort()
  const rows = await work.run(stepOf(lockTurns, { keys, token: work.token }))
  const standing = rows.filter(({ length }) => length != null).map(({ key }) => String(key))
  const { fresh, conflicts } = compared(
    given,
    await readTranscriptTurns(work.graph, standing),
    (record, known) => differing(content(record), known.kind === 'transcript_turn' ? content(known) : known),
  )
  const params = fresh.map(({ record }) => paramsOf(record))
  if (params.length > 0) await work.run(stepOf(turns, { batch: { turns: params } }))
  await hold(work, given)
  await writeStarted(work, given)
  const sums = new Sums()
  for (const { record } of fresh) {
    const { project, length, pattern = null, begunMs } = record.turn
    sums.add(project, { length, pattern, begunMs, tools: toolsOf(record) }, 1)
  }
  for (const step of sums.steps(work.token)) await work.run(step)
  return { created: fresh.length, conflicts }
}

/** Who holds a turn and which agents it started is added to: another file may have told of fewer sessions. */
const content = ({ heldBy: _, steps, ...turn }: Turn) => ({
  ...turn,
  steps: steps.map(({ started: __, ...step }) => step),
})

const toolsOf = ({ steps }: Turn): string[] => steps.map(({ tool }) => tool)

async function hold(work: Work, given: readonly Given<'transcript_turn'>[]): Promise<void> {
  const links = given.flatMap(({ record }) =>
    record.heldBy.map(({ session, index }) => ({ session, turn: record.turn.key, index })),
  )
  if (links.length === 0) return
  const [row] = await work.run(stepOf(linkTurns, { batch: { links } }))
  if (row?.links === links.length) return
  const there = await readSessions(work.graph, [...new Set(links.map(({ session }) => session))])
  const known = new Set(there.map(({ session }) => session.key))
  for (const { index, record } of given) {
    const lost = record.heldBy.find(({ session }) => !known.has(session))
    if (lost !== undefined) throw missing(index, record, `session ${lost.session}`)
  }
}

async function writeStarted(work: Work, given: readonly Given<'transcript_turn'>[]): Promise<void> {
  for (const { index, record } of given) {
    const rows = record.steps.flatMap(({ started: agents = [] }, sequence) =>
      agents.map((session) => ({ turn: record.turn.key, sequence, session })),
    )
    if ((await writeRows(work, started, rows)) < rows.length) {
      throw missing(index, record, `one of the sessions that its calls started`)
    }
  }
}

/** As `transcripts/write-turns` takes it: the steps by tool, so that each is looked up once. */
function paramsOf(record: Turn): object {
  const { key, startedAt, ...properties } = record.turn
  const { project, sessionId, begunMs, pattern } = properties
  const tools = toolsOf(record)
  const follows = pattern === undefined ? null : patternKey(project, pattern)
  const toolKey = (name: string) => transcriptKey(project, name)
  const byTool = new Map<string, { steps: Value[]; failed: Value[] }>()
  for (const [sequence, { tool, id, status, isParallel, ...step }] of record.steps.entries()) {
    const own = byTool.get(tool) ?? { steps: [], failed: [] }
    byTool.set(tool, own)
    const { durationMs = null, agentId = null, parallelGroup = null } = step
    const row = [id, sequence, status, isParallel, durationMs, agentId, parallelGroup]
    const { error, failure } = step
    if (error === undefined || failure === undefined) own.steps.push(row)
    else own.failed.push({ row, more: { error, failure, project, tool, sessionId, begunMs } })
  }
  return {
    key,
    startedAt: startedAt ?? null,
    properties: { ...properties, tools, ...(follows !== null && { patternKey: follows }) },
    follows:
      follows === null || pattern === undefined
        ? []
        : [{ key: follows, pattern, tool: { key: toolKey(tools[0] ?? ''), name: tools[0] ?? '' } }],
    calls: [...byTool].map(([name, own]) => ({
      key: toolKey(name),
      name,
      calls: own.steps.length + own.failed.length,
      errors: own.failed.length,
      ...own,
    })),
  }
}

export async function writeFiles(work: Work, given: readonly Given<'transcript_file'>[]): Promise<Restored> {
  const { fresh, conflicts } = compared(given, await readFiles(work.graph, keysOf(given)))
  await writeRows(
    work,
    files,
    fresh.map(({ record: { file } }) => ({ key: file.key, ...split('TranscriptFile', file) })),
  )
  const rows = fresh.flatMap(({ record: { file, holds: held } }) =>
    held.map((session) => ({ file: file.key, session })),
  )
  const [first] = fresh
  if ((await writeRows(work, filesHold, rows)) < rows.length && first !== undefined) {
    throw missing(first.index, first.record, 'one of the sessions that it holds')
  }
  return { created: fresh.length, conflicts }
}

/** What recurs is derived from all turns that stand: where more do than in the file, theirs count. */
export async function writeDesires(work: Work, given: readonly Given<'desire'>[]): Promise<Restored> {
  const { fresh } = compared(given, await readDesires(work.graph, keysOf(given)), () => [])
  const rows = fresh.map(({ record: { desire } }) => {
    const { properties, at } = split('Desire', desire)
    return { key: desire.key, properties, firstSeen: at.firstSeen ?? null, lastSeen: at.lastSeen ?? null }
  })
  if (rows.length > 0) {
    const [row] = await work.run(stepOf(desires, { batch: { desires: rows } }))
    const [first] = fresh
    if (row?.desires !== rows.length && first !== undefined)
      throw missing(first.index, first.record, 'its pattern')
  }
  return { created: fresh.length, conflicts: [] }
}
