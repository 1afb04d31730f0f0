/** Prepares the issues of turns for an answer: in their order, labelled as the rest of it, for a role. */
import { normalizeLabel } from '../../rules/labels.ts'
import { bySeverity } from '../../rules/severity.ts'
import type { CriterionState, Role } from '../criteria/views.ts'
import type { Issue } from './record.ts'

/**
 * Gives the criteria that issues name the labels that the rest of the answer shows for them; what the Coach wrote stands
 * beside it. A label that the answer shows for no criterion stays as it was given.
 */
function labelIssues<I extends Pick<Issue, 'criterionIds'>>(
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

/** The Player does not see what lies behind the verdict. */
export const issueFor = <I extends { details: unknown }>({ details, ...issue }: I, role: Role) =>
  role === 'coach' ? { ...issue, details } : issue

/** Most severe first. */
export const issuesFor = (issues: readonly Issue[], states: readonly CriterionState[], role: Role) =>
  labelIssues(bySeverity(issues), states).map((issue) => issueFor(issue, role))
