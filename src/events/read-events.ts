/** Reads the current states of changed records as events. */
import { toInstant } from '../core/instants.ts'
import { recordKey, worldKey } from '../core/keys.ts'
import { nodeReader } from '../graph/node-reader.ts'
import type { Graph } from '../graph/port.ts'
import { listWorldsByKeys, type WorldProgress } from '../memory/worlds/world-progress.ts'
import { TurnRunStore } from '../runs/turn-run-store.ts'
import { viewTurnRunStatus } from '../runs/views.ts'
import { type ChangeEvent, sessionEvent } from './change-event.ts'
import { type Change, listKeys, readVersions } from './read-changes.ts'

const readFiles = nodeReader('TranscriptFile', ['project', 'sessionId', 'offset', 'isWhole'])

export type Found = { change: Change; event: ChangeEvent }

/** Maximum number of rereads. A record that keeps changing is reported in its last read state. */
const MAX_REREADS = 3

/**
 * Reads the current states; leaves out deleted records. Reads the version before and after the state, and both again if the
 * version changed. Otherwise two replicas could report one state under two versions, and a reader of both could get an older
 * state after a newer one.
 */
export async function readSettledEvents(graph: Graph, changes: readonly Change[]): Promise<Found[]> {
  const settled: Found[] = []
  let pending = changes
  for (let reads = 0; pending.length > 0; reads++) {
    const found = await readStates(graph, pending)
    const versions = await readVersions(
      graph,
      found.map(({ change }) => change),
    )
    const newestVersion = ({ type, key, version }: Change) => versions[type].get(key) ?? version
    const hasMoved = ({ change }: Found) => reads < MAX_REREADS && newestVersion(change) > change.version
    settled.push(...found.filter((each) => !hasMoved(each)))
    pending = found.filter(hasMoved).map(({ change }) => ({ ...change, version: newestVersion(change) }))
  }
  return settled
}

async function readStates(graph: Graph, changes: readonly Change[]): Promise<Found[]> {
  const [session, run, imported] = await Promise.all([
    readSessions(graph, listKeys(changes, 'session')),
    readRuns(graph, listKeys(changes, 'run')),
    readImports(graph, listKeys(changes, 'import')),
  ])
  const states = { session, run, import: imported }
  return changes.flatMap((change) => {
    const state = states[change.type].get(change.key)
    if (state === undefined) return []
    const { version } = change
    // Records that did not change since events were introduced have no version.
    const changedAt = version === 0 ? state.changedAt : toInstant(new Date(version))
    return [{ change, event: { ...state, version, changedAt } }]
  })
}

/** Event without its version; `changedAt` is the best known time without one. */
type State = ChangeEvent extends infer E ? (E extends ChangeEvent ? Omit<E, 'version'> : never) : never
type States = Map<string, State>

async function readSessions(graph: Graph, keys: readonly string[]): Promise<States> {
  if (keys.length === 0) return new Map()
  const worlds = await listWorldsByKeys(graph, keys)
  return new Map(worlds.map((each) => [worldKey(each.project, each.worldSlug), toSessionState(each)]))
}

const sessionState = sessionEvent.omit({ version: true })

const toSessionState = (world: WorldProgress): State =>
  sessionState.parse({
    ...world,
    type: 'session',
    changedAt: world.lastActivity,
    decision: world.lastDecision,
    total: world.criteria,
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
        changedAt: run.endedAt ?? run.startedAt,
        ...viewTurnRunStatus(run, currentTurn, lastFailures),
      },
    ]),
  )
}

async function readImports(graph: Graph, keys: readonly string[]): Promise<States> {
  if (keys.length === 0) return new Map()
  const files = await readFiles(graph, keys)
  const changedAt = toInstant(new Date(0)) // the file has no time
  return new Map(
    files.map(({ key, project, sessionId, offset: bytes, isWhole }) => [
      key,
      { type: 'import', changedAt, project, sessionId, bytes, isWhole },
    ]),
  )
}
