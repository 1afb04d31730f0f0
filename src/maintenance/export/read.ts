import * as z from 'zod'
import { readRows, untilWhole } from '../../graph/decode.ts'
import type { Label } from '../../graph/model/nodes.ts'
import { storedProperties } from '../../graph/model/validate.ts'
import type { Graph, Params } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { isWhole } from '../../memory/record/rows.ts'
import { compareKeys, firstAfter, windowAfter } from './order.ts'
import { type RecordOf, records } from './records.ts'

/** Records as the graph holds them, by key: what an export writes, and what a restore compares with. */

const taskRecords = statement('export/task-records')
const criterionRecords = statement('export/criterion-records')
const turnRecords = statement('export/turn-records')
const supersededRecords = statement('export/superseded-records')
const sessionRecords = statement('export/session-records')
const transcriptTurnRecords = statement('export/transcript-turn-records')
const fileRecords = statement('export/file-records')
const desireRecords = statement('export/desire-records')

/** A node's properties, in the order of the table. */
export const stored = <L extends Label>(label: L) =>
  z.record(z.string(), z.unknown()).transform((held) => storedProperties(label, held))

export const keyList = z.array(z.string()).transform((keys) => keys.toSorted(compareKeys))

const taskRow = z.object({ task: stored('Task'), feature: z.string() })

export async function readTasks(graph: Graph, keys: readonly string[]): Promise<RecordOf<'task'>[]> {
  const rows = await readRows(graph, taskRecords, { keys: [...keys] }, taskRow)
  return rows.map(({ task: { rev: _, ...task }, feature }) => ({ kind: 'task', feature, ...task }))
}

export const criterionRow = z.object({ criterion: stored('Criterion'), task: z.string() })

export const toCriterion = ({ criterion, task }: z.output<typeof criterionRow>): RecordOf<'criterion'> => ({
  kind: 'criterion',
  task,
  ...criterion,
})

export async function readCriteria(graph: Graph, keys: readonly string[]): Promise<RecordOf<'criterion'>[]> {
  return (await readRows(graph, criterionRecords, { keys: [...keys] }, criterionRow)).map(toCriterion)
}

const withKey = <L extends Label>(label: L) => z.tuple([z.string(), stored(label)])

const recordColumns = {
  turn: stored('Turn'),
  verifications: z.array(withKey('Verification')),
  promises: z.array(withKey('Promise')),
  issues: z.array(stored('Issue')),
  about: z.array(z.tuple([z.number(), z.string()])),
  gates: z.array(stored('Gate')),
  transcribedIn: z.array(
    z.object({ key: z.string(), id: z.string().nullish(), project: z.string().nullish() }),
  ),
}

const turnRow = z.object({
  world: z.string(),
  before: z.array(z.number()),
  labels: z.array(z.tuple([z.string(), z.string(), z.string()])),
  ...recordColumns,
})
const supersededRow = z.object({ above: z.array(z.string()), ...recordColumns })

type Columns = z.output<z.ZodObject<typeof recordColumns>>

/** Turns of worlds; each is read again until all of its parts are seen. */
export async function readTurns(graph: Graph, keys: readonly string[]): Promise<RecordOf<'turn'>[]> {
  const rows = await untilWhole(
    () => readRows(graph, turnRecords, { keys: [...keys] }, turnRow),
    (found) => found.every(isWhole),
  )
  return inOrderOf(
    keys,
    rows.map(({ world, before, labels, ...columns }) => ({
      kind: 'turn',
      world,
      previous: before[0] ?? null,
      ...partsFrom(columns),
      labels: labels
        .toSorted((a, b) => compareKeys(a.join('\n'), b.join('\n')))
        .map(([source, label, criterion]) => ({ source, label, criterion })),
    })),
    ({ turn }) => turn.key,
  )
}

export async function readSuperseded(
  graph: Graph,
  keys: readonly string[],
): Promise<RecordOf<'superseded_turn'>[]> {
  const rows = await untilWhole(
    () => readRows(graph, supersededRecords, { keys: [...keys] }, supersededRow),
    (found) => found.every(isWhole),
  )
  return inOrderOf(
    keys,
    rows.map(({ above, ...columns }) => ({
      kind: 'superseded_turn',
      supersededBy: above[0] ?? '',
      ...partsFrom(columns),
    })),
    ({ turn }) => turn.key,
  )
}

function partsFrom({ turn: { writeId: _, ...turn }, ...columns }: Columns) {
  return {
    turn,
    verifications: columns.verifications
      .map(([criterion, part]) => ({ criterion, ...part }))
      .sort(byPosition),
    promises: columns.promises.map(([criterion, part]) => ({ criterion, ...part })).sort(byPosition),
    issues: columns.issues
      .map((part) => ({
        about: columns.about
          .flatMap(([of, criterion]) => (of === part.position ? [criterion] : []))
          .sort(compareKeys),
        ...part,
      }))
      .sort(byPosition),
    gates: columns.gates.toSorted(byPosition),
    transcribedIn: columns.transcribedIn
      .map(({ key, id, project }) => ({
        key,
        ...(id != null && { id }),
        ...(project != null && { project }),
      }))
      .sort((a, b) => compareKeys(a.key, b.key)),
  }
}

