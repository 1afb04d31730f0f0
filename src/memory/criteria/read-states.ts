/** Reads the states of the criteria of a world, by the specification of its task if there is one. */
import { specificationKey } from '../../core/keys.ts'
import type { Graph } from '../../graph/port.ts'
import type { Policy } from '../../rules/criterion-states.ts'
import { finalKeys } from '../../rules/progress.ts'
import { NOTHING_SAID, type Specified, specifiedStates } from '../../rules/specified-states.ts'
import { addFiles, NO_FILES, neverStale, type StaleSince, staleSince } from '../../rules/stale.ts'
import { readSpecification, readVersion } from '../specification/read-specification.ts'
import type { Specification } from '../specification/specification.ts'
import { readTouchedFiles } from '../specification/turn-facts.ts'
import { readMerges, type Snapshot } from './snapshot.ts'
import { type CriterionState, type Role, type ShownCriterion, shownCriterion } from './views.ts'

type Options = {
  /** True if the answer marks stale proofs, which requires the touched files of every turn. */
  withStale?: boolean
  /** Versions that the caller has already read, by key: an answer about many worlds reads them in one statement. */
  specifications?: ReadonlyMap<string, Specification>
  /** Stale proofs, if the caller knows them. */
  touchedSince?: StaleSince
}

/** Reads the specification and the touched files; null, without a read, if neither exists or is needed. */
export async function readSpecified(
  graph: Graph,
  snapshot: Snapshot,
  policy: Policy,
  { withStale = policy === 'fresh', specifications, touchedSince: known }: Options = {},
): Promise<Specified | null> {
  const { taskKey, specifiedAfter } = snapshot
  if (specifiedAfter.length === 0 && policy !== 'fresh') return null
  const [specification, touchedSince] = await Promise.all([
    specifications?.get(specificationKey(taskKey, specifiedAfter.length)) ??
      readSpecification(graph, taskKey, specifiedAfter.length),
    withStale ? (known ?? readStaleSince(graph, snapshot)) : neverStale,
  ])
  return { specification, touchedSince }
}

async function readStaleSince(graph: Graph, snapshot: Snapshot): Promise<StaleSince> {
  const since = oldestProof(snapshot)
  if (since === null) return neverStale
  const turns = await readTouchedFiles(graph, snapshot, since)
  // Only a criterion that was merged into another one has no progress of its own.
  const named = turns.flatMap(({ promised, verified }) => [...promised, ...verified])
  const hasMerges = named.some(({ key }) => !snapshot.progress.has(key))
  const finalKey = finalKeys(hasMerges ? await readMerges(graph, snapshot.taskKey) : [])
  return staleSince(turns.reduce((files, turn) => addFiles(files, turn, finalKey), NO_FILES))
}

/**
 * Returns the turn before which no change makes a proof stale: the turn of the oldest valid verification, or of the promise
 * before it. 0 if verifications name files, which may belong to any earlier verification. Null if no criterion is verified.
 */
export function oldestProof({ progress, hasProofFiles }: Snapshot): number | null {
  const turns = [...progress.values()].flatMap(({ lastVerifiedTurn, promiseTurn }) =>
    lastVerifiedTurn === null ? [] : [Math.min(lastVerifiedTurn, promiseTurn ?? lastVerifiedTurn)],
  )
  if (turns.length === 0) return null
  return hasProofFiles ? 0 : Math.min(...turns)
}

/** Reads the states of all criteria of an answer in order: see {@link specifiedStates}. */
export const readStates = async (
  graph: Graph,
  snapshot: Snapshot,
  policy: Policy,
  options: Options = {},
): Promise<CriterionState[]> =>
  specifiedStates(snapshot, await readSpecified(graph, snapshot, policy, options), policy)

/** Reads the specification of a task without turns as pending criteria; without a specification, version 0 and no criteria. */
export async function readDeclaredCriteria(
  graph: Graph,
  taskKey: string,
  { policy, role }: { policy: Policy; role: Role },
): Promise<{ version: number; criteria: ShownCriterion[] }> {
  const version = (await readVersion(graph, taskKey)) ?? 0
  const specification = await readSpecification(graph, taskKey, version)
  if (specification === null) return { version: 0, criteria: [] }
  const states = specifiedStates(NOTHING_SAID, { specification, touchedSince: neverStale }, policy)
  return { version, criteria: states.map((state) => shownCriterion(state, role, NOTHING_SAID, null)) }
}
