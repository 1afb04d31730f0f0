/** Lists what a record says of criteria, and resolves which criteria it means. Pure. */
import type { TurnRecord, Verification } from '../memory/record/record.ts'
import { isSubstantiated, listPromisedEvidence } from './absence.ts'
import { type Entry, type Known, type Resolution, resolveCriteria } from './identity.ts'
import type { LedgerEntry, PromiseEntry } from './progress.ts'
import type { Source } from './values.ts'

/** The parts of a record that name criteria. */
export type NamingRecord = Pick<
  TurnRecord,
  'turnNumber' | 'acceptanceCriteriaStatus' | 'verifications' | 'promises' | 'issues'
>

/** A verification as it is stored, with the form it came in: a map entry names the criterion by its id alone. */
type StoredVerification = Verification & { form: 'status' | 'entry' }

/** All that a record says of criteria: the entries of its status map, then those in full. */
export const listVerifications = ({
  acceptanceCriteriaStatus,
  verifications,
}: Pick<TurnRecord, 'acceptanceCriteriaStatus' | 'verifications'>): StoredVerification[] => [
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

/** Its gates in their order. */
export const listGates = ({ gates }: Pick<TurnRecord, 'gates'>) =>
  Object.entries(gates).map(([name, status]) => ({ name, status }))

const mentions = ({ issues }: NamingRecord): string[] => issues.flatMap(({ criterionIds }) => criterionIds)

/** Whether resolving needs to know anything: a turn without criteria is stored without a read. */
export const namesCriteria = (record: NamingRecord): boolean =>
  listVerifications(record).length + record.promises.length + mentions(record).length > 0

/** An entry without a text may mean what the Player last meant by its label. */
export const needsEarlier = (record: NamingRecord): boolean =>
  listVerifications(record).some(({ criterionText }) => criterionText === null) || mentions(record).length > 0

export function resolveTurn(record: NamingRecord, known: Known): Resolution {
  const entry = (label: string, text: string | null, source: Source): Entry => ({ label, text, source })
  // The full entries first: they have texts, so that an id of the status map means the criterion of that text.
  const { judgements, ...resolution } = resolveCriteria(known, {
    promises: record.promises.map((promise) => entry(promise.criterionId, promise.criterionText, 'player')),
    judgements: [
      record.verifications.map(({ criterionId, criterionText, source, evidence }) => ({
        ...entry(criterionId, criterionText, source),
        evidence,
      })),
      Object.keys(record.acceptanceCriteriaStatus).map((label) => entry(label, null, 'coach')),
    ],
    mentioned: mentions(record),
  })
  return { ...resolution, judgements: judgements.toReversed() }
}

/**
 * Lists the entries that the turn adds to the ledger of its world.
 *
 * @param firstPosition of its verifications
 */
export function listEntries(
  record: NamingRecord,
  resolution: Pick<Resolution, 'judgements' | 'promises'>,
  firstPosition = 0,
): { ledger: LedgerEntry[]; promised: PromiseEntry[] } {
  const verified = resolution.judgements.flat()
  const promised = listPromisedEvidence(record.promises)
  const turn = record.turnNumber
  return {
    ledger: listVerifications(record).map(({ criterionId, status, source, form, evidence }, i) => ({
      turn,
      position: firstPosition + i,
      criterionKey: verified[i] ?? '',
      label: criterionId,
      status,
      source,
      form,
      substantiated: isSubstantiated(evidence, promised),
      evidence,
    })),
    promised: record.promises.map(({ criterionId, status, evidence }, position) => ({
      turn,
      position,
      criterionKey: resolution.promises[position] ?? '',
      label: criterionId,
      status,
      evidence,
    })),
  }
}
