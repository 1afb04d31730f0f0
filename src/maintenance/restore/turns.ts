import { isSupersededKey, turnKey } from '../../core/keys.ts'
import type { Value } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { readSuperseded, readTurns } from '../export/read.ts'
import type { RecordOf } from '../export/records.ts'
import { type Conflict, missing } from './conflicts.ts'
import { split } from './properties.ts'
import type { Given, Restored, Work } from './work.ts'
import { lockWorlds, unknownCriteria } from './worlds.ts'
import { compared, keysOf, writeRows } from './write.ts'

/** Turns, and the records that they replaced, with all that hangs on them. */

const turns = statement('restore/turns')
const next = statement('restore/next')
const superseded = statement('restore/superseded-turns')
const ofTurns = statement('restore/supersedes-of-turns')
const ofSuperseded = statement('restore/supersedes-of-superseded')

type TurnRecord = RecordOf<'turn'>
type AnyRecord = TurnRecord | RecordOf<'superseded_turn'>

export async function writeTurns(work: Work, given: readonly Given<'turn'>[]): Promise<Restored> {
  const elsewhere = keysOf(given.filter(({ record }) => !work.made.worlds.has(record.world)))
  const standing = elsewhere.length === 0 ? [] : await readTurns(work.graph, elsewhere)
  const { fresh, conflicts } = await inTheirWorlds(work, given, standing, ({ world }) => world)
  await refuseUnknown(work, fresh)
  await writeRows(
    work,
    turns,
    fresh.map(({ record }) => ({ world: record.world, labels: record.labels, ...rowOf(record) })),
  )
  const linked = fresh.filter(({ record }) => record.previous !== null)
  const written = await writeRows(
    work,
    next,
    linked.map(({ record }) => ({
      key: record.turn.key,
      before: turnKey(record.world, record.previous ?? 0),
    })),
  )
  if (written < linked.length) await refuseBroken(work, linked)
  for (const { record } of fresh) {
    const world = work.made.worlds.get(record.world)
    if (world !== undefined) world.turns++
  }
  return { created: fresh.length, conflicts }
}

/** Nothing is added to a world that stands: only one that is being restored lacks anything. */
export async function inTheirWorlds<K extends 'turn' | 'attempt' | 'turn_run'>(
  work: Work,
  given: readonly Given<K>[],
  standing: readonly RecordOf<K>[],
  worldOf: (record: RecordOf<K>) => string,
): Promise<{ fresh: Given<K>[]; conflicts: Conflict[] }> {
  const { fresh, conflicts } = compared(given, standing)
  const restoring = await lockWorlds(
    work,
    fresh.map(({ record }) => worldOf(record)),
  )
  const open: Given<K>[] = []
  for (const one of fresh) {
    const isOpen = restoring.get(worldOf(one.record))
    if (isOpen === undefined) throw missing(one.index, one.record, `world ${worldOf(one.record)}`)
    if (isOpen) open.push(one)
    else conflicts.push({ index: one.index, kind: one.record.kind, key: keysOf([one])[0] ?? '', fields: [] })
  }
  return { fresh: open, conflicts }
}

export async function writeSuperseded(
  work: Work,
  given: readonly Given<'superseded_turn'>[],
): Promise<Restored> {
  const { fresh, conflicts } = compared(given, await readSuperseded(work.graph, keysOf(given)))
  await refuseUnknown(work, fresh)
  await writeRows(
    work,
    superseded,
    fresh.map(({ record }) => rowOf(record)),
  )
  for (const [to, some] of [
    [ofTurns, fresh.filter(({ record }) => !isSupersededKey(record.supersededBy))],
    [ofSuperseded, fresh.filter(({ record }) => isSupersededKey(record.supersededBy))],
  ] as const) {
    await linkTo(work, to, some)
  }
  return { created: fresh.length, conflicts }
}

async function linkTo(work: Work, to: Statement, some: readonly Given<'superseded_turn'>[]): Promise<void> {
  const rows = some.map(({ record }) => ({ key: record.turn.key, above: record.supersededBy }))
  if ((await writeRows(work, to, rows)) === rows.length) return
  const there = new Set((await readSuperseded(work.graph, keysOf(some))).map((record) => record.turn.key))
  const [first] = some.filter(({ record }) => !there.has(record.supersededBy))
  if (first !== undefined) throw missing(first.index, first.record, `the record ${first.record.supersededBy}`)
}

async function refuseBroken(work: Work, linked: readonly Given<'turn'>[]): Promise<void> {
  const before = ({ world, previous }: TurnRecord) => turnKey(world, previous ?? 0)
  const there = await readTurns(work.graph, [...new Set(linked.map(({ record }) => before(record)))])
  const keys = new Set(there.map(({ turn }) => turn.key))
  const lost = linked.find(({ record }) => !keys.has(before(record)))
  if (lost !== undefined) throw missing(lost.index, lost.record, `turn ${before(lost.record)}`)
}

const criteriaOf = (record: AnyRecord): string[] => [
  ...[...record.verifications, ...record.promises].map(({ criterion }) => criterion),
  ...record.issues.flatMap(({ about }) => about),
  ...(record.kind === 'turn' ? record.labels.map(({ criterion }) => criterion) : []),
]

async function refuseUnknown(
  work: Work,
  fresh: readonly (Given<'turn'> | Given<'superseded_turn'>)[],
): Promise<void> {
  const unknown = await unknownCriteria(
    work,
    fresh.flatMap(({ record }) => criteriaOf(record)),
  )
  if (unknown.size === 0) return
  for (const { index, record } of fresh) {
    const lost = criteriaOf(record).find((key) => unknown.has(key))
    if (lost !== undefined) throw missing(index, record, `criterion ${lost}`)
  }
}

type Said = { key: string; verifications: Value[]; promises: Value[] }

/**
 * A record as `restore/_record` takes it: each criterion is looked up once, and what is said of it stands without its
 * names, in the statement's order: they were half of what is sent.
 */
function rowOf(record: AnyRecord): object {
  const byKey = new Map<string, Said>()
  const of = (key: string): Said => {
    const said = byKey.get(key) ?? { key, verifications: [], promises: [] }
    byKey.set(key, said)
    return said
  }
  for (const { criterion, ...v } of record.verifications) {
    of(criterion).verifications.push([
      v.position,
      v.form,
      v.criterionId,
      v.criterionText ?? null,
      v.status,
      v.source,
      v.evidence ?? null,
      v.substantiated,
    ])
  }
  for (const { criterion, ...p } of record.promises) {
    of(criterion).promises.push([
      p.position,
      p.criterionId,
      p.criterionText ?? null,
      p.status,
      p.evidence ?? null,
      p.evidenceType ?? null,
      p.confidence ?? null,
      p.testFile ?? null,
      p.implementationFiles,
    ])
  }
  return {
    key: record.turn.key,
    ...split('Turn', record.turn),
    criteria: [...byKey.values()],
    issues: record.issues.map(({ about, ...properties }) => ({ about, properties })),
    gates: record.gates,
    transcribedIn: record.transcribedIn,
  }
}
