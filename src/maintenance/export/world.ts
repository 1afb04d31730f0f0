/** Exports one world: its first line, its turns, attempts and runs, and the line `standing`. */
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { supersededKey, turnKey } from '../../core/keys.ts'
import { readRows, readWholeRow } from '../../graph/decode.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { readAtOneRevision } from '../../memory/worlds/read-at-one-revision.ts'
import { endActive } from './active.ts'
import { readNodes, readRecords } from './read.ts'
import { type ExportRecord, type RecordOf, records } from './records.ts'
import { stored } from './stored-form.ts'

const worlds = statement('export/worlds')

/** Number of exported records of a world: turns with the records that they superseded, attempts, and runs. */
export const worldPosition = z.strictObject({
  turns: z.number(),
  attempts: z.number(),
  runs: z.number(),
  /** Mark of the exported turns, which detects a change of them. */
  last: z.string(),
})
export type WorldPosition = z.output<typeof worldPosition>

/** A record with the position after it; null after the last record of the world. */
type Entry = { record: ExportRecord; at: WorldPosition | null }

const numbered = z
  .array(z.tuple([z.number(), z.string()]))
  .transform((found) => found.sort(([a], [b]) => a - b).map(([, key]) => key))

const worldRow = z.object({
  world: stored('World'),
  /** Each turn: its number, its revision, and the number of its verifications, which grows with additions. */
  turns: z.array(z.tuple([z.number(), z.number(), z.number()])),
  /** Newest record of each withdrawn turn: its number and its revision. */
  withdrawn: z.array(z.tuple([z.number(), z.number()])),
  attempts: numbered,
  runs: numbered,
})
type WorldRow = z.output<typeof worldRow>

/** Number of records that are read at once. A record may have a megabyte. */
const TURNS_AT_ONCE = 40

/**
 * Exports a world in chunks, from a position on.
 *
 * The export shows the world at its last read, however many pages it takes: it includes turns that were added between two
 * pages, and fails if the exported past of the world changed.
 *
 * @throws `busy` if an exported part of the world changed
 */
export async function* exportWorld(
  graph: Graph,
  key: string,
  from: WorldPosition | null,
): AsyncGenerator<Entry[]> {
  let at = from
  // Most worlds fit in one chunk, so a query per chunk is a query per world.
  const chunk: Entry[] = []
  look: for (;;) {
    const seen = await lookAt(graph, key, at)
    if (seen === null) return refuseForgotten(key, at)
    refuseHalfRestored(seen.row.world)
    if (at === null) {
      at = { turns: 0, attempts: 0, runs: 0, last: '' }
      chunk.push({ record: toBeginning(seen.row), at })
    }
    const turns = listTurnRecords(seen.row)
    refuseWhereChanged(seen.row, turns, at)
    while (at.turns < turns.length) {
      const some = turns.slice(at.turns, at.turns + TURNS_AT_ONCE)
      const found = await readTurns(graph, some)
      if (found === null) continue look
      if (chunk.length > TURNS_AT_ONCE) yield chunk.splice(0)
      for (const turn of some) {
        at = { ...at, turns: at.turns + 1, last: markPlace(turns.slice(0, at.turns + 1)) }
        const record = found.get(turn.key)
        if (record !== undefined) chunk.push({ record, at })
      }
    }
    for (const record of seen.attempts) {
      at = { ...at, attempts: at.attempts + 1 }
      chunk.push({ record, at })
    }
    for (const record of seen.runs) {
      at = { ...at, runs: at.runs + 1 }
      chunk.push({ record, at })
    }
    chunk.push({ record: toStanding(seen.row), at: null })
    return yield chunk
  }
}

type Seen = { row: WorldRow; attempts: RecordOf<'attempt'>[]; runs: RecordOf<'turn_run'>[] }

async function lookAt(graph: Graph, key: string, at: WorldPosition | null): Promise<Seen | null> {
  const row = await readWorld(graph, key)
  // Without attempts, counts detect half a commit; otherwise the revision of the world does.
  if (row === null || !(row.world.attemptCount || row.world.fence))
    return row && { row, attempts: [], runs: [] }
  return readAtOneRevision(graph, key, async () => {
    const now = await readWorld(graph, key)
    if (now === null) return null
    const { attemptCount = 0, fence = 0, deletedAt, ...world } = now.world
    const state = {
      ...world,
      resume: 'never' as const,
      hasGoals: false,
      fence,
      attemptCount,
      deleted: deletedAt !== undefined,
    }
    const attempts = await readNodes(graph, 'attempt', now.attempts.slice(at?.attempts))
    const runs = await readNodes(graph, 'turn_run', now.runs.slice(at?.runs))
    return { row: now, ...endActive(state, attempts, runs) }
  })
}

