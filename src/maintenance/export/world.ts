import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { supersededKey, turnKey } from '../../core/keys.ts'
import { readRows, readWholeRow } from '../../graph/decode.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { progressIsWhole, progressRow } from '../../memory/criteria/rows.ts'
import { readAtOneRevision } from '../../memory/worlds/read-at-one-revision.ts'
import { compareKeys } from './order.ts'
import { readSuperseded, readTurns, stored } from './read.ts'
import type { ExportRecord, RecordOf } from './records.ts'
import { attemptsNumbered, ended, runsAfter } from './runs.ts'

/** The records of one world: how it began, its turns, attempts and runs, and last where it stands. */

const worldRecords = statement('export/world-records')

/** How far a world was told. */
export const worldPosition = z.strictObject({
  key: z.string(),
  /** The newest turn that was told; 0: the world's beginning alone. */
  turn: z.number(),
  /** Of that turn, the oldest superseded record that was told; 0: all that there are. */
  revision: z.number(),
  /** How many turns were told, and the sum of their revisions: whether the past still is as it was told. */
  turns: z.number(),
  revisions: z.number(),
  /** The number of the newest attempt that was told, and the fence of the newest run. */
  attempt: z.number(),
  fence: z.number(),
})
export type WorldPosition = z.output<typeof worldPosition>

type Told = { record: ExportRecord; at: WorldPosition | null }

const worldRow = z.object({
  world: stored('World'),
  turns: z.array(z.tuple([z.number(), z.number()])),
  progress: z.array(z.tuple([z.string(), z.string(), z.string(), z.number()])),
  attempts: z.number(),
})
type WorldRow = z.output<typeof worldRow>

/** So many records are read at once; one may have a megabyte. */
const TURNS_AT_ONCE = 40
const ATTEMPTS_AT_ONCE = 200

/**
 * Tells a world in chunks, from where it stood on: each record with the position after it, null after the last one.
 *
 * What is told is of the moment of its last look at the world, however many pages it takes: turns that came since the
 * page before are told too, and one that was changed in its past is refused.
 *
 * @throws `busy` where the world was changed in what was told before
 */
export async function* tellWorld(
  graph: Graph,
  key: string,
  from: WorldPosition | null,
): AsyncGenerator<Told[]> {
  let at = from
  // Most worlds are one chunk: what is asked once a chunk is asked once a world.
  let chunk: Told[] = []
  for (;;) {
    const seen = await lookAt(graph, key, at)
    if (seen === null) return refuseForgotten(at)
    refuseHalfRestored(seen.row.world)
    if (at === null) {
      at = { key, turn: 0, revision: 0, turns: 0, revisions: 0, attempt: 0, fence: 0 }
      chunk.push({ record: beginningOf(seen.row.world), at })
    }
    refuseWhereChanged(seen.row, at)
    let moved = false
    for await (const some of tellTurns(graph, seen.row, at)) {
      if (some === null) {
        moved = true
        break
      }
      at = some.at(-1)?.at ?? at
      if (chunk.length > TURNS_AT_ONCE) {
        yield chunk
        chunk = []
      }
      chunk.push(...some)
    }
    if (moved) continue
    for (const record of seen.attempts) {
      at = { ...at, attempt: record.attempt.number }
      chunk.push({ record, at })
    }
    for (const record of seen.runs) {
      at = { ...at, fence: record.run.fence ?? 0 }
      chunk.push({ record, at })
    }
    if (seen.isAll) chunk.push({ record: standingOf(seen.row), at: null })
    yield chunk
    if (seen.isAll) return
    chunk = []
  }
}

type Seen = {
  row: WorldRow
  attempts: RecordOf<'attempt'>[]
  runs: RecordOf<'turn_run'>[]
  /** Whether these are all attempts and runs that are left to tell. */
  isAll: boolean
}

async function lookAt(graph: Graph, key: string, at: WorldPosition | null): Promise<Seen | null> {
  const row = await readWorld(graph, key)
  if (row === null) return null
  // Counts tell half of a commit where no attempt is in play; else the world's revision does.
  const { attemptCount = 0, fence = 0 } = row.world
  if (attemptCount === 0 && fence === 0) return { row, attempts: [], runs: [], isAll: true }
  return readAtOneRevision(graph, key, async () => {
    const now = await readWorld(graph, key)
    return now === null ? null : withRuns(graph, now, at)
  })
}

async function withRuns(graph: Graph, row: WorldRow, at: WorldPosition | null): Promise<Seen> {
  const { key, attemptCount = 0, fence = 0, deletedAt, ...world } = row.world
  const after = at?.attempt ?? 0
  const numbers = Array.from(
    { length: Math.min(ATTEMPTS_AT_ONCE, attemptCount - after) },
    (_, i) => after + 1 + i,
  )
  const attempts = await attemptsNumbered(graph, key, numbers)
  const isLast = after + numbers.length === attemptCount
  // A run is told once all attempts are: the last one is of the moment of the run.
  const runs = isLast ? await runsAfter(graph, key, at?.fence ?? 0, ATTEMPTS_AT_ONCE) : []
  const state = { ...world, fence, attemptCount, deleted: deletedAt !== undefined }
  return { row, ...ended(state, runs, attempts), isAll: isLast && runs.length < ATTEMPTS_AT_ONCE }
}

const readWorld = (graph: Graph, key: string): Promise<WorldRow | null> =>
  readWholeRow(graph, worldRecords, { keys: [key] }, worldRow, isWhole)

const isWhole = ({ world, turns, progress }: WorldRow): boolean =>
  world.restoring === true ||
  (world.turnCount === turns.length &&
    progressIsWhole(
      world.progressSum,
      progress.map(([, kept]) => progressRow.parse(kept)),
    ))

