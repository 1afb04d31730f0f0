import { isSupersededKey, recordKey } from '../../core/keys.ts'
import { statement } from '../../graph/statements.ts'
import { readAttempts, readRuns } from '../export/runs.ts'
import { missing } from './conflicts.ts'
import { split } from './properties.ts'
import { inTheirWorlds } from './turns.ts'
import type { Given, Restored, Work } from './work.ts'
import { keysOf, writeRows } from './write.ts'

/** Attempts and runs: ended ones alone, so no lease comes back to life. */

const attempts = statement('restore/attempts')
const producedTurns = statement('restore/produced-turns')
const producedSuperseded = statement('restore/produced-superseded')
const runs = statement('restore/runs')

export async function writeAttempts(work: Work, given: readonly Given<'attempt'>[]): Promise<Restored> {
  const seqKeys = [...new Set(given.map(({ record }) => record.attempt.worldSeqKey))]
  const standing = await readAttempts(work.graph, seqKeys)
  const { fresh, conflicts } = await inTheirWorlds(work, given, standing, ({ world }) => world)
  await writeRows(
    work,
    attempts,
    fresh.map(({ record: { world, attempt } }) => ({
      world,
      key: attempt.key,
      ofRun: attempt.turnRunId === undefined ? [] : [recordKey(attempt.project, attempt.turnRunId)],
      ...split('Attempt', attempt),
    })),
  )
  for (const { record } of fresh) {
    const world = work.made.worlds.get(record.world)
    if (world !== undefined) world.attempts++
  }
  const produced = fresh.flatMap((one) => {
    const { attempt, produced: key } = one.record
    return key === null ? [] : [{ one, row: { key: attempt.key, produced: key } }]
  })
  for (const replaced of [false, true]) {
    const some = produced.filter(({ row }) => isSupersededKey(row.produced) === replaced)
    const rows = some.map(({ row }) => row)
    const written = await writeRows(work, replaced ? producedSuperseded : producedTurns, rows)
    const [first] = some
    if (written < rows.length && first !== undefined) {
      throw missing(
        first.one.index,
        first.one.record,
        `the record ${first.row.produced}, or one of those after it`,
      )
    }
  }
  return { created: fresh.length, conflicts }
}

export async function writeRuns(work: Work, given: readonly Given<'turn_run'>[]): Promise<Restored> {
  const standing = await readRuns(work.graph, keysOf(given))
  const { fresh, conflicts } = await inTheirWorlds(work, given, standing, ({ world }) => world)
  await writeRows(
    work,
    runs,
    fresh.map(({ record: { world, run } }) => ({ world, key: run.key, ...split('TurnRun', run) })),
  )
  return { created: fresh.length, conflicts }
}
