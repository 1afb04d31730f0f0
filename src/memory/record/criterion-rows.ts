/** Decodes the rows of criteria. Each schema is the only declaration of its columns and its type. */
import * as z from 'zod'
import type { Criterion } from '../../rules/identity.ts'
import { type Outcome, outcomeColumns } from '../../rules/outcome.ts'
import { type Progress, progressColumns } from '../../rules/progress.ts'
import { columns, textList as strings, optionalText as text } from '../../rules/values.ts'

/** Columns of `cypher/criteria/_criterion`. */
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

/** Converts a criterion to its stored form. */
export const storedCriterion = ({ texts, aliases, mergedInto, worldKey }: Criterion) => ({
  texts: texts.map(({ text }) => text),
  textSources: texts.map(({ source }) => source),
  labels: aliases.map(({ label }) => label),
  labelSources: aliases.map(({ source }) => source),
  mergedInto,
  worldKey,
})

/** Progress of a criterion with the revision of its ledger; null means half a commit. */
export type ProgressAtRevision = { rev: number; progress: Progress } | null

/**
 * Text of an edge (:World)-[:PROGRESS]->(:Criterion) for the next capture or context. It is one property, so that no reader sees
 * a part of it and it costs one value instead of twenty. It is the list of the values without names, a quarter as long as a map.
 * The other properties of the edge are for analysts.
 */
export const progressRow = text.transform((list): ProgressAtRevision => {
  if (list === null) return null
  const [rev, ...values] = revisionAndValues.parse(JSON.parse(list))
  return { rev, progress: progressColumns.parse(values) }
})

const revisionAndValues = z.tuple([z.number()], z.unknown())

export const progressProperties = (
  progress: Progress,
  rev: number,
): { kept: string; state: string; rejections: number } => {
  const { state, rejections } = progress
  return { kept: JSON.stringify([rev, ...z.encode(progressColumns, progress)]), state, rejections }
}

/** Checks the sum of the revisions of a world's edges, which differs if a read overlaps with a commit. */
export const progressIsWhole = (progressSum: number, edges: readonly ProgressAtRevision[]): boolean =>
  edges.reduce((sum, edge) => sum + (edge?.rev ?? Number.NaN), 0) === progressSum

/** End of a counted turn as a text, stored on the turn and, for the newest turns, on the world. */
export const outcomeText = z.string().transform((list): Outcome => outcomeColumns.parse(JSON.parse(list)))

export const outcomeRow = (outcome: Outcome | null): string | null =>
  outcome === null ? null : JSON.stringify(z.encode(outcomeColumns, outcome))
