import { normalizeLabel } from '../criteria/labels.ts'
import type { CriterionState } from '../criteria/state.ts'
import type { Issue } from './record.ts'

/**
 * Gives the criteria that issues name the labels that the rest of the answer shows for them; what the Coach wrote stands
 * beside it. A label that the answer shows for no criterion stays as it was given.
 */
export function labelIssues<I extends Pick<Issue, 'criterionIds'>>(
  issues: readonly I[],
  states: readonly CriterionState[],
): (I & { givenLabels: string[] })[] {
  const shown = new Map(states.map(({ criterionId }) => [normalizeLabel(criterionId), criterionId]))
  return issues.map((issue) => ({
    ...issue,
    criterionIds: issue.criterionIds.map((given) => shown.get(normalizeLabel(given)) ?? given),
    givenLabels: [...issue.criterionIds],
  }))
}
