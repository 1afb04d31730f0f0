/** What the graph stores of criteria, decoded: each shape is the one declaration of its columns and of its type. */
import * as z from 'zod'
import type { Criterion } from '../../rules/identity.ts'
import { type Outcome, outcomeColumns } from '../../rules/outcome.ts'
import { type Progress, progressColumns } from '../../rules/progress.ts'
import { columns, textList as strings, optionalText as text } from '../../rules/values.ts'

/** `cypher/criteria/_criterion`. */
export const criterionRow = columns({
  key: z.string(),
  texts: strings,
  textSources: strings,
  labels: strings,
  labelSources: strings,
  mergedInto: text,
  worldKey: text,
}).transform(
  ({ texts, textSources, labels, labelSources, ...criterion }): Criterion => ({
    ...criterion,
    texts: texts.map((each, i) => ({ text: each, source: textSources[i] ?? '' })),
    aliases: labels.map((label, i) => ({ label, source: labelSources[i] ?? '' })),
  }),
)

/** The same as it is stored. */
export const storedCriterion = ({ texts, aliases, mergedInto, worldKey }: Criterion) => ({
  texts: texts.map(({ text }) => text),
  textSources: texts.map(({ source }) => source),
  labels: aliases.map(({ label }) => label),
  labelSources: aliases.map(({ source }) => source),
  mergedInto,
  worldKey,
})

/** Where a criterion is, and the revision of the ledger it was derived at; null: half of a commit. */
export type ProgressAtRevision = { rev: number; progress: Progress } | null

/**
 * What an edge (:World)-[:PROGRESS]->(:Criterion) keeps for the next capture or context: one text, so that no
 * reader meets a part of it, and that it costs one value and not twenty. It is the list of the values without
 * their names, a quarter as long. What stands beside it is for analysts.
 */
export const progressRow = text.transform((list): ProgressAtRevision => {
  if (list === null) return null
  const [rev, ...values] = z.tuple([z.number()], z.unknown()).parse(JSON.parse(list))
  return { rev, progress: progressColumns.parse(values) }
})

export const progressProperties = (
  progress: Progress,
  rev: number,
): { kept: string; state: string; rejections: number } => {
  const { state, rejections } = progress
  return { kept: JSON.stringify([rev, ...z.encode(progressColumns, progress)]), state, rejections }
}

/** A world counts up the revisions of its edges: a reader that raced a commit sees another sum. */
export const progressIsWhole = (progressSum: number, edges: readonly ProgressAtRevision[]): boolean =>
  edges.reduce((sum, edge) => sum + (edge?.rev ?? Number.NaN), 0) === progressSum

/** How a counted turn ended, as one text: on the turn, and of the newest turns on the world. */
export const outcomeText = z.string().transform((list): Outcome => outcomeColumns.parse(JSON.parse(list)))

export const outcomeRow = (outcome: Outcome | null): string | null =>
  outcome === null ? null : JSON.stringify(z.encode(outcomeColumns, outcome))
