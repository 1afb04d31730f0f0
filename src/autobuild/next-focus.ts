/** Suggests what the next turn should turn to, where the Coach names nothing (seed 000, `_suggest_next_focus`). */

import type { ShownCriterion } from '../memory/criteria/views.ts'
import { findCoachDecision, toSeverity } from '../memory/record/words.ts'
import { normalizeLabel } from '../rules/labels.ts'
import type { CoachHalf } from './halves.ts'

const ISSUES_NAMED = 3

type CriterionBefore = Pick<ShownCriterion, 'criterionId' | 'state'>

/**
 * @param before where the criteria stood before the turn, as the Coach was told
 * @returns null where the turn is approved or was not judged, and where nothing is left open
 * @example
 * suggestNextFocus({ coachDecision: 'feedback', issues: [{ severity: 'blocking', description: 'It leaks' }] }, [])
 * // 'It leaks'
 */
export function suggestNextFocus(judged: CoachHalf, before: readonly CriterionBefore[]): string | null {
  const decision = findCoachDecision(judged.coachDecision ?? '')
  if (decision !== 'feedback' && decision !== 'rejected') return null
  const issues = openIssues(judged)
  const left = criteriaLeft(judged, before)
  const parts = [...issues, ...(left.length === 0 ? [] : [`Criteria left: ${left.join(', ')}`])]
  return parts.length === 0 ? null : parts.join('; ')
}

/** What to do about the blocking issues, or about those that should be fixed where none blocks. */
function openIssues({ issues = [] }: CoachHalf): string[] {
  const ofSeverity = (wanted: string) => issues.filter(({ severity }) => toSeverity(severity) === wanted)
  const blocking = ofSeverity('blocking')
  const open = (blocking.length > 0 ? blocking : ofSeverity('should_fix')).map(
    ({ description, suggestion }) =>
      oneLine(suggestion ?? '') === '' ? oneLine(description) : oneLine(suggestion ?? ''),
  )
  return [...new Set(open)].slice(0, ISSUES_NAMED)
}

/** The criteria that are not verified after the turn, and those that it rejects, in the order in which they were named. */
function criteriaLeft(
  { acceptanceCriteriaStatus = {}, verifications = [] }: CoachHalf,
  before: readonly CriterionBefore[],
): string[] {
  const states = new Map(
    before.map(({ criterionId, state }) => [normalizeLabel(criterionId), state as string]),
  )
  for (const [label, status] of Object.entries(acceptanceCriteriaStatus)) {
    if (status !== 'unknown') states.set(normalizeLabel(label), status)
  }
  for (const { criterionId, status, source } of verifications) {
    if (source !== 'player' && status !== 'unknown') states.set(normalizeLabel(criterionId), status)
  }
  return [...states].flatMap(([label, state]) => (state === 'verified' || label === '' ? [] : [label]))
}

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()
