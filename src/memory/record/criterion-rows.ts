/** Decodes the rows of criteria. Each schema is the only declaration of its columns and its type. */
import * as z from 'zod'
import type { Criterion } from '../../rules/identity.ts'
import type { Progress } from '../../rules/progress.ts'
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

export const storedCriterion = ({ texts, aliases, mergedInto, worldKey }: Criterion) => ({
  texts: texts.map(({ text }) => text),
  textSources: texts.map(({ source }) => source),
  labels: aliases.map(({ label }) => label),
  labelSources: aliases.map(({ source }) => source),
  mergedInto,
  worldKey,
})

/** Builds the properties of an edge PROGRESS. They are for analysts: other reads use the edge only to find the criterion. */
export const toProgressProperties = (progress: Progress) => ({
  state: progress.state,
  rejections: progress.rejections,
  basis: progress.basis,
  verifiedInTurn: progress.verifiedInTurn,
  lastVerifiedTurn: progress.lastVerifiedTurn,
  observedAt: progress.basis === 'observed' ? (progress.observed?.on.at ?? null) : null,
  contestedInTurn: progress.contestedInTurn,
  judged: progress.label !== null,
})
