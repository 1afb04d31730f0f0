import * as z from 'zod'
import { decodeRow } from '../../graph/decode.ts'
import { stepOf } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { readWorlds } from '../export/world.ts'
import { missing } from './conflicts.ts'
import { split } from './properties.ts'
import type { Given, Restored, Work } from './work.ts'
import { compared, keysOf, writeRows } from './write.ts'

/**
 * Worlds: how each begins, and where it stands once all that is of it is there. In between it counts as deleted, so
 * that nobody reads half of it, and goes on where it was cut off when its file is restored again.
 */

const worlds = statement('restore/worlds')
const holdWorlds = statement('restore/hold-worlds')
const standings = statement('restore/standings')
const knownCriteria = statement('restore/known-criteria')

export async function writeWorlds(work: Work, given: readonly Given<'world'>[]): Promise<Restored> {
  const standing = (await readWorlds(work.graph, keysOf(given))).map(({ beginning }) => beginning)
  const { fresh, conflicts } = compared(given, standing)
  const written = await writeRows(
    work,
    worlds,
    fresh.map(({ record: { kind: _, ...world } }) => ({ key: world.key, ...split('World', world) })),
  )
  if (written < fresh.length) {
    const there = new Set((await readWorlds(work.graph, keysOf(fresh))).map(({ beginning }) => beginning.key))
    const lost = fresh.find(({ record }) => !there.has(record.key))
    if (lost !== undefined) throw missing(lost.index, lost.record, `task ${lost.record.taskKey}`)
  }
  for (const { record } of fresh) work.made.worlds.set(record.key, { turns: 0, attempts: 0 })
  return { created: fresh.length, conflicts }
}

const heldRow = z.object({ key: z.string(), restoring: z.boolean() })

/** Locks worlds, and says which are being restored: nothing is added to others. */
export async function lockWorlds(work: Work, keys: readonly string[]): Promise<Map<string, boolean>> {
  const asked = [...new Set(keys)]
  const held = new Map<string, boolean>(
    asked.flatMap((key) => (work.made.worlds.has(key) ? [[key, true]] : [])),
  )
  const others = asked.filter((key) => !held.has(key)).sort()
  if (others.length === 0) return held
  for (const row of await work.run(stepOf(holdWorlds, { keys: others, token: work.token }))) {
    const { key, restoring } = decodeRow(holdWorlds, heldRow, row)
    held.set(key, restoring)
  }
  return held
}

/** Those of some criteria that are not in the graph. */
export async function unknownCriteria(work: Work, keys: Iterable<string>): Promise<Set<string>> {
  const asked = new Set(keys)
  for (const key of work.made.criteria) asked.delete(key)
  if (asked.size === 0) return asked
  for (const { key } of await work.run(stepOf(knownCriteria, { keys: [...asked] }))) asked.delete(String(key))
  return asked
}

export async function writeStandings(work: Work, given: readonly Given<'standing'>[]): Promise<Restored> {
  const keys = keysOf(given)
  const held = await lockWorlds(work, keys)
  const lost = given.find(({ record }) => !held.has(record.world))
  if (lost !== undefined) throw missing(lost.index, lost.record, `world ${lost.record.world}`)
  const whole = keys.filter((key) => held.get(key) === false)
  const standing =
    whole.length === 0 ? [] : (await readWorlds(work.graph, whole)).map((world) => world.standing)
  const { fresh, conflicts } = compared(given, standing)
  await refuseUnknownCriteria(work, fresh)
  await writeRows(
    work,
    standings,
    fresh.map(({ record: { kind: _, world, progress, ...properties } }) => ({
      world,
      progress,
      ...split('World', properties),
    })),
  )
  await refuseHalf(work, fresh)
  return { created: fresh.length, conflicts }
}

async function refuseUnknownCriteria(work: Work, fresh: readonly Given<'standing'>[]): Promise<void> {
  const unknown = await unknownCriteria(
    work,
    fresh.flatMap(({ record }) => record.progress.map(({ criterion }) => criterion)),
  )
  for (const { index, record } of fresh) {
    const lost = record.progress.find(({ criterion }) => unknown.has(criterion))
    if (lost !== undefined) throw missing(index, record, `criterion ${lost.criterion}`)
  }
}

/** A world stands only where its turns and attempts are all there. */
async function refuseHalf(work: Work, fresh: readonly Given<'standing'>[]): Promise<void> {
  const { worlds: made } = work.made
  const others = keysOf(fresh).filter((key) => !made.has(key))
  const found: Map<string, { turns: number; attempts: number }> = new Map(made)
  if (others.length > 0) {
    for (const world of await readWorlds(work.graph, others)) found.set(world.standing.world, world)
  }
  for (const { index, record } of fresh) {
    const world = found.get(record.world) ?? { turns: 0, attempts: 0 }
    if (world.turns !== record.turnCount)
      throw missing(index, record, `${record.turnCount} turns, not ${world.turns}`)
    const attempts = record.attemptCount ?? 0
    if (world.attempts !== attempts)
      throw missing(index, record, `${attempts} attempts, not ${world.attempts}`)
  }
}
