/** Restores transcripts with the statements of the import, which also derive tools and patterns. */
import { patternKey, toolKey } from '../../core/keys.ts'
import { toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { type Call, fromCallLists, toCallLists } from '../../rules/call-lists.ts'
import { classifyFailure } from '../../transcripts/failure.ts'
import { countCalls } from '../../transcripts/statement-params.ts'
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
  return { created: fresh.length, conflicts }
}

/** Reduces a turn to the fields that must match: another file may have named fewer sessions and started agents. */
const content = ({ heldBy: _, steps, ...turn }: Turn) => ({
  ...turn,
  steps: [fromCallLists(toCallLists(toCalls(steps))), listFailed(steps)],
})

const findSessions = ({ heldBy, steps }: Turn): Ref[] =>
  [...heldBy.map(({ session }) => session), ...steps.flatMap(({ started = [] }) => started)].map((key) => ({
    label: 'TranscriptSession',
    key,
  }))

const toCalls = (steps: Turn['steps']): Call[] =>
  steps.map(
    ({ id, tool, status, durationMs = null, agentId = null, response = null, parallelGroup = null }) => ({
      ...{ id, tool, status, durationMs, agentId, response, parallelGroup },
    }),
  )

const listFailed = (steps: Turn['steps']) =>
  steps.flatMap(({ id, tool, status, error = '', failure = classifyFailure(tool, error) }, sequence) =>
    status === 'error' ? [{ sequence, id, tool, error, failure }] : [],
  )

/** Builds the parameter of `transcripts/write-turns`. */
function toParams({ turn, steps }: Turn): object {
  const { key, startedAt, ...properties } = turn
  const { project, sessionId, begunMs, pattern } = properties
  const follows = pattern === undefined ? null : patternKey(project, pattern)
  const [{ tool: first } = { tool: '' }] = steps
  const calls = toCalls(steps)
  return {
    key,
    startedAt: startedAt ?? null,
    properties: { ...properties, ...toCallLists(calls), ...(follows !== null && { patternKey: follows }) },
    follows:
      follows === null || pattern === undefined
        ? []
        : [{ key: follows, pattern, tool: { key: toolKey(project, first), name: first } }],
    called: countCalls(project, calls),
    failed: listFailed(steps).map((call) => ({ ...call, project, sessionId, begunMs })),
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
