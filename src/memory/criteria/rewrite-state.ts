/** Builds the writes of the state of a world, and of the values that follow from it. */
import { type Step, toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { summarizeProgress } from '../../rules/progress.ts'
import { encodeState, type StoredState } from '../../rules/world-state.ts'
import { toProgressProperties } from '../record/criterion-rows.ts'

const rewriteState = statement('criteria/rewrite-state')

/** Returns the properties of a world that follow from its turns. Lists and analyses use the other properties, not `state`. */
export function toStateProperties(taskKey: string, state: StoredState) {
  const { promised, outcomes, progress } = state
  const newestFirst = outcomes.toReversed()
  const approval = newestFirst.findIndex(({ decision }) => decision === 'approved')
  return {
    state: state.turnCount === 0 ? null : encodeState(taskKey, state),
    promisedTurn: promised?.turn ?? null,
    judgedTurn: newestFirst[0]?.turn ?? null,
    turnsSinceApproval: outcomes.length === 0 ? null : approval === -1 ? outcomes.length : approval,
    ...summarizeProgress(progress.values()),
  }
}

export const listProgressEdges = ({ progress }: StoredState) =>
  [...progress].map(([criterion, each]) => ({ criterion, ...toProgressProperties(each) }))

/** @param world its key, the key of its task, and the revision of the ledger that was folded */
export const rewriteStateStep = (
  { key, taskKey, ledgerRev }: { key: string; taskKey: string; ledgerRev: number },
  state: StoredState,
): Step =>
  toStep(rewriteState, {
    worldKey: key,
    properties: { ledgerRev: ledgerRev + 1, ...toStateProperties(taskKey, state) },
    progress: listProgressEdges(state),
  })
