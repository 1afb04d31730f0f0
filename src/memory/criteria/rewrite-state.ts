/** Writes the state of a world: with a capture, or again after all of its turns were folded. */
import { type Step, toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { summarizeProgress } from '../../rules/progress.ts'
import { encodeState, type StoredState } from '../../rules/world-state.ts'
import { progressProperties } from '../record/criterion-rows.ts'

const rewriteState = statement('criteria/rewrite-state')

/** Returns the properties of a world that follow from its turns. Lists and analyses read those besides `state`. */
export function stateProperties(taskKey: string, state: StoredState) {
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

/** Returns the edges PROGRESS of a world. */
export const progressEdges = ({ progress }: StoredState) =>
  [...progress].map(([criterion, each]) => ({ criterion, ...progressProperties(each) }))

/** @param world its key, the key of its task, and the revision of the ledger that was folded */
export const rewriteStateStep = (
  { key, taskKey, ledgerRev }: { key: string; taskKey: string; ledgerRev: number },
  state: StoredState,
): Step =>
  toStep(rewriteState, {
    key,
    properties: { ledgerRev: ledgerRev + 1, ...stateProperties(taskKey, state) },
    progress: progressEdges(state),
  })
