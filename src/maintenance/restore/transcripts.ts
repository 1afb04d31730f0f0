/**
 * Restores transcripts with the statements of the import, which also derive tools, patterns and sums and add them to the
 * existing ones.
 */
import { patternKey, transcriptKey } from '../../core/keys.ts'
import { toStep, type Value } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'

import { Sums } from '../../transcripts/sums.ts'
import { readRecords } from '../export/read.ts'
import type { RecordOf } from '../export/records.ts'
import type { Ref } from '../export/stored-form.ts'
import { differing, missing } from './conflicts.ts'
import {
  compared,
  distinctKeys,
  type Given,
  type Restored,
  readExisting,
  refuseMissing,
  split,
  type Work,
  writeRows,
} from './write.ts'

const started = statement('restore/started')
const lockTurns = statement('transcripts/lock-turns')
const turns = statement('transcripts/write-turns')
const linkTurns = statement('transcripts/link-session-turns')
const desires = statement('transcripts/write-desires')

type Turn = RecordOf<'transcript_turn'>

export async function writeTranscriptTurns(
  work: Work,
  given: readonly Given<'transcript_turn'>[],
): Promise<Restored> {
  const keys = distinctKeys(given).sort()
  const rows = await work.run(toStep(lockTurns, { keys, token: work.token }))
  const writtenKeys = rows.filter(({ length }) => length != null).map(({ key }) => String(key))
  const existing = await readRecords(work.graph, 'transcript_turn', writtenKeys)
  const { fresh, conflicts } = compared(given, existing, (record, known) =>
    differing(content(record), content(known)),
  )
  await refuseMissing(work, given, findSessions)
  const params = fresh.map(({ record }) => toParams(record))
  if (params.length > 0) await work.run(toStep(turns, { batch: { turns: params } }))
  const links = given.flatMap(({ record }) =>
    record.heldBy.map(({ session, index }) => ({ session, turn: record.turn.key, index })),
  )
  if (links.length > 0) await work.run(toStep(linkTurns, { batch: { links } }))
  await writeRows(
    work,
    started,
    given.flatMap(({ record }) =>
      record.steps.flatMap(({ started: agents = [] }, sequence) =>
        agents.map((session) => ({ turn: record.turn.key, sequence, session })),
      ),
    ),
  )
  const sums = new Sums()
  for (const { record } of fresh) {
    const { project, length, pattern = null, begunMs } = record.turn
    sums.add(project, { length, pattern, begunMs, tools: listTools(record) }, 1)
  }
  for (const step of sums.steps(work.token)) await work.run(step)
  return { created: fresh.length, conflicts }
}

/** Reduces a turn to the fields that must match. Another file may have named fewer sessions and started agents. */
const content = ({ heldBy: _, steps, ...turn }: Turn) => ({
  ...turn,
  steps: steps.map(({ started: __, ...step }) => step),
})

const findSessions = ({ heldBy, steps }: Turn): Ref[] =>
  [...heldBy.map(({ session }) => session), ...steps.flatMap(({ started = [] }) => started)].map((key) => ({
    label: 'TranscriptSession',
    key,
  }))

const listTools = ({ steps }: Turn): string[] => steps.map(({ tool }) => tool)
/** Builds the parameter of `transcripts/write-turns`: groups the steps by tool, so that it looks up each tool once. */
function toParams(record: Turn): object {
  const { key, startedAt, ...properties } = record.turn
  const { project, sessionId, begunMs, pattern } = properties
  const tools = listTools(record)
  const follows = pattern === undefined ? null : patternKey(project, pattern)
  const toolKey = (name: string) => transcriptKey(project, name)
  const byTool = new Map<string, { steps: Value[]; failed: Value[] }>()
  for (const [sequence, { tool, id, status, isParallel, ...step }] of record.steps.entries()) {
    const own = byTool.get(tool) ?? { steps: [], failed: [] }
    byTool.set(tool, own)
    const { durationMs = null, agentId = null, parallelGroup = null, response = null } = step
    const row = [id, sequence, status, isParallel, durationMs, agentId, parallelGroup, response]
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

/** Restores desires. Existing desires stay: they are derived from all turns of the graph, which may be more than in the file. */
export async function writeDesires(work: Work, given: readonly Given<'desire'>[]): Promise<Restored> {
  const { fresh } = compared(given, await readExisting(work, 'desire', given), () => [])
  const [first] = fresh
  if (first === undefined) return { created: 0, conflicts: [] }
  const rows = fresh.map(({ record: { desire } }) => {
    const { properties, at } = split('Desire', desire)
    return { key: desire.key, properties, ...at }
  })
  const [row] = await work.run(toStep(desires, { batch: { desires: rows } }))
  if (row?.desires !== rows.length) throw missing(first.index, first.record, 'its pattern')
  return { created: fresh.length, conflicts: [] }
}
