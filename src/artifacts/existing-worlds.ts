import { hasCode } from '../core/errors.ts'
import type { CaptureRequest, TurnState } from '../memory/record/record.ts'
import type { ImportTarget } from './import-target.ts'
import { differenceOf, onlyAdds, withWhatResultsTold } from './record-diff.ts'

/** A world of the task as the graph has it. */
export type StandingWorld = { worldSlug: string; turns: ReadonlyMap<number, TurnState> }

const PAGE = 100

export async function standingWorlds(
  client: ImportTarget,
  scope: { project: string | null; featureId: string; taskId: string },
): Promise<StandingWorld[]> {
  const worlds: StandingWorld[] = []
  for await (const { worldSlug } of everyItem((cursor) => worldsOfTask(client, scope, cursor))) {
    const turns = new Map<number, TurnState>()
    const { project } = scope
    const pages = everyItem((cursor) => client.listTurns({ project, worldSlug, limit: PAGE, cursor }))
    for await (const turn of pages) turns.set(turn.turnNumber, turn)
    worlds.push({ worldSlug, turns })
  }
  return worlds
}

/** The first import of a task finds none of it. */
async function worldsOfTask(
  client: ImportTarget,
  scope: { project: string | null; featureId: string; taskId: string },
  cursor: string | null,
): ReturnType<ImportTarget['listWorlds']> {
  try {
    return await client.listWorlds({ ...scope, limit: PAGE, cursor })
  } catch (error) {
    if (hasCode(error, 'not_found')) return { items: [], nextCursor: null }
    throw error
  }
}

async function* everyItem<T>(
  page: (cursor: string | null) => Promise<{ items: T[]; nextCursor: string | null }>,
): AsyncGenerator<T> {
  let cursor: string | null = null
  do {
    const { items, nextCursor } = await page(cursor)
    yield* items
    cursor = nextCursor
  } while (cursor !== null)
}

/**
 * The world that already holds one of the run's turns (same number and time), or null: then the run is new,
 * also where it overwrote the folder of an older one. Of several, the one that holds most of its turns.
 *
 * A turn that has no time, or had none when it was imported, is known by its number, as long as no other turn
 * of the run speaks against the world.
 */
export function worldOfRun(
  run: readonly CaptureRequest[],
  worlds: readonly StandingWorld[],
): StandingWorld | null {
  const known = worlds.map((world) => ({ world, held: run.filter((turn) => holds(world, turn)).length }))
  const most = Math.max(0, ...known.map(({ held }) => held))
  if (most > 0) return known.find(({ held }) => held === most)?.world ?? null
  return worlds.find((world) => mayHold(world, run)) ?? null
}

const holds = ({ turns }: StandingWorld, { turnNumber, completedAt }: CaptureRequest): boolean =>
  completedAt != null && turns.get(turnNumber)?.completedAt === completedAt

function mayHold({ turns }: StandingWorld, run: readonly CaptureRequest[]): boolean {
  const pairs = run.flatMap((read) => {
    const stored = turns.get(read.turnNumber)
    return stored === undefined ? [] : [{ stored, read }]
  })
  return (
    pairs.some(({ stored }) => stored.completedAt === null) &&
    pairs.every(
      ({ stored, read }) =>
        stored.completedAt === (read.completedAt ?? null) ||
        (stored.completedAt === null && onlyAdds(differenceOf(stored, withWhatResultsTold(read, stored)))),
    )
  )
}
