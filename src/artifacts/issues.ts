import { findCoachDecision } from '../memory/record/decisions.ts'
import type { CoachReport } from './artifacts.ts'
import { firstText, hasContent, isText, unique, withContent, word } from './content.ts'
import { labelsIn } from './requirement.ts'
import type { WireIssue } from './wire-turn.ts'

export function issuesOf(coach: CoachReport | undefined, criterionIds: readonly string[]): WireIssue[] {
  const issues = (coach?.issues ?? []).map((issue): WireIssue => {
    if (typeof issue === 'string') return { severity: 'advisory', description: issue }
    return {
      severity: firstText(issue.severity) ?? 'advisory',
      ...withContent({ category: firstText(issue.category, issue.type) }),
      description: issue.description ?? '',
      ...withContent({
        criterion_ids: labelsIn(issue.requirement ?? '', criterionIds),
        suggestion: firstText(issue.suggestion),
        details: detailsOf(issue.details, issue.missing_criteria),
      }),
    }
  })
  const rejects = findCoachDecision(coach?.verdict ?? coach?.decision ?? '') === 'rejected'
  const severity = rejects ? 'blocking' : 'advisory'
  const findings = (coach?.findings ?? []).map((finding): WireIssue => {
    const locus = typeof finding === 'string' ? finding : (finding.locus ?? '')
    return { severity, description: locus }
  })
  return [...issues, ...findings]
}

/** The two keys that a Coach keeps particulars in, as one object. */
function detailsOf(details: unknown, missing: unknown): unknown {
  if (!hasContent(missing)) return details
  if (!hasContent(details)) return { missing_criteria: missing }
  const own = typeof details === 'object' && !Array.isArray(details) ? details : { details }
  return { ...own, missing_criteria: missing }
}

/** turns.md: what a capture takes as blocking. */
const BLOCKING = new Set(['blocking', 'must_fix', 'critical', 'major'])

export const suggestionsOf = (issues: readonly WireIssue[]): string =>
  unique(
    issues.flatMap(({ severity, suggestion }) =>
      BLOCKING.has(word(severity)) && isText(suggestion) ? [suggestion] : [],
    ),
  ).join('; ')
