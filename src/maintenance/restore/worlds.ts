/**
 * Restores worlds: the first line, the records in the world, and the line `standing` at the end. Until then the world counts as
 * deleted, so that no reader sees half of it. Restoring the same file again continues an interrupted restore.
 */
import * as z from 'zod'
import { worldOfTurn } from '../../core/keys.ts'
import { decodeRow } from '../../graph/decode.ts'
import { toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { listProgressEdges, toStateProperties } from '../../memory/criteria/rewrite-state.ts'
import { type Ledger, readLedgersOfWorlds } from '../../memory/criteria/snapshot.ts'
import { advanceState } from '../../rules/advance-state.ts'
import { finalKeys } from '../../rules/progress.ts'
import { NO_TURNS } from '../../rules/world-state.ts'
import type { RecordOf } from '../export/records.ts'
import { findKey } from '../export/stored-form.ts'
import { readWorlds } from '../export/world.ts'
import { differing, missing, unfit } from './conflicts.ts'
import {
  compared,
  createNodes,
  distinctKeys,
  type Given,
  isMade,
  markMade,
  type Restored,
  readExisting,
  refuseMissing,
  split,
  type Work,
  writeRows,
} from './write.ts'

const worlds = statement('restore/worlds')
const lock = statement('restore/lock-worlds')
const standings = statement('restore/standings')

export async function writeWorlds(work: Work, given: readonly Given<'world'>[]): Promise<Restored> {
  const existing = (await readWorlds(work.graph, distinctKeys(given))).map(({ beginning }) => beginning)
  for (const { record } of given) work.tasks.add(record.taskKey)
  const { fresh, conflicts } = compared(given, existing, differingBeginning)
  markMade(work, 'World', distinctKeys(fresh))
  await refuseMissing(work, fresh, ({ taskKey }) => [{ label: 'Task', key: taskKey }])
  const rows = fresh.map(({ record }) => ({ key: record.key, ...split('World', record) }))
  await writeRows(work, worlds, rows)
  return { created: fresh.length, conflicts }
}

/** Lists the fields that differ. A `specifiedAfter` may begin with the other one, because a restore may have added versions. */
function differingBeginning(given: RecordOf<'world'>, known: RecordOf<'world'>): string[] {
  const length = Math.min(given.specifiedAfter?.length ?? 0, known.specifiedAfter?.length ?? 0)
  const cut = (record: RecordOf<'world'>) => ({
    ...record,
    specifiedAfter: record.specifiedAfter?.slice(0, length) ?? [],
  })
  return differing(cut(given), cut(known))
}

const lockedRow = z.object({
  key: z.string(),
  taskKey: z.string(),
  restoring: z.boolean(),
  newestTurn: z.number().nullable(),
})

/** Locked world. It accepts records only while it is being restored. */
type Locked = Pick<z.output<typeof lockedRow>, 'restoring' | 'newestTurn'>

/** Locks worlds. Leaves out worlds that do not exist. */
export async function lockWorlds(work: Work, keys: readonly string[]): Promise<Map<string, Locked>> {
  const isMadeHere = (key: string) => isMade(work, { label: 'World', key })
  const distinct = [...new Set(keys)]
  const made: Locked = { restoring: true, newestTurn: null }
  const locked = new Map(distinct.filter(isMadeHere).map((key) => [key, made]))
  const others = distinct.filter((key) => !isMadeHere(key)).sort()
  if (others.length === 0) return locked
  for (const row of await work.run(toStep(lock, { keys: others, token: work.token }))) {
    const { key, taskKey, ...world } = decodeRow(lock, lockedRow, row)
    work.tasks.add(taskKey)
    locked.set(key, world)
  }
  return locked
}

/** Rejects a turn whose `previous` is not the turn before it. Otherwise NEXT would skip a turn, or lead to two turns. */
function refuseWrongPrevious(turns: readonly Given<'turn'>[], worlds: ReadonlyMap<string, Locked>): void {
  const newest = new Map([...worlds].map(([key, { newestTurn }]) => [key, newestTurn]))
  for (const { index, record } of turns.toSorted((a, b) => a.record.turn.number - b.record.turn.number)) {
    const { world, previous, turn } = record
    const before = newest.get(world) ?? null
    if (previous !== before || turn.number <= (before ?? 0))
      throw unfit(index, [
        {
          path: 'previous',
          message: `is ${previous}; turn ${turn.number} comes after ${before ?? 'no turn'}`,
        },
      ])
    newest.set(world, turn.number)
  }
}

const worldOf = (record: RecordOf<'turn' | 'superseded_turn' | 'attempt' | 'turn_run'>): string =>
  'world' in record ? record.world : worldOfTurn(record.turn.key)

/** Writes records into worlds that are being restored. A complete world lacks no record, so nothing is added to it. */
export const writeIntoWorlds =
  <K extends 'turn' | 'superseded_turn' | 'attempt' | 'turn_run'>(kind: K) =>
  async (work: Work, given: readonly Given<K>[]): Promise<Restored> => {
    const { fresh, conflicts } = compared(given, await readExisting(work, kind, given))
    const worlds = await lockWorlds(
      work,
      fresh.map(({ record }) => worldOf(record)),
    )
    const open: Given<K>[] = []
    for (const one of fresh) {
      const { index, record } = one
      const world = worlds.get(worldOf(record))
      if (world === undefined) throw missing(index, record, `world ${worldOf(record)}`)
      if (world.restoring) open.push(one)
      else conflicts.push({ index, kind, key: findKey(record), fields: [] })
    }
    await createNodes(work, kind, open)
    if (kind === 'turn') refuseWrongPrevious(open as Given<'turn'>[], worlds)
    for (const { record } of open) {
      const world = worldOf(record)
      const { turn, attempt } = work.written.get(world) ?? { turn: 0, attempt: 0 }
      const more = { turn: turn + Number(kind === 'turn'), attempt: attempt + Number(kind === 'attempt') }
      work.written.set(world, more)
    }
    return { created: open.length, conflicts }
  }

export async function writeStandings(work: Work, given: readonly Given<'standing'>[]): Promise<Restored> {
  const keys = distinctKeys(given)
  const locked = await lockWorlds(work, keys)
  const lost = given.find(({ record }) => !locked.has(record.world))
  if (lost !== undefined) throw missing(lost.index, lost.record, `world ${lost.record.world}`)
  const whole = keys.filter((key) => locked.get(key)?.restoring === false)
  const existing = (await readWorlds(work.graph, whole)).map(({ standing }) => standing)
  const { fresh, conflicts } = compared(given, existing)
  await refuseHalf(work, fresh)
  const ledgers = await readLedgersOfWorlds(work.graph, distinctKeys(fresh))
  await writeRows(
    work,
    standings,
    fresh.map((given) => ({
      world: given.record.world,
      ...toDerived(given, ledgers.get(given.record.world)),
      ...split('World', given.record),
    })),
  )
  return { created: fresh.length, conflicts }
}

/**
 * Folds the turns of a world. A file is not trusted about values that follow from them.
 *
 * @throws `invalid_request` if the line names another newest turn, or a merge leads to a criterion that the task does not have:
 * such a world, and each list with it, could not be read
 */
function toDerived({ index, record }: Given<'standing'>, ledger: Ledger | undefined) {
  const { taskKey = '', turns = [], criteria = [] } = ledger ?? {}
  const state = advanceState(NO_TURNS, turns, finalKeys(criteria))
  if (state.turn !== record.currentTurn)
    throw missing(index, record, `turn ${record.currentTurn} as the newest, not ${state.turn}`)
  const keys = new Set(criteria.map(({ key }) => key))
  const lost = [...state.progress.keys()].find((key) => !keys.has(key))
  if (lost !== undefined) throw missing(index, record, `criterion ${lost}`)
  return {
    derived: { ledgerRev: 1, ...toStateProperties(taskKey, state) },
    progress: listProgressEdges(state),
  }
}

async function refuseHalf(work: Work, fresh: readonly Given<'standing'>[]): Promise<void> {
  const others = distinctKeys(fresh).filter((key) => !isMade(work, { label: 'World', key }))
  const found = new Map(work.written)
  for (const { standing, turns, attempts } of await readWorlds(work.graph, others))
    found.set(standing.world, { turn: turns, attempt: attempts })
  for (const { index, record } of fresh) {
    const { turn, attempt } = found.get(record.world) ?? { turn: 0, attempt: 0 }
    if (turn !== record.turnCount) throw missing(index, record, `${record.turnCount} turns, not ${turn}`)
    const { attemptCount = 0 } = record
    if (attempt !== attemptCount) throw missing(index, record, `${attemptCount} attempts, not ${attempt}`)
  }
}