const byPosition = (a: { position: number }, b: { position: number }): number => a.position - b.position

const sessionRow = z.object({ session: stored('TranscriptSession'), agentOf: keyList })

/** Those that were transcribed: one that is only named comes with whoever names it. */
export async function readSessions(
  graph: Graph,
  keys: readonly string[],
): Promise<RecordOf<'transcript_session'>[]> {
  const rows = await readRows(graph, sessionRecords, { keys: [...keys] }, sessionRow)
  return inOrderOf(
    keys,
    rows.flatMap(({ session, agentOf }) => {
      const record = records.transcript_session.safeParse({ kind: 'transcript_session', session, agentOf })
      return record.success ? [record.data] : []
    }),
    ({ session }) => session.key,
  )
}

const transcriptTurnRow = z.object({
  turn: stored('TranscriptTurn'),
  heldBy: z.array(z.tuple([z.string(), z.number()])),
  steps: z.array(z.tuple([z.string(), z.record(z.string(), z.unknown())])),
  started: z.array(z.tuple([z.number(), z.string()])),
})

export async function readTranscriptTurns(
  graph: Graph,
  keys: readonly string[],
): Promise<RecordOf<'transcript_turn'>[]> {
  const rows = await untilWhole(
    () => readRows(graph, transcriptTurnRecords, { keys: [...keys] }, transcriptTurnRow),
    (found) => found.every(({ turn, steps }) => steps.length === turn.length),
  )
  return inOrderOf(
    keys,
    rows.map(({ turn: { tools: _, patternKey: __, rev: ___, ...turn }, ...row }) => ({
      kind: 'transcript_turn',
      turn,
      heldBy: row.heldBy
        .map(([session, index]) => ({ session, index }))
        .sort((a, b) => compareKeys(a.session, b.session)),
      steps: stepsFrom(row.steps, row.started),
    })),
    ({ turn }) => turn.key,
  )
}

type Steps = RecordOf<'transcript_turn'>['steps']

function stepsFrom(
  held: readonly [tool: string, properties: Record<string, unknown>][],
  started: readonly [sequence: number, session: string][],
): Steps {
  return held
    .map(([tool, properties]) => {
      const label = properties.failure == null ? 'Step' : 'FailedStep'
      const { sequence, id, status, isParallel, parallelGroup, durationMs, agentId, ...more } =
        storedProperties(label, properties)
      const begun = started.filter(([of]) => of === sequence).map(([, session]) => session)
      const failed = more as { error?: string; failure?: string }
      const step: Steps[number] = {
        tool,
        id,
        status,
        isParallel,
        ...(parallelGroup !== undefined && { parallelGroup }),
        ...(durationMs !== undefined && { durationMs }),
        ...(agentId !== undefined && { agentId }),
        ...(failed.error !== undefined && { error: failed.error }),
        ...(failed.failure !== undefined && { failure: failed.failure }),
        ...(begun.length > 0 && { started: begun.sort(compareKeys) }),
      }
      return { sequence, step }
    })
    .sort((a, b) => a.sequence - b.sequence)
    .map(({ step }) => step)
}

const fileRow = z.object({ file: stored('TranscriptFile'), holds: keyList })

export async function readFiles(
  graph: Graph,
  keys: readonly string[],
): Promise<RecordOf<'transcript_file'>[]> {
  const rows = await readRows(graph, fileRecords, { keys: [...keys] }, fileRow)
  return inOrderOf(
    keys,
    rows.map(({ file: { rev: _, ...file }, holds }) => ({ kind: 'transcript_file', file, holds })),
    ({ file }) => file.key,
  )
}

export const desireRow = z.object({ desire: stored('Desire') })

export async function readDesires(graph: Graph, keys: readonly string[]): Promise<RecordOf<'desire'>[]> {
  const rows = await readRows(graph, desireRecords, { keys: [...keys] }, desireRow)
  return rows.map(({ desire }) => ({ kind: 'desire', desire }))
}

const keyRow = z.object({ key: z.string() })

export const readKeys = async (graph: Graph, from: Statement, params: Params): Promise<string[]> =>
  (await readRows(graph, from, params, keyRow)).map(({ key }) => key)

/** A page of a listing, by key. */
export async function keysAfter(
  graph: Graph,
  from: Statement,
  params: Params,
  after: string,
  limit: number,
): Promise<string[]> {
  const keys = await readKeys(graph, from, { ...params, ...windowAfter(after, limit) })
  return firstAfter(keys, (key) => key, after, limit)
}

/** Rows come in any order. What is gone meanwhile is left out. */
function inOrderOf<T>(keys: readonly string[], found: readonly T[], keyOf: (record: T) => string): T[] {
  const byKey = new Map(found.map((record) => [keyOf(record), record]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}
