/** Prepares the issues of turns for an answer: their order, labels of criteria, and the view of a role. */
import * as z from 'zod'
import { normalizeLabel } from '../../rules/labels.ts'
import type { Progress } from '../../rules/progress.ts'
import { bySeverity } from '../../rules/severity.ts'
import type { CriterionState, Role } from '../criteria/views.ts'
import { type Issue, turnState } from './record.ts'

/** Issue in an answer. The Player does not see the details of a verdict. */
export const shownIssue = turnState.shape.issues.element.partial({ details: true })

export const issueView = shownIssue.extend({
  criterionIds: z.array(z.string()).describe('labels of its criteria, as the answer shows them'),
  givenLabels: z.array(z.string()).describe('labels as the Coach gave them, in the order of criterion_ids'),
  turn: z.number().optional().describe('turn that raised it, if it differs from the turn of the answer'),
})

type Progresses = ReadonlyMap<string, Pick<Progress, 'label'>>

/** Removes the details for the Player, who does not see the evidence of a verdict. */
export const issueFor = <I extends { details: unknown }>({ details, ...issue }: I, role: Role) =>
  role === 'coach' ? { ...issue, details } : issue

/**
 * Makes the function that returns issues for a role, most severe first. It replaces the labels of criteria with those of the answer,
 * and also keeps the given labels. A given label names the criterion to which a judge gave this label, because a task may number its
 * criteria differently. The function keeps a label without a criterion in the answer.
 */
export function issuesFor(states: readonly CriterionState[], progress: Progresses, role: Role) {
  const judged = states.toSorted((a, b) => (a.lastTurn ?? 0) - (b.lastTurn ?? 0))
  const shown = new Map([
    ...states.map(({ criterionId }) => [normalizeLabel(criterionId), criterionId] as const),
    ...judged.map(
      ({ key, criterionId }) =>
        [normalizeLabel(progress.get(key)?.label ?? criterionId), criterionId] as const,
    ),
  ])
  return (issues: readonly Issue[]) =>
    bySeverity(issues).map((issue) => {
      const criterionIds = issue.criterionIds.map((given) => shown.get(normalizeLabel(given)) ?? given)
      return issueFor({ ...issue, criterionIds, givenLabels: [...issue.criterionIds] }, role)
    })
}
