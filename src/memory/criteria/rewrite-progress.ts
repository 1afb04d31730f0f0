/** Writes the state of all criteria of a world again, after its turns were folded. */
import { type Step, toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { type Progress, summarizeProgress } from '../../rules/progress.ts'
import { progressProperties } from '../record/criterion-rows.ts'

const rewriteProgress = statement('criteria/rewrite-progress')

/** @param world its key, and the revision of the ledger that was folded */
export function rewriteProgressStep(
  { key, ledgerRev }: { key: string; ledgerRev: number },
  progress: ReadonlyMap<string, Progress>,
): Step {
  const rev = ledgerRev + 1
  return toStep(rewriteProgress, {
    key,
    properties: { ledgerRev: rev, progressSum: rev * progress.size, ...summarizeProgress(progress.values()) },
    progress: [...progress].map(([criterion, each]) => ({ criterion, ...progressProperties(each, rev) })),
  })
}
