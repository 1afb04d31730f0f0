import { randomUUID } from 'node:crypto'
import { type Graph, type Step, stepOf } from '../../graph/port.ts'
import type { Statement } from '../../graph/statements.ts'
import { within } from '../../memory/worlds/read-at-one-revision.ts'
import type { Finding } from './finding.ts'

/** Puts right what a check found, where the check derived it from what the graph itself says. */

/** What was put right may show what is derived of it: a chain, then what its turns said, then where that leaves a world. */
const MOST_PASSES = 8

export type Lock = { statement: Statement; params: { [name: string]: string | string[] } }
type Seen = { findings: readonly Finding[]; repairs: readonly Step[] }

/**
 * Examines a record under its lock and writes what was derived, until nothing more can be: one transaction, so that
 * all of it is of one moment and none of it stays where something fails. Asked again it finds nothing to write.
 *
 * @returns what was found before, and what is left: a finding that is gone is `repaired`
 */
export async function repairUnderLock(
  graph: Graph,
  lock: Lock,
  examine: (locked: Graph) => Promise<Seen>,
): Promise<Finding[]> {
  const found = new Map<string, Finding>()
  const done = await graph.transact(async (run) => {
    found.clear() // a transaction may run again
    await run(stepOf(lock.statement, { ...lock.params, token: randomUUID() }))
    for (let pass = 1; ; pass++) {
      const { findings, repairs } = await examine(within(graph, run))
      for (const [id, finding] of found) found.set(id, { ...finding, repaired: true })
      for (const finding of findings) found.set(idOf(finding), finding)
      if (repairs.length === 0 || pass === MOST_PASSES) return pass === 1 ? null : true
      for (const step of repairs) await run(step)
    }
  })
  return done === null
    ? [...found.values()].map((each) => ({ ...each, repaired: false }))
    : [...found.values()]
}

const idOf = ({ check, label, key, found }: Finding): string => JSON.stringify([check, label, key, found])
