/** Folds the records of a task in the order of their captures: its criteria and worlds are then as they were. Pure. */
import { groupBy } from '../core/group-by.ts'
import type { Listing } from '../memory/specification/specification.ts'
import {
  type AdditionEntry,
  applyTurn,
  applyVersion,
  emptyRegistry,
  emptyState,
  foldWorld,
  type TurnEntry,
  type WithdrawalEntry,
} from './apply-turn.ts'
import type { Registry, WorldState } from './world-state.ts'

/** Captured record. `revision`: above 1 if it replaced or followed another one. `withdrawnAt`: time of the rollback, or null. */
export type Captured = TurnEntry & {
  worldKey: string
  createdAt: string
  revision: number
  withdrawnAt: string | null
}

/** A verification that was added to a turn, with the time of its arrival. */
export type CapturedAddition = AdditionEntry & { worldKey: string; addedAt: string }

export type DeclaredVersion = { declaredAt: string; listings: readonly Listing[] }

/** A task with its worlds. The entries of a world are the records that count, ascending, each with what was added to it. */
export type TaskState<C> = { registry: Registry; worlds: ReadonlyMap<string, World<C>> }

type World<C> = { state: WorldState; entries: readonly (C | CapturedAddition)[] }

export const emptyTask = <C>(taskKey: string): TaskState<C> => ({
  registry: emptyRegistry(taskKey),
  worlds: new Map(),
})

export function applyCapture<C extends Captured>({ registry, worlds }: TaskState<C>, entry: C): TaskState<C> {
  const { worldKey } = entry
  // A new world knows all versions that are older than it.
  const versions = Array.from({ length: registry.specification?.version ?? 0 }, () => 0)
  const { state, entries } = worlds.get(worldKey) ?? { state: emptyState(worldKey, versions), entries: [] }
  const applied = applyTurn(registry, state, entry)
  const next =
    applied === null
      ? foldWorld<C | CapturedAddition>(registry, state, [...entries, entry])
      : { ...applied, entries: [...entries, { ...entry, meanings: applied.changes.meanings }] }
  return withWorld(worlds, worldKey, next)
}

const withWorld = <C>(
  worlds: TaskState<C>['worlds'],
  worldKey: string,
  { registry, state, entries }: World<C> & Pick<TaskState<C>, 'registry'>,
): TaskState<C> => ({ registry, worlds: new Map([...worlds, [worldKey, { state, entries }]]) })

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

/** Adds entries to a world. Folds the world once for all of them: CI may add hundreds of verifications. */
function addEntries<C extends Captured>(
  { registry, worlds }: TaskState<C>,
  worldKey: string,
  added: readonly (CapturedAddition | WithdrawalEntry)[],
): TaskState<C> {
  const { state, entries } = worlds.get(worldKey) ?? { state: emptyState(worldKey), entries: [] }
  const next = foldWorld<C | CapturedAddition>(registry, state, [...entries, ...added])
  return withWorld(worlds, worldKey, next)
}

type Withdrawal = { worldKey: string; at: string; above: number; revision: number }

function listWithdrawals(captures: readonly Captured[]): Withdrawal[] {
  const withdrawals = new Map<string, Withdrawal>()
  for (const { worldKey, withdrawnAt: at, revision, record } of captures) {
    if (at === null) continue
    const key = JSON.stringify([worldKey, at])
    const found = withdrawals.get(key)
    withdrawals.set(key, {
      worldKey,
      at,
      above: Math.min(found?.above ?? Number.POSITIVE_INFINITY, record.turnNumber - 1),
      revision: Math.max(found?.revision ?? 0, revision),
    })
  }
  return [...withdrawals.values()]
}

/** Gives a record that another one replaced the rollback that withdrew the other one. */
export function markWithdrawn<C extends Captured>(captures: readonly C[]): C[] {
  const ofTurn = groupBy(captures, ({ worldKey, record }) => `${worldKey}/${record.turnNumber}`)
  return [...ofTurn.values()].flatMap((records) => {
    const newestFirst = records.toSorted((a, b) => b.revision - a.revision)
    let withdrawnAt: string | null = null
    return newestFirst.map((capture) => {
      withdrawnAt = capture.withdrawnAt ?? withdrawnAt
      return { ...capture, withdrawnAt }
    })
  })
}

/** @param captures of all sessions of the task, in any order */
export function foldTask<C extends Captured>(
  taskKey: string,
  captures: readonly C[],
  versions: readonly DeclaredVersion[],
  additions: readonly CapturedAddition[] = [],
): TaskState<C> {
  type Step = {
    at: string
    rank: number
    apply: (task: TaskState<C>) => TaskState<C>
    /** Additions to one turn that `apply` adds. */
    additions?: CapturedAddition[]
  }
  const steps = [
    ...captures.map(
      (entry): Step => ({
        at: entry.createdAt,
        rank: entry.revision,
        apply: (task) => applyCapture(task, entry),
      }),
    ),
    ...listWithdrawals(captures).map(
      ({ worldKey, at, above, revision }): Step => ({
        at,
        rank: revision + 0.5,
        apply: (task) => addEntries(task, worldKey, [{ kind: 'withdrawal', above }]),
      }),
    ),
    ...additions.map((addition): Step => {
      const some = [addition]
      const { worldKey } = addition
      return {
        at: addition.addedAt,
        rank: Number.MAX_SAFE_INTEGER,
        apply: (task) => (task.worlds.has(worldKey) ? addEntries(task, worldKey, some) : task),
        additions: some,
      }
    }),
    ...versions.map(
      (version): Step => ({
        at: version.declaredAt,
        rank: Number.POSITIVE_INFINITY,
        apply: (task) => applyDeclaration(task, version),
      }),
    ),
  ]
  // Within one millisecond: first records, then their replacements and withdrawals, additions, then versions.
  steps.sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || Math.sign(a.rank - b.rank) || 0)
  const joined: Step[] = []
  for (const step of steps) {
    const [last] = joined.at(-1)?.additions ?? []
    const [addition] = step.additions ?? []
    const isOfLast = addition?.turn === last?.turn && addition?.worldKey === last?.worldKey
    if (addition !== undefined && isOfLast) joined.at(-1)?.additions?.push(addition)
    else joined.push(step)
  }
  return joined.reduce((task, { apply }) => apply(task), emptyTask<C>(taskKey))
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
