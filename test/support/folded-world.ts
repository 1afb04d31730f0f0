import { expect } from 'vitest'
import { worldKey } from '../../src/core/keys.ts'
import type { Graph } from '../../src/graph/port.ts'
import { generated } from '../../src/graph/statements.ts'
import { NO_LEDGER, readSnapshot } from '../../src/memory/criteria/snapshot.ts'
import { shownCriterion } from '../../src/memory/criteria/views.ts'
import type { TurnState } from '../../src/memory/record/record.ts'
import { specificationOf } from '../../src/rules/apply-turn.ts'
import { POLICIES, type Policy } from '../../src/rules/criterion-states.ts'
import type { Captured, TaskState } from '../../src/rules/fold-task.ts'
import { countCriteria } from '../../src/rules/notes.ts'
import { shownPromisedNotJudged, specifiedStates } from '../../src/rules/specified-states.ts'
import { staleSince } from '../../src/rules/stale.ts'
import { analyseStall } from '../../src/rules/stall.ts'
import { toSession } from '../../src/rules/stall-session.ts'
import {
  decodeState,
  encodeState,
  type Registry,
  type StoredState,
  type WorldState,
} from '../../src/rules/world-state.ts'
import { clientOf } from './records.ts'

const worldState = generated(
  'test/world-state',
  '// params: $worldKey\nMATCH (w:World {key: $worldKey}) RETURN w.state AS state',
)

export const toCaptured = (record: TurnState, revision = 1, withdrawnAt: string | null = null): Captured => ({
  kind: 'turn',
  record,
  digest: `${record.key} ${revision}`,
  meanings: null,
  worldKey: worldKey(record.project, record.worldSlug),
  createdAt: record.createdAt,
  revision,
  withdrawnAt,
})

/** The state that the graph stores with a world. */
async function readState(graph: Graph, worldKey: string, taskKey: string): Promise<StoredState> {
  const [row] = await graph.read(worldState, { worldKey })
  return decodeState(taskKey, String(row?.state))
}

/** Returns the same text for equal states. */
export const textOfState = (taskKey: string, state: WorldState): string => {
  const { touched, promised, verified } = state.files
  const files = [touched, promised, verified].map((map: ReadonlyMap<string, unknown>) => [...map].sort())
  return JSON.stringify([encodeState(taskKey, state), state.specifiedAfter, state.issues, files])
}

/** The criteria of a world by the registry and the state alone. */
export function statesOf(registry: Registry, state: WorldState, policy: Policy) {
  const seen = { criteria: registry.criteria, ...state, ledger: null }
  const hasSpecified = registry.specification !== null || policy === 'fresh'
  const specified = {
    specification: specificationOf(registry),
    touchedSince: staleSince(state.files),
  }
  return { seen, states: specifiedStates(seen, hasSpecified ? specified : null, policy) }
}

/** Compares the answers about a world with what its state says. The state is decoded from its stored form. */
export async function expectSameAnswers(
  graph: Graph,
  task: TaskState<Captured>,
  place: { project: string; featureId: string; taskId: string; worldSlug: string },
): Promise<void> {
  const client = clientOf(graph, place.project)
  const { registry, worlds } = task
  const folded = worlds.get(worldKey(place.project, place.worldSlug))
  if (folded === undefined) throw new Error(`no world ${place.worldSlug} was folded`)
  const { taskKey } = registry
  const state = { ...folded.state, ...decodeState(taskKey, encodeState(taskKey, folded.state)) }
  expect(state).toEqual(folded.state)
  expect(await readState(graph, state.worldKey, taskKey)).toMatchObject({
    ...{ turn: state.turn, turnCount: state.turnCount, labels: state.labels, progress: state.progress },
    outcomes: state.outcomes,
    promised: state.promised === null ? null : { promises: state.promised.promises },
  })
  const stored = await readSnapshot(graph, place, null, NO_LEDGER)
  expect(stored).toMatchObject({ outcomes: state.outcomes, specifiedAfter: state.specifiedAfter })
  expect(stored?.progress).toEqual(state.progress)
  for (const policy of POLICIES) {
    const { seen, states } = statesOf(registry, state, policy)
    const told = await client.listCriteria({ ...place, policy, role: 'player' })
    expect(told.asOfTurn).toBe(state.turn)
    expect(told.criteria).toEqual(states.map((each) => shownCriterion(each, 'player', seen, null)))
    expect(told.promisedNotJudged).toEqual(shownPromisedNotJudged(seen, states))
  }
  const { seen, states } = statesOf(registry, state, 'sticky')
  const { playerSuggestion, ...stall } = analyseStall(
    toSession(seen, states, 'sticky', stored?.isSuperseded === true),
  )
  expect(await client.loadStall({ ...place, policy: 'sticky' })).toEqual({ ...stall, taskKnown: true })
  const { verified, contested, total } = countCriteria(states)
  expect(await client.getWorld({ project: place.project, worldSlug: place.worldSlug })).toMatchObject({
    currentTurn: state.turn,
    verified,
    contested,
    criteria: total,
    verdict: stall.verdict,
  })
  const issues = await client.listIssues({ ...place, limit: 500 })
  expect(
    issues.items.map(({ turns, times, wordings, goneInTurn }) => ({ turns, times, wordings, goneInTurn })),
  ).toEqual(
    state.issues.map(({ turns, newest, marks, goneInTurn }) => ({
      turns,
      times: newest.length,
      wordings: marks.length,
      goneInTurn,
    })),
  )
  const promises = await client.recoverPromises({ ...place, turn: state.turn + 1 })
  expect(promises.recoveredFromTurn).toBe(state.promised?.turn)
  expect(promises.items.map(({ label }) => label)).toEqual(
    (state.promised?.promises ?? []).map(({ label }) => label),
  )
}
