/** Lists the entries of a record about criteria, and resolves which criteria they mean. Pure. */
import type { TurnRecord, Verification } from '../memory/record/record.ts'
import { listPromisedEvidence } from './absence.ts'
import { deriveVerification } from './derive-turn.ts'
import { type Entry, type Known, type Resolution, resolveCriteria } from './identity.ts'
import type { LedgerEntry, PromiseEntry } from './progress.ts'
import type { Source } from './values.ts'

/** The parts of a record that name criteria. */
export type NamingRecord = Pick<
  TurnRecord,
  'turnNumber' | 'acceptanceCriteriaStatus' | 'promises' | 'issues'
> & { verifications: readonly GivenVerification[] }

/** Stored verification with its form. A map entry names the criterion only by its id. */
export type StoredVerification = GivenVerification & { form: 'status' | 'entry' }

/** A verification of a record, or one that was added to a turn. */
type GivenVerification = Verification & { addedAt?: string | null }

/** Lists the verifications of a record: the entries of its status map, then the full entries. */
export const listVerifications = ({
  acceptanceCriteriaStatus,
  verifications,
}: Pick<NamingRecord, 'acceptanceCriteriaStatus' | 'verifications'>): StoredVerification[] => [
  ...Object.entries(acceptanceCriteriaStatus).map(
    ([criterionId, status]): StoredVerification => ({
      criterionId,
      criterionText: null,
      status,
      source: 'coach',
      evidence: null,
      form: 'status',
    }),
  ),
  ...verifications.map((given): StoredVerification => ({ ...given, form: 'entry' })),
]

export const listGates = ({ gates }: Pick<TurnRecord, 'gates'>) =>
  Object.entries(gates).map(([name, status]) => ({ name, status }))

const mentions = ({ issues }: NamingRecord): string[] => issues.flatMap(({ criterionIds }) => criterionIds)

export function resolveTurn(record: NamingRecord, known: Known): Resolution {
  const entry = (label: string, text: string | null, source: Source): Entry => ({ label, text, source })
  // Full entries come first: they have texts, so that an id in the status map means the criterion of that text.
  const { judgements, ...resolution } = resolveCriteria(known, {
    promises: record.promises.map((promise) => entry(promise.criterionId, promise.criterionText, 'player')),
    judgements: [
      record.verifications.map(({ criterionId, criterionText, source, evidence, addedAt }) => ({
        ...entry(criterionId, criterionText, source),
        evidence,
        isAdded: addedAt != null,
      })),
      Object.keys(record.acceptanceCriteriaStatus).map((label) => entry(label, null, 'coach')),
    ],
    mentioned: mentions(record),
  })
  return { ...resolution, judgements: judgements.toReversed() }
}

/** @param firstPosition position of the first verification of the turn */
export function listEntries(
  record: NamingRecord,
  resolution: Pick<Resolution, 'judgements' | 'promises'>,
  firstPosition = 0,
): { ledger: LedgerEntry[]; promised: PromiseEntry[] } {
  const verified = resolution.judgements.flat()
  const promised = listPromisedEvidence(record.promises)
  const turn = record.turnNumber
  return {
    ledger: listVerifications(record).map(
      (
        { criterionId, criterionText: text, status, source, form, evidence, observation, addedAt = null },
        i,
      ) => ({
        turn,
        position: firstPosition + i,
        criterionKey: verified[i] ?? '',
        label: criterionId,
        status,
        source,
        form,
        ...deriveVerification({ evidence, observation, addedAt }, promised),
        evidence,
        addedAt,
        text,
      }),
    ),
    promised: record.promises.map(({ criterionId, criterionText: text, status, evidence }, position) => ({
      turn,
      position,
      criterionKey: resolution.promises[position] ?? '',
      label: criterionId,
      status,
      evidence,
      text,
    })),
  }
}
