/** Renders the turns of this process that the memory does not have yet, by the memory's own rules. */
import { renderContext } from '../memory/context/budget.ts'
import { hideVerdict } from '../memory/context/render.ts'
import { shownPromise } from '../memory/context/rendering-from-context.ts'
import {
  type CriterionState,
  type Role,
  type ShownCriterion,
  shownCriterion,
} from '../memory/criteria/views.ts'
import type { TurnRecord } from '../memory/record/record.ts'
import { criterionStates } from '../rules/criterion-states.ts'
import type { LedgerEntry, Progress } from '../rules/progress.ts'
import { advance } from '../rules/progress.ts'
import { bySeverity } from '../rules/severity.ts'
import { listEntries, listVerifications } from '../rules/turn-entries.ts'

/** Returns the judgements of a turn by their labels: only the memory knows which criterion a label means. */
export const toLedger = (record: TurnRecord): LedgerEntry[] =>
  listEntries(record, {
    judgements: [listVerifications(record).map(({ criterionId }) => criterionId)],
    promises: record.promises.map(({ criterionId }) => criterionId),
  }).ledger

export function criteriaAfter(ledger: readonly LedgerEntry[]): {
  states: CriterionState[]
  progress: ReadonlyMap<string, Progress>
} {
  const progress = advance(new Map(), ledger, [])
  const unnamed = { texts: [], aliases: [], mergedInto: null, worldKey: null }
  const byLabel = [...progress.keys()].map((key) => ({ key, ...unnamed }))
  return { states: criterionStates(byLabel, progress, 'sticky'), progress }
}

type SummaryOptions = {
  role: Role
  reset: boolean
  tokenBudget: number
  /** The states of the criteria that this turn or an earlier one has judged. */
  criteria: ReturnType<typeof criteriaAfter>
}

/** Renders the seed's lines of a turn that is not in a context of the memory yet. */
export async function summarizeTurn(
  turn: TurnRecord,
  { role, reset, tokenBudget, criteria: { states, progress } }: SummaryOptions,
): Promise<string> {
  // Only the memory knows the promises of earlier turns, so how a criterion is known is not known here.
  const shown = states.map(
    (state): ShownCriterion => ({ ...shownCriterion(state, 'player', { progress }, null), basis: null }),
  )
  const { text } = await renderContext(
    {
      currentTurn: turn.turnNumber + 1,
      prior: reset ? hideVerdict(turn) : turn,
      criteria: shown,
      lastJudged: null,
      promisedNotJudged: [],
      issues: reset ? [] : bySeverity(turn.issues),
      triedBefore: [],
      role,
      olderTurnsRecorded: false,
      verifiedInPrior: new Set(
        states.filter(({ lastVerifiedTurn }) => lastVerifiedTurn === turn.turnNumber).map(({ key }) => key),
      ),
      recovered:
        role === 'player' || turn.promises.length === 0
          ? null
          : { fromTurn: turn.turnNumber, items: turn.promises.map(shownPromise) },
      stallWarning: null,
    },
    tokenBudget,
  )
  return text
}
