/** Suggests the focus of the next turn if the Coach names none (seed 000, `_suggest_next_focus`). */

import { LIMITS } from '../core/fields.ts'
import type { ShownCriterion } from '../memory/criteria/views.ts'
import { findCoachDecision, toSeverity } from '../memory/record/words.ts'
import { type Known, listMeanings, resolveCriteria } from '../rules/identity.ts'
import type { CoachHalf, PlayerHalf } from './fields-by-role.ts'

const ISSUES_NAMED = 3

export type CriterionBefore = Pick<
  ShownCriterion,
  'criterionId' | 'key' | 'text' | 'aliases' | 'state' | 'declared'
>

/**
 * @returns null if the turn is approved or was not judged, or if no work is left
 * @example
 * suggestNextFocus({ coachDecision: 'feedback', issues: [{ severity: 'blocking', description: 'It leaks' }] }, []) // 'It leaks'
 */
export function suggestNextFocus(
  judged: CoachHalf,
  before: readonly CriterionBefore[],
  promises: NonNullable<PlayerHalf['promises']> = [],
): string | null {
  const decision = findCoachDecision(judged.coachDecision ?? '')
  if (decision !== 'feedback' && decision !== 'rejected') return null
  const issues = openIssues(judged)
  const left = criteriaLeft(judged, before, promises)
  const parts = [...issues, ...(left.length === 0 ? [] : [`Criteria left: ${left.join(', ')}`])]
  // A part that does not fit is left out, not cut: the mask would not recognize the rest of a secret.
  const focus = parts.reduce((before, part) => {
    const longer = before === '' ? part : `${before}; ${part}`
    return Buffer.byteLength(longer) <= LIMITS.textBytes ? longer : before
  }, '')
  return focus === '' ? null : focus
}

function openIssues({ issues = [] }: CoachHalf): string[] {
  const ofSeverity = (wanted: string) => issues.filter(({ severity }) => toSeverity(severity) === wanted)
  const blocking = ofSeverity('blocking')
  const open = (blocking.length > 0 ? blocking : ofSeverity('should_fix')).map(
    ({ description, suggestion }) =>
      oneLine(suggestion ?? '') === '' ? oneLine(description) : oneLine(suggestion ?? ''),
  )
  return [...new Set(open)].slice(0, ISSUES_NAMED)
}

/**
 * Lists the criteria that are not verified after the turn, in the order in which they were named. A judgement belongs to the
 * criterion that the rules of identity find for it, regardless of the label.
 */
function criteriaLeft(
  { acceptanceCriteriaStatus = {}, verifications = [] }: CoachHalf,
  before: readonly CriterionBefore[],
  promises: NonNullable<PlayerHalf['promises']>,
): string[] {
  const judged = verifications.filter(({ source }) => source !== 'player')
  const listed = Object.entries(acceptanceCriteriaStatus)
  const { judgements } = resolveCriteria(toKnown(before), {
    promises: promises.map(({ criterionId: label, criterionText }) => ({
      label,
      text: criterionText ?? null,
      source: 'player',
    })),
    judgements: [
      judged.map(({ criterionId: label, criterionText, source, evidence }) => ({
        label,
        text: criterionText ?? null,
        source: source ?? 'coach',
        evidence: evidence ?? null,
      })),
      listed.map(([label]) => ({ label, text: null, source: 'coach' })),
    ],
    mentioned: [],
  })
  const [keysJudged = [], keysListed = []] = judgements
  const states = new Map(before.map(({ key, criterionId, state }) => [key, { label: criterionId, state }]))
  const note = (key: string | undefined, label: string, state: string) => {
    if (key !== undefined && state !== 'unknown')
      states.set(key, { label: states.get(key)?.label ?? label, state: state as ShownCriterion['state'] })
  }
  listed.forEach(([label, status], i) => void note(keysListed[i], label, status))
  judged.forEach(({ criterionId, status }, i) => void note(keysJudged[i], criterionId, status))
  return [...states.values()].flatMap(({ label, state }) =>
    state === 'verified' || label === '' ? [] : [label],
  )
}

/** Returns the criteria that the Coach received. Its judgements are resolved against them. */
const toKnown = (before: readonly CriterionBefore[]): Known => ({
  taskKey: '',
  worldKey: '',
  criteria: before.map(({ key, text, aliases }) => ({
    key,
    texts: text === null ? [] : [{ text, source: 'coach' }],
    aliases,
    mergedInto: null,
    worldKey: '',
  })),
  labels: new Map(
    before.flatMap(({ criterionId: label, key }) =>
      listMeanings({ label, text: null, source: 'coach' }).map((meaning) => [meaning, key] as const),
    ),
  ),
  earlier: [],
  declared: before.flatMap(({ criterionId: label, key, declared }) =>
    declared === true ? [{ label, criterionKey: key }] : [],
  ),
})

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()
