/** Checks the watched folders after each change, and additionally every few seconds. */

import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ArtifactWatch, type FolderImport } from '../artifacts/artifact-watch.ts'
import { findPrivatePlace } from '../artifacts/folders.ts'
import type { TurngraphClient } from '../client/client.ts'
import { clientStore } from '../client/transcript-store.ts'
import { asTurngraphError } from '../core/errors.ts'
import { EXIT } from '../core/exit-codes.ts'
import { countCriteria } from '../rules/notes.ts'
import { TranscriptWatch } from '../transcripts/transcript-watch.ts'
import { type ContextName, writeContextFile } from './context-file.ts'
import type { WatchEvent } from './watch-lines.ts'
import { ChangeNotifications } from './watch-notifications.ts'

type WatchedFolders = {
  paths: readonly string[]
  transcripts: readonly string[]
  nameContext: ((name: ContextName) => string) | null
  specifications: boolean
  project: string | null
  transcriptProject: string
}

type Watching = {
  use: <T>(work: (client: TurngraphClient) => Promise<T>) => Promise<T>
  print: (event: WatchEvent) => void
  signal: AbortSignal
}

/** Interval of scans without a notification. */
const LOOK_AGAIN_MS = 3_000
const MAX_PAUSE_MS = 5_000

/** Imports finished and new turns below the paths until the signal. A check may fail: each starts from the stored state. */
export async function watchFolders(folders: WatchedFolders, watching: Watching): Promise<void> {
  const { print, signal } = watching
  const notifications = new ChangeNotifications(({ message }) => print({ type: 'unnotified', message }))
  const look = createScanner(folders, watching)
  const paths = [...folders.paths, ...folders.transcripts]
  print({ type: 'watching', paths, missing: paths.filter((each) => !existsSync(each)) })
  try {
    for (let scanAt = 0; !signal.aborted; ) {
      await notifications.follow(folders.paths)
      const began = performance.now()
      const changed = notifications.take()
      const isScan = began >= scanAt
      const { isWaiting, scanMs } = await look(isScan ? null : changed)
      // Scans take at most a twentieth of the time. Between scans, checks only the folders of notifications.
      if (isScan) scanAt = performance.now() + clamp(20 * scanMs, LOOK_AGAIN_MS, MAX_PAUSE_MS)
      await sleep(100, undefined, { signal }).catch(() => {})
      if (!isWaiting) await notifications.next(scanAt - performance.now(), signal)
    }
  } finally {
    await notifications.close()
  }
}

const clamp = (ms: number, least: number, most: number): number => Math.min(Math.max(ms, least), most)

type ScanResult = { isWaiting: boolean; scanMs: number }

type Scan = (changed: ReadonlySet<string> | null) => Promise<ScanResult>

function createScanner(folders: WatchedFolders, { use, print, signal }: Watching): Scan {
  const { paths, transcripts, project, specifications } = folders
  const artifacts = new ArtifactWatch(paths, { project, specifications })
  const sessions = new TranscriptWatch(transcripts, folders.transcriptProject)
  let isAway = false
  const lookWith = async (
    client: TurngraphClient,
    changed: ReadonlySet<string> | null,
    print: Watching['print'],
  ): Promise<ScanResult> => {
    if (isAway) await client.listProjects({ limit: 1 }) // a check without new turns makes no other call
    const looked = await artifacts.look(client, {
      changed,
      signal,
      onSkipped: (skipped) => printSkipped(skipped, print),
      onImport: async (imported) => {
        await printImport(client, imported, folders, print)
        await writeContexts(client, imported, folders, print)
      },
    })
    const isScan = changed === null // transcripts send no notifications
    const read = signal.aborted || !isScan ? null : await sessions.look(clientStore(client))
    if (read !== null) {
      const { files, turns, steps, bytes } = read
      print({ type: 'transcripts', files, turns, steps, bytes })
      printSkipped(read.skipped, print)
    }
    return looked
  }
  return async (changed) => {
    // A graph that has just recovered may be too slow for an import. Reports it as available after a complete check.
    const held: WatchEvent[] = []
    const hold = (event: WatchEvent) => void held.push(event)
    try {
      const looked = await use((client) => lookWith(client, changed, isAway ? hold : print))
      if (isAway) print({ type: 'back' })
      isAway = false
      return looked
    } catch (error) {
      const { code, message, exitCode } = asTurngraphError(error)
      if (exitCode === EXIT.defect.code) {
        // No file content may end a watch: the next scan starts again.
        printSkipped([{ file: paths.join(', '), reason: `cannot be imported: ${error}` }], print)
        return { isWaiting: false, scanMs: 0 }
      }
      if (exitCode !== EXIT.away.code && exitCode !== EXIT.rateLimited.code) throw error
      if (!isAway) print({ type: 'away', code, message })
      isAway = true
      return { isWaiting: false, scanMs: 0 }
    } finally {
      for (const event of held) print(event)
    }
  }
}

function printSkipped(skipped: readonly { file: string; reason: string }[], print: Watching['print']): void {
  for (const { file, reason } of skipped) print({ type: 'skipped', file, reason })
}

async function printImport(
  client: TurngraphClient,
  { turns, report }: FolderImport,
  { project }: WatchedFolders,
  print: Watching['print'],
): Promise<void> {
  for (const turn of turns) {
    const { featureId, taskId, worldSlug, turnNumber, coachDecision: decision, superseded } = turn
    const input = { project, worldSlug, turn: turnNumber, role: 'player' as const }
    const { criteria } = await client.listCriteria(input)
    const counts = countCriteria(criteria)
    const scope = { project: turn.project, featureId, taskId, worldSlug }
    print({ type: 'turn', ...scope, turnNumber, decision, ...counts, superseded })
  }
  printSkipped(report.skipped, print)
  for (const { task, turn, field, message } of report.warnings)
    print({ type: 'warning', taskId: task, turnNumber: turn, field, message })
}

/** Writes the contexts of the next turn, the Coach's context only into a folder that no Player reads. */
async function writeContexts(
  client: TurngraphClient,
  { folder, reading }: FolderImport,
  { project, nameContext }: WatchedFolders,
  print: Watching['print'],
): Promise<void> {
  if (nameContext === null) return
  const newest = reading.tasks
    .flatMap(({ runs }) => runs.at(-1)?.at(-1) ?? [])
    .sort((a, b) => a.turn_number - b.turn_number)
    .at(-1)
  if (newest === undefined) return
  const { feature_id: featureId, task_id: taskId, turn_number: turn } = newest
  const places: Record<'player' | 'coach', string | null> = {
    player: path.dirname(folder.turns.get(turn)?.player?.path ?? path.join(folder.folder, 'none')),
    coach: findPrivatePlace(folder),
  }
  if (places.coach === null) print({ type: 'no_private_folder' })
  for (const role of ['player', 'coach'] as const) {
    const [currentTurn, place] = [turn + 1, places[role]]
    if (place === null) continue
    const input = { project, featureId, taskId, currentTurn, role }
    const { context } = await client.loadTurnContinuationContext(input)
    const file = path.join(place, nameContext({ task: taskId, turn: currentTurn, role }))
    try {
      if (context !== null && (await writeContextFile(file, `${context}\n`))) print({ type: 'context', file })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      print({ type: 'skipped', file, reason: `cannot be written: ${message}` })
    }
  }
}
