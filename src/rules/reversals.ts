/** Finds verifications that a judge of a later turn took back, and whether a file changed in between. Pure. */
import * as z from 'zod'
import type { CriterionState } from '../memory/criteria/views.ts'
import { isRequired } from './criterion-states.ts'
import { type ChangedFiles, countChangedBetween } from './file-changes.ts'
import type { RecentEntry } from './progress.ts'

const turns = {
  verifiedIn: z.number().describe('newest turn before the rejection that verified the criterion'),
  rejectedIn: z.number(),
  changedFiles: z
    .number()
    .nullable()
    .describe(
      'number of files that changed between the two; null: a turn does not list the files that it changed',
    ),
}

export const reversal = z.object({ key: z.string(), criterionId: z.string(), ...turns })
export type Reversal = z.output<typeof reversal>

export function findReversals(
  entries: readonly RecentEntry[],
  changed: ChangedFiles,
): Pick<Reversal, keyof typeof turns>[] {
  const reversals: Pick<Reversal, keyof typeof turns>[] = []
  let verifiedIn: number | null = null
  for (const { turn, status, judges } of entries) {
    if (!judges) continue
    if (status === 'rejected' && verifiedIn !== null && turn > verifiedIn) {
      const changedFiles = countChangedBetween(changed, verifiedIn, turn)
      reversals.push({ verifiedIn, rejectedIn: turn, changedFiles })
    }
    if (status === 'verified') verifiedIn = turn
    else if (status === 'rejected') verifiedIn = null
  }
  return reversals
}

export const MAX_REVERSALS = 200

export function listReversals(
  criteria: readonly CriterionState[],
  findEntries: (criterionKey: string) => readonly RecentEntry[],
  changed: ChangedFiles,
): Reversal[] {
  const rank = ({ changedFiles }: Reversal) => (changedFiles === 0 ? 0 : 1)
  return criteria
    .filter(isRequired)
    .flatMap(({ key, criterionId }) =>
      findReversals(findEntries(key), changed).map((one) => ({ key, criterionId, ...one })),
    )
    .sort((a, b) => rank(a) - rank(b) || b.rejectedIn - a.rejectedIn)
    .slice(0, MAX_REVERSALS)
}
