import * as z from 'zod'
import { analysisAnswer, analysisInfo, listAnalyses, runAnalysis } from '../analysis/named-analyses.ts'
import { name, wholeNumber } from '../core/fields.ts'
import { operation, project } from './operation.ts'

/** Questions that everybody asks of the graph, by name. */
export const analysisOperations = {
  listAnalyses: operation({
    summary: 'The named analyses: what each asks, takes and answers',
    scope: 'analyst',
    input: z.strictObject({ project }),
    output: z.object({ items: z.array(analysisInfo) }),
    run: async () => ({ items: listAnalyses() }),
  }),
  runAnalysis: operation({
    summary: 'The answer of a named analysis, of one project',
    scope: 'analyst',
    input: z.strictObject({
      project,
      name: name.describe('one of those that /v1/analyses lists'),
      featureId: name.nullish(),
      taskId: name.nullish(),
      worldSlug: name.nullish(),
      limit: wholeNumber(1, 10_000).default(100).describe('rows, 1 to 10,000'),
    }),
    output: analysisAnswer,
    run: (graph, input) => runAnalysis(graph, input),
  }),
} as const
