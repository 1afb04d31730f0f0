/** Computes the stored values of a turn that follow from its record, for capture, restore and doctor. Pure. */
import { isSubstantiated } from './absence.ts'
import { findDeniedFiles } from './denied-files.ts'
import { type ObservedOn, toObservedOn } from './observation.ts'
import { type Outcome, outcomeRow, toOutcome } from './outcome.ts'
import { findRepeats } from './progress.ts'
import type { Complaint } from './signature.ts'
import type { CoachDecision, CriterionStatus, FILES_SOURCES, Source } from './values.ts'

/** Fields of a turn that decide its derived values. An absent value is null in a record, and missing in a stored turn. */
type Turn = {
  number: number
  coachDecision: CoachDecision
  coachFeedback?: string | null | undefined
  testsFailed?: number | null | undefined
  filesModified: readonly string[]
  filesSource?: (typeof FILES_SOURCES)[number] | null | undefined
}

/** Parts of a turn in their order. */
type Parts = {
  verifications: readonly {
    criterion: string
    form: 'status' | 'entry'
    status: CriterionStatus
    source: Source
    addedAt?: string | null | undefined
  }[]
  promises: readonly unknown[]
  issues: readonly Complaint[]
  gates: readonly { name: string; status: string }[]
}

/** Returns the outcome of a turn, and the properties that follow from its record. */
export function deriveTurn(
  {
    number,
    coachDecision,
    coachFeedback = null,
    testsFailed = null,
    filesModified,
    filesSource = null,
  }: Turn,
  { verifications, promises, issues, gates }: Parts,
) {
  const outcome: Outcome | null = toOutcome({
    turnNumber: number,
    ...{ coachDecision, coachFeedback, issues, gates, testsFailed },
  })
  const denied = findDeniedFiles({ filesModified, filesSource, issues })
  const repeats = findRepeats(verifications, ({ criterion }) => criterion)
  const judged = verifications.filter(
    (each) => each.source !== 'player' && each.addedAt == null && !repeats.has(each),
  )
  const countJudged = (status: CriterionStatus) => judged.filter((each) => each.status === status).length
  const properties = {
    outcome: outcomeRow(outcome),
    deniedFiles: denied.length === 0 ? null : denied,
    verificationCount: verifications.length,
    verifiedCount: countJudged('verified'),
    rejectedCount: countJudged('rejected'),
    promiseCount: promises.length,
    issueCount: issues.length,
    gateCount: gates.length,
  }
  return { outcome, properties }
}

/** Derives the values of a verification. An added one is compared with no promise: those of its turn may be replaced later. */
export const deriveVerification = (
  {
    evidence = null,
    observation,
    addedAt,
  }: {
    evidence?: string | null | undefined
    observation?: Parameters<typeof toObservedOn>[0] | undefined
    addedAt?: string | null | undefined
  },
  promised: ReadonlySet<string>,
): { substantiated: boolean; observedOn: ObservedOn | null } => ({
  substantiated:
    observation !== undefined || isSubstantiated(evidence, addedAt == null ? promised : new Set()),
  observedOn: observation === undefined ? null : toObservedOn(observation),
})
