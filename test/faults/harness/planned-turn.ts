import type { OperationInput } from '../../../src/operations/table.ts'

/**
 * Records of the chaos writers: each is a function of its turn and revision, so that any missing part is
 * detected.
 */

export type TurnToSend = OperationInput<'captureTurnState'>

/** The place of a turn. `worldSlug` null: the task's default world. */
export type Place = { project: string; featureId: string; taskId: string; worldSlug: string | null }

/** Revision 1 is the first capture of a turn; each further one supersedes the one before. */
export type Op = { turn: number; revision: number }

const DECISIONS = ['approved', 'feedback', 'feedback', 'error', 'feedback'] as const
const STATUSES = ['verified', 'rejected', 'verified', 'pending', 'unknown'] as const
const SEVERITIES = ['blocking', 'should_fix', 'advisory'] as const
const PROMISES = ['complete', 'partial', 'uncertain'] as const
const CRITERIA = 12

/** Number of parts of each kind in the record of an {@link Op}. */
export const plannedParts = ({ turn, revision }: Op) => ({
  verifications: 1 + ((turn * 3 + revision) % 4),
  promises: (turn + revision) % 3,
  issues: (turn * 2 + revision) % 4,
  gates: 1 + (turn % 2),
})

export function plannedTurn(place: Place, op: Op): TurnToSend {
  const { turn, revision } = op
  const parts = plannedParts(op)
  const { worldSlug, ...scope } = place
  return {
    ...scope,
    ...(worldSlug === null ? {} : { worldSlug }),
    turnNumber: turn,
    playerSummary: plannedSummary(op),
    playerDecision: 'implemented',
    coachDecision: DECISIONS[turn % DECISIONS.length] ?? 'feedback',
    coachFeedback: `Feedback on turn ${turn}, revision ${revision}`,
    completedAt: new Date(Date.UTC(2026, 0, 1) + turn * 60_000).toISOString(),
    blockersFound: numbered(turn % 3, (i) => `blocker ${i} of turn ${turn}`),
    lessonsFromTurn: numbered(revision % 3, (i) => `lesson ${i}, “ü” \u{1f9e9} ${'long '.repeat(turn % 40)}`),
    filesModified: numbered(turn % 4, (i) => `src/file-${i}.ts`),
    verifications: numbered(parts.verifications, (i) => ({
      ...criterion(turn + 2 * i),
      status: STATUSES[(turn + i + revision) % STATUSES.length] ?? 'pending',
      source: i === 3 ? ('validator' as const) : ('coach' as const),
      evidence: `seen in turn ${turn}, revision ${revision}, place ${i}`,
    })),
    promises: numbered(parts.promises, (i) => ({
      ...criterion(turn + 2 * i + 1),
      status: PROMISES[(turn + i) % PROMISES.length] ?? 'complete',
      confidence: 0.5,
      implementationFiles: [`src/file-${i}.ts`],
    })),
    issues: numbered(parts.issues, (i) => ({
      severity: SEVERITIES[(turn + i) % SEVERITIES.length] ?? 'advisory',
      description: `issue ${i} of turn ${turn}, revision ${revision}`,
      criterionIds: i === 0 ? [criterion(turn).criterionId] : [],
      details: { turn, revision, i },
    })),
    gates: Object.fromEntries(numbered(parts.gates, (i) => [`gate ${i}`, 'passed' as const])),
    extra: { turn, revision },
    ...(revision > 1 ? { onConflict: 'supersede' as const } : {}),
  }
}

export const plannedSummary = ({ turn, revision }: Op): string => `Attempt ${turn}, revision ${revision}`

/** Each label has a unique text, so that no order of arrival merges two criteria. */
function criterion(number: number): { criterionId: string; criterionText: string } {
  const which = 1 + (number % CRITERIA)
  return {
    criterionId: `AC-${String(which).padStart(3, '0')}`,
    criterionText: `${NAMES[which - 1]} answers with status ${which}`,
  }
}

const NAMES = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu'.split(' ')

const numbered = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
