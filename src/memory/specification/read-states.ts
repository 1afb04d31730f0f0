/** Reads where the criteria of a world are, by what its task declares, if it declares anything. */
import type { Graph } from '../../graph/port.ts'
import { readMerges, type Snapshot } from '../criteria/snapshot.ts'
import { type CriterionState, finalKeys, type Policy } from '../criteria/state.ts'
import { readSpecification, readTouchedFiles, readVersion } from './read-specification.ts'
import { NOTHING_SAID, type Specified, specifiedStates } from './specified-states.ts'

/** Null where nothing is declared, and nobody asked for proofs that age: nothing is read then. */
export async function readSpecified(
  graph: Graph,
  snapshot: Snapshot,
  policy: Policy,
): Promise<Specified | null> {
  const { taskKey, specifiedAfter } = snapshot
  if (specifiedAfter.length === 0 && policy !== 'fresh') return null
  const [specification, touchedFiles, merges] = await Promise.all([
    readSpecification(graph, taskKey, specifiedAfter.length),
    readTouchedFiles(graph, snapshot),
    readMerges(graph, taskKey),
  ])
  return { specification, touchedFiles, keyOf: finalKeys(merges) }
}

/** All criteria that an answer lists, in their order: see {@link specifiedStates}. */
export const readStates = async (
  graph: Graph,
  snapshot: Snapshot,
  policy: Policy,
): Promise<CriterionState[]> =>
  specifiedStates(snapshot, await readSpecified(graph, snapshot, policy), policy)

/** Of a task that has no world yet: what it declares, all of it pending. */
export async function readDeclaredStates(
  graph: Graph,
  taskKey: string,
  policy: Policy,
): Promise<{ version: number; states: CriterionState[] }> {
  const version = (await readVersion(graph, taskKey)) ?? 0
  const specification = await readSpecification(graph, taskKey, version)
  if (specification === null) return { version: 0, states: [] }
  const specified: Specified = { specification, touchedFiles: [], keyOf: (key) => key }
  return { version, states: specifiedStates(NOTHING_SAID, specified, policy) }
}