/** One that was not told yet is not missed. */
function refuseForgotten(at: WorldPosition | null): void {
  if (at === null) return
  throw new TurngraphError('busy', `A world was forgotten while it was exported: ${at.key}.`, {
    hint: 'Export again.',
  })
}

function refuseHalfRestored({ slug, project, restoring }: Stored<'World'>): void {
  if (restoring !== true) return
  throw new TurngraphError('busy', `World ${slug} of project ${project} is half restored.`, {
    hint: 'Restore its file again first: it goes on where it was cut off.',
    details: { world_slug: slug, project },
  })
}

function refuseWhereChanged({ world, turns }: WorldRow, at: WorldPosition): void {
  const told = turns.filter(([number]) => number <= at.turn)
  const revisions = told.reduce((sum, [, revision]) => sum + revision, 0)
  if (told.length === at.turns && revisions === at.revisions) return
  throw new TurngraphError('busy', `World ${world.slug} was changed in its past while it was exported.`, {
    hint: 'Export again, best while nobody mends old turns.',
    details: { world_slug: world.slug, project: world.project },
  })
}

/** A `null` where a turn is no longer as the world said: look again. */
async function* tellTurns(
  graph: Graph,
  { world, turns }: WorldRow,
  from: WorldPosition,
): AsyncGenerator<Told[] | null> {
  let at = from
  if (at.revision > 1) {
    for await (const chunk of tellSuperseded(graph, turnKey(world.key, at.turn), at)) yield chunk
    at = { ...at, revision: 0 }
  }
  const left = turns.filter(([number]) => number > from.turn).sort(([a], [b]) => a - b)
  for (let i = 0; i < left.length; i += TURNS_AT_ONCE) {
    const some = left.slice(i, i + TURNS_AT_ONCE)
    const found = await readTurns(
      graph,
      some.map(([number]) => turnKey(world.key, number)),
    )
    let chunk: Told[] = []
    for (const [place, [number, revision]] of some.entries()) {
      const record = found[place]
      if (record?.turn.number !== number || record.turn.revision !== revision) {
        if (chunk.length > 0) yield chunk
        yield null
        return
      }
      at = {
        ...at,
        turn: number,
        revision: revision > 1 ? revision : 0,
        turns: at.turns + 1,
        revisions: at.revisions + revision,
      }
      chunk.push({ record, at })
      if (revision > 1) {
        yield chunk
        chunk = []
        for await (const older of tellSuperseded(graph, record.turn.key, at)) yield older
        at = { ...at, revision: 0 }
      }
    }
    if (chunk.length > 0) yield chunk
  }
}

async function* tellSuperseded(graph: Graph, key: string, from: WorldPosition): AsyncGenerator<Told[]> {
  for (let below = from.revision; below > 1; below -= TURNS_AT_ONCE) {
    const revisions = Array.from({ length: Math.min(TURNS_AT_ONCE, below - 1) }, (_, i) => below - 1 - i)
    const found = await readSuperseded(
      graph,
      revisions.map((revision) => supersededKey(key, revision)),
    )
    yield found.map((record) => ({
      record,
      at: { ...from, revision: record.turn.revision > 1 ? record.turn.revision : 0 },
    }))
  }
}

const beginningOf = (held: Stored<'World'>): RecordOf<'world'> => ({
  kind: 'world',
  key: held.key,
  slug: held.slug,
  project: held.project,
  featureId: held.featureId,
  taskId: held.taskId,
  taskKey: held.taskKey,
  ordinal: held.ordinal,
  executor: held.executor,
  leaseTtlMs: held.leaseTtlMs,
  createdAt: held.createdAt,
  ...(held.requestId !== undefined && { requestId: held.requestId }),
})

const standingOf = ({ world, progress }: WorldRow): RecordOf<'standing'> => ({
  kind: 'standing',
  world: world.key,
  ...(world.deletedAt !== undefined && { deletedAt: world.deletedAt }),
  currentTurn: world.currentTurn,
  turnCount: world.turnCount,
  ...(world.lastCompletedAt !== undefined && { lastCompletedAt: world.lastCompletedAt }),
  ...(world.newestDigest !== undefined && { newestDigest: world.newestDigest }),
  ...(world.promisedTurn !== undefined && { promisedTurn: world.promisedTurn }),
  outcomes: world.outcomes,
  ledgerRev: world.ledgerRev,
  progressSum: world.progressSum,
  ...(world.lastGainTurn !== undefined && { lastGainTurn: world.lastGainTurn }),
  contestedCount: world.contestedCount,
  flippedCount: world.flippedCount,
  brokenPromiseCount: world.brokenPromiseCount,
  ...(world.fence !== undefined && { fence: world.fence }),
  ...(world.attemptCount !== undefined && { attemptCount: world.attemptCount }),
  progress: progress
    .map(([criterion, kept, state, rejections]) => ({ criterion, kept, state, rejections }))
    .sort((a, b) => compareKeys(a.criterion, b.criterion)),
})

type WorldRecords = {
  beginning: RecordOf<'world'>
  standing: RecordOf<'standing'>
  /** How many there are of each. */
  turns: number
  attempts: number
}

/** Worlds as records: how each began and where it stands. A restore compares with them. */
export async function readWorlds(graph: Graph, keys: readonly string[]): Promise<WorldRecords[]> {
  const rows = await readRows(graph, worldRecords, { keys: [...keys] }, worldRow)
  return rows.map((row) => ({
    beginning: beginningOf(row.world),
    standing: standingOf(row),
    turns: row.turns.length,
    attempts: row.attempts,
  }))
}
