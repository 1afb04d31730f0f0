/** Adds the facts of its turns to a session. */
import type { Graph } from '../../graph/port.ts'
import type { AttentionFacts } from '../../rules/attention.ts'
import type { SessionFacts } from '../../rules/session-outcome.ts'
import { specifiedStates } from '../../rules/specified-states.ts'
import { readSpecified } from '../criteria/read-states.ts'
import type { Specification } from '../specification/specification.ts'
import { NO_TURN_FACTS, type TurnFacts } from '../specification/turn-facts.ts'
import type { NewestState } from './session-facts.ts'
import type { ReadFacts } from './world-progress.ts'

export const addTurnFacts = (
  facts: SessionFacts,
  { snapshot }: NewestState,
  { turns, changedFiles }: TurnFacts,
): AttentionFacts => ({
  ...facts,
  progress: snapshot.progress,
  changedFiles,
  countFailures: (gate) => turns.filter(({ failedGates }) => failedGates.includes(gate)).length,
})

/** Adds the facts of `turns`, if they were read, and marks stale proofs. `specifications`: versions already read, by key. */
export async function toAttentionFacts(
  graph: Graph,
  { facts, state }: ReadFacts,
  turns: TurnFacts | undefined,
  specifications?: ReadonlyMap<string, Specification>,
): Promise<AttentionFacts> {
  if (turns === undefined) return addTurnFacts(facts, state, NO_TURN_FACTS)
  const { touchedSince } = turns
  // Marks stale proofs without a specification, too.
  const specified = await readSpecified(graph, state.snapshot, 'fresh', {
    withStale: true,
    touchedSince,
    ...(specifications !== undefined && { specifications }),
  })
  return addTurnFacts(
    { ...facts, criteria: specifiedStates(state.snapshot, specified, 'sticky') },
    state,
    turns,
  )
}
