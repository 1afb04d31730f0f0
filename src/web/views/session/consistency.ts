// Finds verdicts of the Coach that do not fit each other or the evidence (contract: page.md, "Coach consistency"). Pure.
import { plural } from '../../../core/plural.ts'
import { nameCriterion } from '../../criterion-name.ts'
import type { Answered, Criteria } from '../../service/operations.ts'
import type { CellPlace } from './matrix-rows.ts'

type Asked = {
  criteria: Pick<Criteria, 'criteria' | 'promised_not_judged'>
  byTurn: Answered<'listCriteriaByTurn'>
  reversals: Answered<'getSessionSummary'>['reversals']
  /** Last turn that counts. */
  upTo: number
}

/** A verdict with the label of its criterion, and the position of its cell. */
export type Verdict = CellPlace & { label: string; says: string }

export type Consistency = {
  /** Number of verified verdicts, one for each criterion and turn. */
  verified: number
  /** True if the session may have more reversals, because the service returned the maximum number. */
  isCut: boolean
  /** Reversals without a file change. */
  reversedUnchanged: Verdict[]
  /** Reversals after file changes, or after unknown changes. */
  reversedOtherwise: Verdict[]
  /** Verified in the Player's words for the same criterion. */
  repeated: Verdict[]
  /** Verified in the Player's words for another criterion. */
  misplaced: Verdict[]
  /** Verified without evidence. */
  bare: Verdict[]
  /** Labels of declared or promised criteria that no judge has named. */
  neverNamed: string[]
}

/** Maximum number of reversals in an answer of the service. */
const MAX_ANSWERED = 200

export function readConsistency({ criteria, byTurn, reversals, upTo }: Asked): Consistency {
  const counted = criteria.criteria.filter(({ declared }) => declared !== false)
  const labels = new Map(counted.map((criterion) => [criterion.key, nameCriterion(criterion)]))
  const rows = byTurn.criteria.filter(({ key }) => labels.has(key))
  const select = (read: (row: (typeof rows)[number]) => readonly number[], says = '') =>
    rows
      .flatMap((row) =>
        read(row)
          .filter((turn) => turn <= upTo)
          .map((turn) => ({ key: row.key, turn, label: labels.get(row.key) ?? row.key, says })),
      )
      .toSorted((a, b) => a.turn - b.turn)
  const known = reversals.filter(({ rejected_in, key }) => rejected_in <= upTo && labels.has(key))
  const toVerdict = ({ key, verified_in, rejected_in, changed_files }: (typeof known)[number]): Verdict => ({
    key,
    turn: rejected_in,
    label: labels.get(key) ?? key,
    says: `verified in turn ${verified_in}${describeChanges(changed_files)}`,
  })
  return {
    isCut: reversals.length >= MAX_ANSWERED,
    verified: select(({ verified_in }) => verified_in).length,
    reversedUnchanged: known.filter(({ changed_files }) => changed_files === 0).map(toVerdict),
    reversedOtherwise: known.filter(({ changed_files }) => changed_files !== 0).map(toVerdict),
    repeated: select(({ repeated_in }) => repeated_in),
    misplaced: select(({ misplaced_in }) => misplaced_in),
    bare: select(({ bare_in }) => bare_in),
    neverNamed: [
      ...counted.filter(({ judged }) => judged === false),
      ...criteria.promised_not_judged.filter(({ key }) => !labels.has(key)),
    ].map(nameCriterion),
  }
}

function describeChanges(files: number | null): string {
  if (files === null) return ', changed files unknown'
  if (files === 0) return ', no file changed'
  return `, ${plural(files, 'file')} changed`
}
