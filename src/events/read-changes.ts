/** Reads what changed since an instant, and what each of it now is. */
import * as z from 'zod'
import { instantOf } from '../core/instants.ts'
import { recordKey, worldKey } from '../core/keys.ts'
import { readRows } from '../graph/decode.ts'
import { columns, optionalText } from '../graph/model/values.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { listWorldsByKeys, type WorldProgress } from '../memory/worlds/world-progress.ts'
import { TurnRunStore } from '../runs/turn-run-store.ts'
import { turnRunStatusOf } from '../runs/views.ts'
import type { ChangeEvent, SessionEvent } from './change-event.ts'

const nowStatement = statement('events/now')
const changesStatement = statement('events/changes')
const sessionsStatement = statement('events/sessions-of-project')
const versionsOf = {
  session: statement('events/versions', 'session'),
  run: statement('events/versions', 'run'),
  import: statement('events/versions', 'import'),
}
const importsStatement = statement('events/imports')

/** Something that changed: its key in the graph, and the version that it had when it was looked for. */
export type Change = { type: ChangeEvent['type']; key: string; version: number }

const changed = z.array(columns({ key: z.string(), version: z.number() }))
const changesRow = z.object({ now: z.number(), worlds: changed, runs: changed, imports: changed })
const sessionRow = z.object({
  key: z.string(),
  slug: z.string(),
  version: z.number(),
  activeRunId: optionalText,
})
const versionRow = z.object({ key: z.string(), version: z.number() })
const importRow = z.object({
  key: z.string(),
  project: z.string(),
  sessionId: z.string(),
  bytes: z.number(),
  isWhole: z.boolean(),
})

/** The database's clock, in epoch milliseconds. */
export async function readClock(graph: Graph): Promise<number> {
  const [row] = await readRows(graph, nowStatement, {}, z.object({ now: z.number() }))
  if (row === undefined) throw new Error('events/now gave no row')
  return row.now
}

/** What changed since an instant, inclusive; the earliest first. */
export async function readChanges(graph: Graph, since: number): Promise<{ now: number; changes: Change[] }> {
  const [row] = await readRows(graph, changesStatement, { since }, changesRow)
  if (row === undefined) throw new Error('events/changes gave no row')
  const { now, worlds, runs, imports } = row
  const changes = [
    ...worlds.map((each) => ({ type: 'session' as const, ...each })),
    ...runs.map((each) => ({ type: 'run' as const, ...each })),
    ...imports.map((each) => ({ type: 'import' as const, ...each })),
  ]
  return { now, changes: changes.toSorted((a, b) => a.version - b.version || (a.key < b.key ? -1 : 1)) }
}

/** Keys alone: the embedded graph sorts the project's sessions for each page. */
const SESSIONS_AT_ONCE = 500

/**
 * A page of all sessions of a project, or of one of them, with the runs that are active.
 *
 * @param after the slug after which it begins; `next` is that of the next page, or null on the last one
 */
export async function readPageOfAll(
  graph: Graph,
  { project, worldSlug }: { project: string; worldSlug: string | null },
  after: string,
): Promise<{ changes: Change[]; next: string | null }> {
  const params = { project, worldSlug: worldSlug ?? '', limit: SESSIONS_AT_ONCE, after }
  const rows = await readRows(graph, sessionsStatement, params, sessionRow)
  const changes = rows.flatMap(({ key, version, activeRunId }): Change[] => [
    { type: 'session', key, version },
    // Runs change under the lock of their world: what comes after is higher than the world's version.
    ...(activeRunId === null
      ? []
      : [{ type: 'run' as const, key: recordKey(project, activeRunId), version }]),
  ])
  return { changes, next: rows.length < SESSIONS_AT_ONCE ? null : (rows.at(-1)?.slug ?? null) }
}

export type Found = { change: Change; event: ChangeEvent }

/** Something that is written to all the time is told as it was seen at last. */
const MAX_REREADS = 3

