/** Reads the nodes whose texts a search finds, with their texts and the place of each. */
import * as z from 'zod'
import { toInstant } from '../core/instants.ts'
import { projectKey, taskOfCriterion } from '../core/keys.ts'
import { readRows, retryTornRead } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { instantRow } from '../memory/record/rows.ts'
import { toSearchText } from '../rules/search-words.ts'
import { columns, optionalText, textList } from '../rules/values.ts'
import { type IndexedText, type SearchKind, type Source, UNKNOWN_TIME } from './text-index.ts'

const sessionsStatement = statement('search/sessions')
const turnsStatement = statement('search/turns')
const declaredStatement = statement('search/declared')
const criteriaOfTasksStatement = statement('search/criteria', 'of-tasks')
const criteriaStatement = statement('search/criteria', 'by-key')
const callsOfFilesStatement = statement('search/calls', 'of-files')
const callsStatement = statement('search/calls', 'by-key')

/** Place of a text in the memory. */
export type Place = {
  featureId: string | null
  taskId: string | null
  worldSlug: string | null
  turn: number | null
  at: string | null
  criterionKey: string | null
  sessionId: string | null
}

export type ReadSource = { source: Source; texts: IndexedText[]; place: Place }

const NO_PLACE: Place = {
  featureId: null,
  taskId: null,
  worldSlug: null,
  turn: null,
  at: null,
  criterionKey: null,
  sessionId: null,
}

const turnId = (key: string): string => `turn ${key}`

const sessionRow = z.object({
  key: z.string(),
  taskKey: z.string(),
  turnCount: z.number(),
  isHidden: z.boolean(),
  turns: z.array(columns({ number: z.number(), digest: z.string() })),
})

export type SessionTurns = {
  key: string
  taskKey: string
  turns: { id: string; key: string; digest: string }[]
}

/** Reads which turns some sessions have. A hidden session has none; a session that is gone is left out. */
export async function readSessions(graph: Graph, keys: readonly string[]): Promise<SessionTurns[]> {
  const rows = await retryTornRead(
    () => readRows(graph, sessionsStatement, { keys: [...keys] }, sessionRow),
    (found) => found.every(({ isHidden, turnCount, turns }) => isHidden || turnCount === turns.length),
  )
  return rows.map(({ key, taskKey, isHidden, turns }) => ({
    key,
    taskKey,
    turns: isHidden
      ? []
      : turns.map(({ number, digest }) => ({
          id: turnId(`${key}/${number}`),
          key: `${key}/${number}`,
          digest,
        })),
  }))
}

const turnRow = z.object({
  key: z.string(),
  number: z.number(),
  digest: z.string(),
  startedAt: instantRow,
  completedAt: instantRow,
  summary: optionalText,
  feedback: optionalText,
  lessons: textList,
  blockers: textList,
  issueCount: z.number(),
  issues: z.array(columns({ position: z.number(), description: z.string(), suggestion: optionalText })),
  worldSlug: z.string(),
  featureId: z.string(),
  taskId: z.string(),
  isHidden: z.boolean(),
})

/** Reads turns with their texts, without those of deleted sessions. */
export async function readTurns(graph: Graph, keys: readonly string[]): Promise<ReadSource[]> {
  const rows = await retryTornRead(
    () => readRows(graph, turnsStatement, { keys: [...keys] }, turnRow),
    (found) => found.every(({ issueCount, issues }) => issueCount === issues.length),
  )
  return rows.filter(({ isHidden }) => !isHidden).map(toTurnSource)
}

function toTurnSource(row: z.output<typeof turnRow>): ReadSource {
  const { key, number, digest, worldSlug, featureId, taskId } = row
  const at = row.completedAt ?? row.startedAt
  const time = at === null ? UNKNOWN_TIME : Date.parse(at)
  const group = key.slice(0, key.lastIndexOf('/'))
  return {
    source: { id: turnId(key), key, group, number, time, digest },
    texts: [
      ...listTexts('summary', [row.summary]),
      ...listTexts('feedback', [row.feedback]),
      ...listTexts('lesson', row.lessons),
      ...listTexts('blocker', row.blockers),
      ...row.issues.flatMap(({ position, description, suggestion }) =>
        textsAt('issue', position, suggestion === null ? description : `${description}\n${suggestion}`),
      ),
    ],
    place: { ...NO_PLACE, featureId, taskId, worldSlug, turn: number, at },
  }
}

const textsAt = (kind: SearchKind, position: number, text: string | null): IndexedText[] => {
  const searchText = toSearchText(text ?? '')
  return searchText === '' ? [] : [{ kind, position, text: searchText }]
}

const listTexts = (kind: SearchKind, texts: readonly (string | null)[]): IndexedText[] =>
  texts.flatMap((text, position) => textsAt(kind, position, text))

const declaredRow = z.object({ key: z.string(), version: z.number() })

