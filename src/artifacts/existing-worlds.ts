/** Reads the stored worlds of a task, and declares the operations that an import needs. */
import { hasCode } from '../core/errors.ts'
import { everyItem } from '../core/pages.ts'
import type { CaptureRequest, TurnState } from '../memory/record/record.ts'
import { compareRecords, keepFieldsOfResults, onlyAdds } from './record-diff.ts'
import type { EarlierReading } from './turn-record.ts'

type Page<T> = { items: T[]; nextCursor: string | null }
type PageOf = { project: string | null; limit: number; cursor: string | null }

/** The operations that an import needs. Declared here, because clients are in a layer above. */
export type ImportTarget = {
  listWorlds(
    input: PageOf & { featureId: string; taskId: string; withoutTokens: boolean },
  ): Promise<Page<{ worldSlug: string }>>
  listTurns(input: PageOf & { worldSlug: string }): Promise<Page<TurnState>>
  createWorld(
    input: { project: string | null; featureId: string; taskId: string },
    options?: { idempotencyKey: string },
  ): Promise<{ worldSlug: string; deletedAt: string | null }>
  declareCriteria(input: {
    project: string | null
    featureId: string
    taskId: string
    criteria: { criterionId?: string; text: string }[]
    source: { path: string }
  }): Promise<{ created: boolean }>
  captureTurnState(
    input: CaptureRequest,
  ): Promise<TurnState & { created: boolean; superseded: boolean; redactions?: number }>
}

export type ExistingWorld = { worldSlug: string; turns: ReadonlyMap<number, TurnState> }

const PAGE = 100

export async function readExistingWorlds(
  client: ImportTarget,
  scope: { project: string | null; featureId: string; taskId: string },
): Promise<ExistingWorld[]> {
  const worlds: ExistingWorld[] = []
  for await (const { worldSlug } of everyItem((cursor) => worldsOfTask(client, scope, cursor))) {
    const turns = new Map<number, TurnState>()
    const { project } = scope
    const pages = everyItem((cursor) => client.listTurns({ project, worldSlug, limit: PAGE, cursor }))
    for await (const turn of pages) turns.set(turn.turnNumber, turn)
    worlds.push({ worldSlug, turns })
  }
  return worlds
}

/** Lists the worlds of a task. Before the first import of the task there are none. */
async function worldsOfTask(
  client: ImportTarget,
  scope: { project: string | null; featureId: string; taskId: string },
  cursor: string | null,
): ReturnType<ImportTarget['listWorlds']> {
  try {
    return await client.listWorlds({ ...scope, limit: PAGE, cursor, withoutTokens: true })
  } catch (error) {
    if (hasCode(error, 'not_found')) return { items: [], nextCursor: null }
    throw error
  }
}

/**
 * Returns the world that contains the most turns of the run (same number and time). Returns null if the run is new, even if it
 * overwrote the folder of an older run. A time from other files of the turn, read before its turn state existed, counts too. A
 * turn without a time is identified by its number, unless another turn of the run differs from the world.
 */
export function findWorldOfRun(
  run: readonly CaptureRequest[],
  worlds: readonly ExistingWorld[],
  earlierReadings: ReadonlyMap<number, EarlierReading> = new Map(),
): ExistingWorld | null {
  const isHeld = (world: ExistingWorld, turn: CaptureRequest) =>
    holds(world, turn, earlierReadings.get(turn.turnNumber)?.completedAt ?? [])
  const shared = worlds.map((world) => run.filter((turn) => isHeld(world, turn)).length)
  const most = Math.max(0, ...shared)
  if (most > 0) return worlds[shared.indexOf(most)] ?? null
  return worlds.find((world) => mayHold(world, run)) ?? null
}

const holds = (
  { turns }: ExistingWorld,
  { turnNumber, completedAt }: CaptureRequest,
  earlierTimes: readonly string[],
): boolean => {
  const stored = turns.get(turnNumber)?.completedAt
  return stored != null && (stored === completedAt || earlierTimes.includes(stored))
}

function mayHold({ turns }: ExistingWorld, run: readonly CaptureRequest[]): boolean {
  const pairs = run.flatMap((read) => {
    const stored = turns.get(read.turnNumber)
    return stored === undefined ? [] : [{ stored, read }]
  })
  return (
    pairs.some(({ stored }) => stored.completedAt === null) &&
    pairs.every(
      ({ stored, read }) =>
        stored.completedAt === (read.completedAt ?? null) ||
        (stored.completedAt === null && onlyAdds(compareRecords(stored, keepFieldsOfResults(read, stored)))),
    )
  )
}