/**
 * What each now is; what is gone is left out. Its version is read before and after it, and both again where it has moved
 * meanwhile: else two replicas could tell one state under two versions, and a reader of both an older state after a newer one.
 */
export async function readEventsOf(graph: Graph, changes: readonly Change[]): Promise<Found[]> {
  const settled: Found[] = []
  let asked = changes
  for (let reads = 0; asked.length > 0; reads++) {
    const found = await readStatesOf(graph, asked)
    const versions = await readVersions(
      graph,
      found.map(({ change }) => change),
    )
    const versionOf = ({ type, key, version }: Change) => versions[type].get(key) ?? version
    const hasMoved = ({ change }: Found) => reads < MAX_REREADS && versionOf(change) > change.version
    settled.push(...found.filter((each) => !hasMoved(each)))
    asked = found.filter(hasMoved).map(({ change }) => ({ ...change, version: versionOf(change) }))
  }
  return settled
}

const keysOf = (changes: readonly Change[], type: Change['type']): string[] =>
  changes.filter((each) => each.type === type).map(({ key }) => key)

async function readVersions(graph: Graph, changes: readonly Change[]) {
  const of = async (type: Change['type']) => {
    const keys = keysOf(changes, type)
    const rows = keys.length === 0 ? [] : await readRows(graph, versionsOf[type], { keys }, versionRow)
    return new Map(rows.map(({ key, version }) => [key, version]))
  }
  const [session, run, imported] = await Promise.all([of('session'), of('run'), of('import')])
  return { session, run, import: imported }
}

async function readStatesOf(graph: Graph, changes: readonly Change[]): Promise<Found[]> {
  const [session, run, imported] = await Promise.all([
    readSessions(graph, keysOf(changes, 'session')),
    readRuns(graph, keysOf(changes, 'run')),
    readImports(graph, keysOf(changes, 'import')),
  ])
  const states = { session, run, import: imported }
  return changes.flatMap((change) => {
    const state = states[change.type].get(change.key)
    if (state === undefined) return []
    const { version } = change
    // A session that has not changed since there are events has no version yet.
    const event = version === 0 ? state : { ...state, version, changedAt: instantOf(new Date(version)) }
    return [{ change, event }]
  })
}

type States = Map<string, ChangeEvent>

async function readSessions(graph: Graph, keys: readonly string[]): Promise<States> {
  if (keys.length === 0) return new Map()
  const worlds = await listWorldsByKeys(graph, keys)
  return new Map(worlds.map((each) => [worldKey(each.project, each.worldSlug), sessionEventOf(each)]))
}

const sessionEventOf = (world: WorldProgress): SessionEvent => ({
  type: 'session',
  project: world.project,
  version: 0,
  changedAt: world.lastActivity,
  worldSlug: world.worldSlug,
  featureId: world.featureId,
  taskId: world.taskId,
  currentTurn: world.currentTurn,
  decision: world.lastDecision,
  verified: world.verified,
  total: world.criteria,
  verdict: world.verdict,
  activeTurnRunId: world.activeTurnRunId,
  activeAttemptId: world.activeAttemptId,
  deletedAt: world.deletedAt,
})

async function readRuns(graph: Graph, keys: readonly string[]): Promise<States> {
  if (keys.length === 0) return new Map()
  const store = new TurnRunStore(graph)
  const rows = await store.readTurnRuns(keys)
  const lastFailures = await store.lastFailures(rows.map(({ run }) => run))
  return new Map(
    rows.map(({ run, currentTurn }) => [
      recordKey(run.project, run.turnRunId),
      {
        type: 'run',
        project: run.project,
        version: 0,
        changedAt: '',
        ...turnRunStatusOf(run, currentTurn, lastFailures),
      },
    ]),
  )
}

async function readImports(graph: Graph, keys: readonly string[]): Promise<States> {
  if (keys.length === 0) return new Map()
  const rows = await readRows(graph, importsStatement, { keys: [...keys] }, importRow)
  return new Map(
    rows.map(({ key, ...state }) => [key, { type: 'import', version: 0, changedAt: '', ...state }]),
  )
}
