/** Repairs what a check found, where the check derived the repair from what the graph itself says. */
import { randomUUID } from 'node:crypto'
import type { Graph, Step } from '../../graph/port.ts'
import { within } from '../../memory/worlds/read-at-one-revision.ts'
import type { Finding, Findings } from './finding.ts'

/** A repair may show what is derived of it: a chain, then what its turns said, then where that leaves a world. */
const MOST_PASSES = 8

/**
 * Examines records under their lock and writes what was derived, until nothing more can be: one transaction, so that
 * all of it is of one moment and none of it stays where something fails. Asked again it finds nothing to write.
 *
 * @returns what was found before, and what is left: a finding that is gone is `repaired`
 */
export async function repairUnderLock(
  graph: Graph,
  lock: ((token: string) => Step) | null,
  examine: (locked: Graph) => Promise<Findings>,
): Promise<Finding[]> {
  const found = new Map<string, Finding>()
  const done = await graph.transact(async (run) => {
    found.clear() // a transaction may run again
    if (lock !== null) await run(lock(randomUUID()))
    for (let pass = 1; ; pass++) {
      const { all, repairs } = await examine(within(graph, run))
      for (const [id, finding] of found) found.set(id, { ...finding, repaired: true })
      for (const finding of all) found.set(identify(finding), finding)
      if (repairs.length === 0 || pass === MOST_PASSES) return pass === 1 ? null : true
      for (const step of repairs.flat()) if (step !== null) await run(step)
    }
  })
  return done === null
    ? [...found.values()].map((each) => ({ ...each, repaired: false }))
    : [...found.values()]
}

const identify = ({ check, label, key, found }: Finding): string => JSON.stringify([check, label, key, found])