/** Lists the tasks of a project that declare criteria and have no session, with the version of their specification. */
export const readDeclaredTasks = (graph: Graph, project: string) =>
  readRows(graph, declaredStatement, { projectKey: projectKey(project) }, declaredRow)

const criterionRow = z.object({
  key: z.string(),
  texts: textList,
  labels: textList,
  newestVersion: z.number(),
  isHidden: z.boolean(),
  versions: z.array(z.number()),
  sessions: z.array(columns({ ordinal: z.number(), slug: z.string() })),
})

/** Creates a reader of criteria. Omits criteria without a session that the newest specification does not list. */
const readCriteriaBy = (from: typeof criteriaStatement) => async (graph: Graph, keys: readonly string[]) => {
  const rows = await readRows(graph, from, { keys: [...keys] }, criterionRow)
  const isFound = ({ isHidden, versions, newestVersion, sessions }: (typeof rows)[number]) =>
    !isHidden && (sessions.length > 0 || versions.includes(newestVersion))
  return rows.filter(isFound).map(toCriterionSource)
}

export const readCriteriaOfTasks = readCriteriaBy(criteriaOfTasksStatement)
const readCriteria = readCriteriaBy(criteriaStatement)

/** Returns the text that makes a criterion searchable by its label. The snippet shows the name. */
const withLabel = (label: string, [name]: readonly string[]): string =>
  name === undefined ? label : `${label}: ${name}`

function toCriterionSource({ key, texts, labels, sessions }: z.output<typeof criterionRow>): ReadSource {
  const task = taskOfCriterion(key)
  const [newest] = sessions.toSorted((a, b) => b.ordinal - a.ordinal)
  return {
    source: {
      id: `criterion ${key}`,
      key,
      group: key,
      number: 0,
      time: UNKNOWN_TIME,
      digest: JSON.stringify([texts, labels]),
    },
    texts: listTexts('criterion', [...texts, ...labels.map((label) => withLabel(label, texts))]),
    place: {
      ...NO_PLACE,
      featureId: task?.featureId ?? null,
      taskId: task?.taskId ?? null,
      worldSlug: newest?.slug ?? null,
      criterionKey: key,
    },
  }
}

const callsRow = z.object({
  key: z.string(),
  sessionId: z.string(),
  begunMs: z.number(),
  calls: z.array(columns({ sequence: z.number(), tool: z.string(), error: z.string() })),
  turns: z.array(
    columns({ worldSlug: z.string(), featureId: z.string(), taskId: z.string(), turn: z.number() }),
  ),
})

/** Start of a transcript turn without a time. */
const EARLIEST_MS = -8_640_000_000_000_000

function toCallsSource({ key, sessionId, begunMs, calls, turns }: z.output<typeof callsRow>): ReadSource {
  const isKnown = begunMs > EARLIEST_MS
  const [only] = turns
  const isOfOneWorld = turns.every(({ worldSlug }) => worldSlug === only?.worldSlug)
  const isOfOneTurn = isOfOneWorld && turns.every(({ turn }) => turn === only?.turn)
  const at = isKnown ? toInstant(new Date(begunMs)) : null
  return {
    source: {
      id: `calls ${key}`,
      key,
      group: key,
      number: 0,
      time: isKnown ? begunMs : UNKNOWN_TIME,
      digest: JSON.stringify(calls),
    },
    texts: calls.flatMap(({ sequence, tool, error }) =>
      textsAt('failed_call', sequence, `${tool}: ${error}`),
    ),
    place: {
      ...NO_PLACE,
      ...(only !== undefined &&
        isOfOneWorld && { worldSlug: only.worldSlug, featureId: only.featureId, taskId: only.taskId }),
      ...(only !== undefined && isOfOneTurn && { turn: only.turn }),
      sessionId,
      at,
    },
  }
}

const readCallsBy = (from: typeof callsStatement) => async (graph: Graph, keys: readonly string[]) => {
  const rows = await readRows(graph, from, { keys: [...keys] }, callsRow)
  return rows.filter(({ calls }) => calls.length > 0).map(toCallsSource)
}

export const readCallsOfFiles = readCallsBy(callsOfFilesStatement)
const readCalls = readCallsBy(callsStatement)

/** Reads sources as they are now, by their ids; leaves out those that are gone. */
export async function readSources(
  graph: Graph,
  sources: readonly Source[],
): Promise<Map<string, ReadSource>> {
  const keysOf = (kind: string) => [
    ...new Set(sources.filter(({ id }) => id.startsWith(`${kind} `)).map(({ key }) => key)),
  ]
  const read = (keys: readonly string[], from: typeof readTurns) =>
    keys.length === 0 ? [] : from(graph, keys)
  const found = await Promise.all([
    read(keysOf('turn'), readTurns),
    read(keysOf('criterion'), readCriteria),
    read(keysOf('calls'), readCalls),
  ])
  return new Map(found.flat().map((each) => [each.source.id, each]))
}
