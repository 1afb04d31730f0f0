/** Runs the repairs of findings, and confirms findings. */
import { randomUUID } from 'node:crypto'
import type { Graph, Step } from '../../graph/port.ts'
import { within } from '../../memory/worlds/read-at-one-revision.ts'
import type { Finding, Findings } from './finding.ts'

/** Maximum number of passes: a repair can reveal further findings, first in the turns, then in the world. */
const MAX_PASSES = 8

/**
 * Examines records under their lock and writes the derived repairs until no repair is left. Uses one transaction, so that all
 * repairs belong to one moment and an error undoes all of them. A second call finds nothing to write.
 *
 * @returns the findings before and after the repair; a finding that disappeared is marked `repaired`
 */
export async function repairUnderLock(
  graph: Graph,
  lock: ((token: string) => Step) | null,
  examine: (locked: Graph) => Promise<Findings>,
): Promise<Finding[]> {
  const found = new Map<string, Finding>()
  const done = await graph.transact(async (run) => {
    found.clear() // the engine may run a transaction again
    if (lock !== null) await run(lock(randomUUID()))
    for (let pass = 1; ; pass++) {
      const { all, repairs } = await examine(within(graph, run))
      for (const [id, finding] of found) found.set(id, { ...finding, repaired: true })
      for (const finding of all) found.set(identify(finding), finding)
      if (repairs.length === 0 || pass === MAX_PASSES) return pass === 1 ? null : true
      for (const step of repairs) await run(step)
    }
  })
  return done === null
    ? [...found.values()].map((each) => ({ ...each, repaired: false }))
    : [...found.values()]
}

const identify = ({ check, label, key, found }: Finding): string => JSON.stringify([check, label, key, found])

/** Examines records again if there are findings. Drops the findings that disappeared, because a reader may see half of a commit. */
export async function confirmFindings(examine: () => Promise<Findings>, first: Findings): Promise<Finding[]> {
  if (first.all.length === 0) return []
  const seen = new Set(first.all.map(identify))
  return (await examine()).all.filter((finding) => seen.has(identify(finding)))
}
