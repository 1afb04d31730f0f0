import { z } from 'zod'
import { optionalNumber as number, textList as strings, optionalText as text } from '../graph/columns.ts'
import { PROMISE_STATUSES } from '../turns/record.ts'
import type { Criterion } from './identity.ts'
import type { Progress } from './state.ts'

/** What the graph keeps of criteria, decoded. */

export const criterionRow = z
  .object({
    key: z.string(),
    texts: strings,
    textSources: strings,
    labels: strings,
    labelSources: strings,
    mergedInto: text,
    worldKey: text,
  })
  .transform(
    ({ key, texts, textSources, labels, labelSources, mergedInto, worldKey }): Criterion => ({
      key,
      texts: texts.map((held, i) => ({ text: held, source: textSources[i] ?? '' })),
      aliases: labels.map((label, i) => ({ label, source: labelSources[i] ?? '' })),
      mergedInto,
      worldKey,
    }),
  )

const standing = z.enum(['verified', 'rejected', 'pending'])

/** The edge (:World)-[:PROGRESS]->(:Criterion), with `rev`: the revision of the ledger it was written at. */
export const progressRow = z
  .object({
    rev: z.number(),
    firstTurn: z.number(),
    firstPosition: z.number(),
    label: text,
    firstJudgedTurn: number,
    lastTurn: number,
    lastVerifiedTurn: number,
    state: standing,
    verifiedInTurn: number,
    contestedInTurn: number,
    evidenceState: standing,
    evidenceVerifiedInTurn: number,
    evidenceContestedInTurn: number,
    latestState: standing,
    latestVerifiedInTurn: number,
    promiseTurn: number,
    promiseStatus: z
      .enum(PROMISE_STATUSES)
      .nullish()
      .transform((value) => value ?? null),
    promiseLabel: text,
  })
  .transform(({ rev, ...progress }): { rev: number; progress: Progress } => ({ rev, progress }))

/** A world counts up the revisions of its edges: a reader that raced a commit sees another sum. */
export const progressIsWhole = (progressSum: number, edges: readonly { rev: number }[]): boolean =>
  edges.reduce((sum, { rev }) => sum + rev, 0) === progressSum
