/** Restores projects, tasks and their criteria. They only grow, and each of two graphs may know more about some of them. */
import { groupBy } from '../../core/group-by.ts'
import { readMerges } from '../../memory/criteria/snapshot.ts'
import { findBrokenMerge } from '../../rules/progress.ts'
import type { RecordOf } from '../export/records.ts'
import { differing, unfit } from './conflicts.ts'
import { lockWorlds } from './worlds.ts'
import {
  compared,
  createNodes,
  type Given,
  type Restored,
  readExisting,
  setNodes,
  type Work,
} from './write.ts'

/** Restores projects. A project keeps its key, because stored texts have its marks. Without a key, it gets the exported one. */
export async function writeProjects(work: Work, given: readonly Given<'project'>[]): Promise<Restored> {
  const existing = await readExisting(work, 'project', given)
  const { fresh, conflicts } = compared(given, existing, ({ maskKey: _, ...record }, known) =>
    differing(record, { kind: known.kind, key: known.key, name: known.name }),
  )
  const isWithoutKey = new Set(existing.filter(({ maskKey }) => maskKey === undefined).map(({ key }) => key))
  const completed = given.filter(({ record }) => record.maskKey !== undefined && isWithoutKey.has(record.key))
  await createNodes(work, 'project', fresh)
  await setNodes(work, 'project', completed)
  return { created: fresh.length, conflicts }
}

/** Restores tasks. Counters only rise, because worlds and criteria of both graphs count. An export may repeat a task. */
export async function writeTasks(work: Work, given: readonly Given<'task'>[]): Promise<Restored> {
  const existing = await readExisting(work, 'task', given)
  const { fresh, conflicts } = compared(given, existing, (record, known) =>
    differing({ ...record, ...WITHOUT_COUNTERS }, { ...known, ...WITHOUT_COUNTERS }),
  )
  const byKey = new Map(existing.map((record) => [record.key, record]))
  const ahead = given.filter(({ record }) => {
    const before = byKey.get(record.key)
    byKey.set(record.key, record)
    return before !== undefined && COUNTERS.some((name) => (before[name] ?? 0) < (record[name] ?? 0))
  })
  await createNodes(work, 'task', fresh)
  await setNodes(work, 'task', ahead)
  return { created: fresh.length, conflicts }
}

const COUNTERS = ['criteriaRev', 'worldCount'] as const
const WITHOUT_COUNTERS = { criteriaRev: 0, worldCount: 0, specificationVersion: 0 }

/**
 * Restores criteria. Criteria only grow: a criterion whose texts and labels begin with those of another is a later state of it.
 * An export that ran during a capture may contain a criterion twice.
 *
 * A turn of the criterion's world merged it. A world that is complete here lacks that turn and takes none, so the merge is a
 * conflict: it would change what the world's own turns say.
 */
export async function writeCriteria(work: Work, given: readonly Given<'criterion'>[]): Promise<Restored> {
  const existing = new Map(
    (await readExisting(work, 'criterion', given)).map((record) => [record.key, record]),
  )
  const mergesNow = ({ key, mergedInto }: Criterion) => {
    const before = existing.get(key)
    return before !== undefined && before.mergedInto === undefined && mergedInto !== undefined
  }
  const worlds = await lockWorlds(
    work,
    given.flatMap(({ record }) => (mergesNow(record) ? (record.worldKey ?? []) : [])),
  )
  const isClosed = ({ worldKey = '' }: Criterion) => worlds.get(worldKey)?.restoring === false
  const rows = new Map<string, Given<'criterion'>>()
  const conflicts: Restored['conflicts'] = []
  let created = 0
  for (const { index, record } of given) {
    const there = rows.get(record.key)?.record ?? existing.get(record.key)
    if (there === undefined) created++
    else if (growsInto(record, there)) continue
    else if (!growsInto(there, record) || (mergesNow(record) && isClosed(record))) {
      const fields = differing(record, there)
      conflicts.push({ index, kind: 'criterion', key: record.key, fields })
      continue
    }
    rows.set(record.key, { index, record })
  }
  await createNodes(work, 'criterion', [...rows.values()])
  await refuseMergeCycles(work, [...rows.values()])
  return { created, conflicts }
}

/** Rejects the criterion that closes a cycle of merges: no read would find the criterion for which its entries count. */
async function refuseMergeCycles(work: Work, written: readonly Given<'criterion'>[]): Promise<void> {
  const merged = written.filter(({ record }) => record.mergedInto !== undefined)
  for (const [task, ofTask] of groupBy(merged, ({ record }) => record.task)) {
    const merges = await readMerges(work.graph, task)
    const into = new Map<string, string | null>([
      ...merges.map(({ mergedInto }) => [mergedInto, null] as const), // it may follow in a later batch
      ...merges.map(({ key, mergedInto }) => [key, mergedInto] as const),
    ])
    for (const { index, record } of ofTask) {
      const cycle = findBrokenMerge(record.key, into)
      if (cycle !== null) throw unfit(index, [{ path: 'mergedInto', message: cycle }])
    }
  }
}

type Criterion = RecordOf<'criterion'>

const growsInto = (earlier: Criterion, later: Criterion): boolean =>
  earlier.task === later.task &&
  earlier.worldKey === later.worldKey &&
  (earlier.mergedInto === undefined || earlier.mergedInto === later.mergedInto) &&
  (['texts', 'textSources', 'labels', 'labelSources'] as const).every((list) =>
    earlier[list].every((item, i) => later[list][i] === item),
  )
