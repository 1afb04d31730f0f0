import type { PriorTurn, Role, ShownCriterion } from './continuation.ts'

/**
 * The text of a continuation context: seed 000's lines, in the seed's order and form, byte for byte where a
 * record says nothing more than the seed's; further sections after it (contract: turns.md, "The text").
 */

export type Rendering = {
  prior: PriorTurn
  criteria: readonly ShownCriterion[]
  issues: PriorTurn['issues']
  role: Role
  /** A turn older than the prior one recorded a verification. */
  olderTurnsRecorded: boolean
  /** Keys of the criteria that the prior turn itself verified. */
  verifiedInPrior: ReadonlySet<string>
}

export type Rendered = { text: string; included: { section: string; items: number }[] }

export function renderContext(rendering: Rendering): Rendered {
  const { criteria, issues } = rendering
  const sections = [
    { section: 'turn', items: 1, lines: summaryLines(rendering.prior) },
    {
      section: 'criteria',
      items: criteria.length,
      lines: headed(
        '**Acceptance Criteria Status**:',
        criteria.flatMap((c) => criterionLines(c, rendering)),
      ),
    },
    {
      section: 'issues',
      items: issues.length,
      lines: headed(
        '**Open issues** (most severe first):',
        issues.map(({ severity, description }) => `  - [${severity}] ${description}`),
      ),
    },
    { section: 'progress', items: 1, lines: progressLines(rendering) },
  ].filter(({ lines }) => lines.length > 0)
  return {
    text: sections.map(({ lines }) => lines.join('\n')).join('\n\n'),
    included: sections.map(({ section, items }) => ({ section, items })),
  }
}

const headed = (head: string, lines: string[]): string[] => (lines.length === 0 ? [] : [head, ...lines])

function summaryLines(prior: PriorTurn): string[] {
  const line = (name: string, content: string | null): string[] =>
    content === null || content === '' ? [] : [`**${name}**: ${content}`]
  return [
    `## Previous Turn Summary (Turn ${prior.turnNumber})`,
    ...line('What was attempted', prior.playerSummary),
    ...line('Coach decision', prior.coachDecision),
    ...line('Feedback', prior.coachFeedback),
    ...line('Blockers found', prior.blockersFound.join(', ')),
    ...line('Lessons learned', prior.lessonsFromTurn.join('; ')),
    ...line('Suggested focus for this turn', prior.whatToTryNext),
  ]
}

const ICONS = { verified: '✓', rejected: '✗', pending: '○' } as const

function criterionLines(criterion: ShownCriterion, { role, verifiedInPrior }: Rendering): string[] {
  const { state, text } = criterion
  const name = criterion.criterionId === '' ? oneLine(text ?? '') : criterion.criterionId
  // What is left to do is named; what is proven needs no words.
  const what =
    state === 'verified' || text === null || criterion.criterionId === '' ? '' : ` — ${oneLine(text)}`
  const line = `  ${ICONS[state]} ${name}: ${state}${since(criterion, verifiedInPrior)}${what}`
  const evidence = role === 'coach' && state === 'verified' ? lastEvidence(criterion) : null
  return evidence === null ? [line] : [line, `      ${oneLine(evidence)}`]
}

/** Only where the prior turn did not itself say so: there the line is the seed's. */
function since(
  { key, state, verifiedInTurn, contested }: ShownCriterion,
  verifiedInPrior: ReadonlySet<string>,
): string {
  if (state !== 'verified' || (verifiedInPrior.has(key) && contested === null)) return ''
  const turn = `turn ${verifiedInTurn}`
  return contested === null ? ` (${turn})` : ` (${turn}, contested in turn ${contested.turn})`
}

function lastEvidence({ history }: ShownCriterion): string | null {
  return (
    history?.findLast(({ status, evidence }) => status === 'verified' && evidence !== null)?.evidence ?? null
  )
}

function progressLines({ criteria, prior, olderTurnsRecorded }: Rendering): string[] {
  if (!olderTurnsRecorded) return []
  const verified = criteria.filter(({ state }) => state === 'verified').length
  return [`**Progress**: ${verified} of ${criteria.length} criteria verified after turn ${prior.turnNumber}`]
}

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()
