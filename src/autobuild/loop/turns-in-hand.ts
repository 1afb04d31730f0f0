import type { Role, ShownCriterion } from '../../criteria/shown.ts'
import { renderContext } from '../../turns/budget.ts'
import { type CriterionStatus, SEVERITIES, toCoachDecision, toSeverity } from '../../turns/record.ts'
import type { Rendering } from '../../turns/render.ts'
import type { RoundRecord } from './halves.ts'

/** A turn of this process, or of its spool. */
export type TurnInHand = { turnNumber: number; record: Partial<RoundRecord> & { playerSummary: string } }

/**
 * What the turns of this process have judged, by the labels they used: which criterion a label means is the memory's to
 * say. Sticky, as there: verified once stays verified.
 */
export class Verdicts {
  readonly #all: { turn: number; label: string; status: CriterionStatus }[] = []

  add({ turnNumber: turn, record }: TurnInHand): void {
    const judged = new Map<string, CriterionStatus>(Object.entries(record.acceptanceCriteriaStatus ?? {}))
    for (const { criterionId, status, source } of record.verifications ?? []) {
      if (source !== 'player') judged.set(criterionId, status)
    }
    for (const [label, status] of judged) this.#all.push({ turn, label, status })
  }

  /** Where the criteria stand that were judged in a turn or later. */
  since(from: number): ShownCriterion[] {
    const standing = new Map<string, ShownCriterion>()
    for (const { turn, label, status } of this.#all) {
      if (turn < from || status === 'unknown') continue
      const known = standing.get(label)
      const verifiedBefore = known?.state === 'verified'
      const contested = verifiedBefore && status === 'rejected' ? { turn } : null
      standing.set(label, {
        criterionId: label,
        key: label,
        text: null,
        aliases: [],
        state: verifiedBefore ? 'verified' : status,
        verifiedInTurn: verifiedBefore ? known.verifiedInTurn : status === 'verified' ? turn : null,
        lastTurn: turn,
        contested: contested ?? (status === 'verified' ? null : (known?.contested ?? null)),
        promise: null,
      })
    }
    return [...standing.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
  }
}

/** The seed's lines of a turn that the memory has not told. */
export async function summaryOf(
  { turnNumber, record }: TurnInHand,
  {
    role,
    reset,
    tokenBudget,
    criteria,
  }: { role: Role; reset: boolean; tokenBudget: number; criteria: ShownCriterion[] },
): Promise<string> {
  const { text } = await renderContext(
    {
      prior: {
        turnNumber,
        playerSummary: record.playerSummary,
        coachDecision: toCoachDecision(record.coachDecision ?? ''),
        coachFeedback: reset ? null : (record.coachFeedback ?? null),
        blockersFound: record.blockersFound ?? [],
        lessonsFromTurn: record.lessonsFromTurn ?? [],
        whatToTryNext: reset ? null : (record.whatToTryNext ?? null),
      },
      criteria,
      issues: reset ? [] : issuesOf(record),
      role,
      olderTurnsRecorded: false,
      verifiedInPrior: new Set(
        criteria.filter(({ verifiedInTurn }) => verifiedInTurn === turnNumber).map(({ key }) => key),
      ),
      recovered: role === 'coach' ? promisesOf(turnNumber, record) : null,
      stallWarning: null,
    },
    tokenBudget,
  )
  return text
}

function promisesOf(fromTurn: number, { promises = [] }: Partial<RoundRecord>): Rendering['recovered'] {
  if (promises.length === 0) return null
  const items = promises.map(({ criterionId, status, evidence }) => ({
    label: criterionId,
    status,
    evidence: evidence ?? null,
  }))
  return { fromTurn, items }
}

const issuesOf = ({ issues = [] }: Partial<RoundRecord>): Rendering['issues'] =>
  issues
    .map((issue) => ({
      severity: toSeverity(issue.severity),
      severityRaw: issue.severity,
      category: issue.category ?? null,
      description: issue.description,
      criterionIds: issue.criterionIds ?? [],
      suggestion: issue.suggestion ?? null,
    }))
    .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
