/** Folds the records of a task in the order of their captures: its criteria and worlds are then as they were. Pure. */
import type { Listing } from '../memory/specification/specification.ts'
import {
  applyTurn,
  applyVersion,
  emptyRegistry,
  emptyState,
  foldWorld,
  type TurnEntry,
} from './apply-turn.ts'
import type { Registry, WorldState } from './world-state.ts'

/** A record with the place and time of its capture. `revision`: above 1, it replaced another record. */
export type Captured = TurnEntry & { worldKey: string; createdAt: string; revision: number }

export type DeclaredVersion = { declaredAt: string; listings: readonly Listing[] }

/** A task with its worlds. The entries of a world are the records that count, ascending. */
export type TaskState<C> = {
  registry: Registry
  worlds: ReadonlyMap<string, { state: WorldState; entries: readonly C[] }>
}

export const emptyTask = <C>(taskKey: string): TaskState<C> => ({
  registry: emptyRegistry(taskKey),
  worlds: new Map(),
})

/** Applies the next captured record. */
export function applyCapture<C extends Captured>({ registry, worlds }: TaskState<C>, entry: C): TaskState<C> {
  const { worldKey } = entry
  // A new world knows all versions that are older than it.
  const versions = Array.from({ length: registry.specification?.version ?? 0 }, () => 0)
  const { state, entries } = worlds.get(worldKey) ?? { state: emptyState(worldKey, versions), entries: [] }
  const applied = applyTurn(registry, state, entry)
  const next =
    applied === null
      ? foldWorld<C>(registry, state, [...entries, entry])
      : { ...applied, entries: [...entries, { ...entry, meanings: applied.changes.meanings }] }
  return {
    registry: next.registry,
    worlds: new Map([...worlds, [worldKey, { state: next.state, entries: next.entries }]]),
  }
}

/** Applies the version that is declared next. */
export function applyDeclaration<C>(
  { registry, worlds }: TaskState<C>,
  version: DeclaredVersion,
): TaskState<C> {
  return {
    registry: applyVersion(registry, version).registry,
    worlds: new Map(
      [...worlds].map(([key, { state, entries }]) => [
        key,
        { entries, state: { ...state, specifiedAfter: [...state.specifiedAfter, state.turn] } },
      ]),
    ),
  }
}

/** @param captures of all sessions of the task, in any order */
export function foldTask<C extends Captured>(
  taskKey: string,
  captures: readonly C[],
  versions: readonly DeclaredVersion[],
): TaskState<C> {
  type Step = { at: string; rank: number; apply: (task: TaskState<C>) => TaskState<C> }
  const steps = [
    ...captures.map(
      (entry): Step => ({
        at: entry.createdAt,
        rank: entry.revision,
        apply: (task) => applyCapture(task, entry),
      }),
    ),
    ...versions.map(
      (version): Step => ({
        at: version.declaredAt,
        rank: Number.POSITIVE_INFINITY,
        apply: (task) => applyDeclaration(task, version),
      }),
    ),
  ]
  // Within one millisecond: first records, then their replacements, then versions.
  steps.sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || Math.sign(a.rank - b.rank) || 0)
  return steps.reduce((task, { apply }) => apply(task), emptyTask<C>(taskKey))
}

/**
 * Returns the time of the first capture of a turn (contract: truth.md, "A context shown later is labeled"). Without a capture of
 * that turn, returns the first capture of a later turn, and infinity without any.
 *
 * @param captures of one session
 */
export function findCaptureInstant(
  captures: readonly { number: number; createdAt: string }[],
  turn: number,
): number {
  const own = captures.filter(({ number }) => number === turn)
  const chosen = own.length > 0 ? own : captures.filter(({ number }) => number > turn)
  return chosen
    .map(({ createdAt }) => Date.parse(createdAt))
    .reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
}