const readWorld = (graph: Graph, key: string): Promise<WorldRow | null> =>
  readWholeRow(graph, worlds, { keys: [key] }, worldRow, isWhole)

const isWhole = ({ world, turns }: WorldRow): boolean =>
  world.restoring === true || world.turnCount === turns.length

/** Throws if a world was lost in the middle of its export. A world without exported records may disappear. */
function refuseForgotten(key: string, at: WorldPosition | null): void {
  if (at === null) return
  throw new TurngraphError('busy', `A world was forgotten while it was exported: ${key}.`, {
    hint: 'Export again.',
  })
}

function refuseHalfRestored({ slug, project, restoring }: Stored<'World'>): void {
  if (restoring !== true) return
  throw halfRestored(`World ${slug} of project ${project}`, { world_slug: slug, project })
}

export const halfRestored = (what: string, details: object): TurngraphError =>
  new TurngraphError('restore_unfinished', `${what} is half restored.`, {
    hint: 'Restore its file again first: it goes on where it was cut off.',
    details,
  })

function refuseWhereChanged({ world }: WorldRow, turns: readonly TurnSeen[], at: WorldPosition): void {
  if (markPlace(turns.slice(0, at.turns)) === at.last) return
  throw new TurngraphError('busy', `World ${world.slug} was changed in its past while it was exported.`, {
    hint: 'Export again, best while nobody mends old turns.',
    details: { world_slug: world.slug, project: world.project },
  })
}

type TurnSeen = {
  kind: 'turn' | 'superseded_turn'
  key: string
  revision: number
  /** Null of a superseded record, which does not change. */
  verifications: number | null
}

/** The last of the turns with its revision, and the number of all their verifications; empty without turns. */
function markPlace(turns: readonly TurnSeen[]): string {
  const last = turns.at(-1)
  const verifications = turns.reduce((sum, turn) => sum + (turn.verifications ?? 0), 0)
  return last === undefined ? '' : `${last.key}@${last.revision}/${verifications}`
}

const listTurnRecords = ({ world, turns, withdrawn }: WorldRow): TurnSeen[] =>
  [...turns, ...withdrawn.map(([number, revision]) => [number, revision, null] as const)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([number, newest, verifications]) =>
      Array.from({ length: newest }, (_, i): TurnSeen => {
        const [key, revision] = [turnKey(world.key, number), newest - i]
        return i === 0 && verifications !== null
          ? { kind: 'turn', key, revision, verifications }
          : { kind: 'superseded_turn', key: supersededKey(key, revision), revision, verifications: null }
      }),
    )

/** Reads turns; null if a turn changed since the world was read, and the caller must read the world again. */
async function readTurns(graph: Graph, some: readonly TurnSeen[]): Promise<Map<string, ExportRecord> | null> {
  const keysOfKind = (kind: TurnSeen['kind']) =>
    some.flatMap((turn) => (turn.kind === kind ? [turn.key] : []))
  const found = [
    ...(await readRecords(graph, 'turn', keysOfKind('turn'))),
    ...(await readRecords(graph, 'superseded_turn', keysOfKind('superseded_turn'))),
  ]
  const byKey = new Map(found.map((record) => [record.turn.key, record]))
  const isAsSeen = ({ kind, key, revision, verifications }: TurnSeen) =>
    kind === 'superseded_turn' ||
    (byKey.get(key)?.turn.revision === revision && byKey.get(key)?.verifications.length === verifications)
  return some.every(isAsSeen) ? byKey : null
}

const toBeginning = ({ world }: WorldRow): RecordOf<'world'> => ({
  kind: 'world',
  ...records.world.omit({ kind: true }).strip().parse(world),
})

const toStanding = ({ world }: WorldRow): RecordOf<'standing'> => ({
  kind: 'standing',
  world: world.key,
  ...records.standing.omit({ kind: true, world: true }).strip().parse(world),
})

type WorldRecords = {
  beginning: RecordOf<'world'>
  standing: RecordOf<'standing'>
  /** Number of turns and attempts. */
  turns: number
  attempts: number
}

/** Reads the first line and the line `standing` of worlds, which a restore compares. */
export async function readWorlds(graph: Graph, keys: readonly string[]): Promise<WorldRecords[]> {
  if (keys.length === 0) return []
  const rows = await readRows(graph, worlds, { keys: [...keys] }, worldRow)
  return rows.map((row) => ({
    beginning: toBeginning(row),
    standing: toStanding(row),
    turns: row.turns.length,
    attempts: row.attempts.length,
  }))
}
