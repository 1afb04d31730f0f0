// Declares the operations of analysts.
import * as z from 'zod'
import { describeGraph, GRAPH_NAMES, graphSchema } from '../analysis/graph-schema.ts'
import { analysisAnswer, analysisInfo, listAnalyses, runAnalysis } from '../analysis/named-analyses.ts'
import { neighborhood, readNeighbors } from '../analysis/neighbors.ts'
import { findUnknownNames, unknownName } from '../analysis/query/unknown-names.ts'
import { asTurngraphError } from '../core/errors.ts'
import { name, project, wholeNumber } from '../core/fields.ts'
import { page } from '../core/pages.ts'
import { scrub } from '../core/scrub/scrub.ts'
import { operation } from './operation.ts'

/** False if a value contains an integer beyond the precision of a double, whose last digits are already lost. */
function keepsItsDigits(value: unknown): boolean {
  if (typeof value === 'number') {
    return !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 2 ** 63
  }
  return value === null || typeof value !== 'object' || Object.values(value).every(keepsItsDigits)
}

export const analysisOperations = {
  listAnalyses: operation({
    summary: 'The named analyses: what each asks, takes and answers',
    scope: 'analyst',
    input: z.strictObject({ project }),
    output: page(analysisInfo),
    run: async () => ({ items: listAnalyses(), nextCursor: null }),
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
    run: (graph, input, { signal }) => runAnalysis(graph, input, signal),
  }),
  queryGraph: operation({
    summary: 'The rows of one reading Cypher statement, of the whole graph',
    scope: 'analyst',
    wholeGraph: true,
    input: z.strictObject({
      query: z.string().min(1).max(20_000).describe('one statement; it reads only'),
      params: z
        .record(
          z.string().min(1).max(256),
          z.json().refine(keepsItsDigits, {
            error:
              'has a whole number beyond 2^53, which JSON rounds; give it as text, and write toInteger() around it',
          }),
        )
        .nullish()
        .describe('its parameters, by name; one that it does not use is passed over, as Neo4j does'),
      limit: wholeNumber(1, 10_000).default(1_000).describe('rows, 1 to 10,000'),
      timeoutMs: wholeNumber(1, 60_000).default(10_000).describe('milliseconds, 1 to 60,000'),
    }),
    output: z.object({
      columns: z.array(z.string()),
      rows: z.array(z.array(z.unknown())).describe('in the order of the columns'),
      truncated: z.boolean().describe('true: there are more rows than the limit, or more than 4 MiB of them'),
      elapsedMs: z.number().describe('milliseconds in the engine'),
      warnings: z
        .array(unknownName)
        .describe('names in the query that the graph does not have, with similar names'),
    }),
    run: async (_graph, { query, params, limit, timeoutMs }, { queries, log, signal }) => {
      const began = performance.now()
      const audit = async (outcome: Record<string, unknown>) => {
        const { scrubbed } = await scrub({ query })
        const ms = Math.round(performance.now() - began)
        log?.('query', { audit: 'query', ...scrubbed, params: Object.keys(params ?? {}), ms, ...outcome })
      }
      try {
        const request = { query, params: params ?? {}, limit, timeoutMs, signal }
        const answer = await queries.ask(request)
        await audit({ outcome: 'ok', rows: answer.rows.length })
        return { ...answer, warnings: findUnknownNames(query, GRAPH_NAMES) }
      } catch (error) {
        await audit({ outcome: asTurngraphError(error).code })
        throw error
      }
    },
  }),
  describeGraph: operation({
    summary: 'What the graph holds: its nodes, its relationships and their properties',
    scope: 'analyst',
    input: z.strictObject({ project }),
    output: graphSchema,
    run: async () => describeGraph(),
  }),
  listNeighbors: operation({
    summary: 'A node by the id that a query answered, and its neighbors',
    scope: 'analyst',
    wholeGraph: true,
    input: z.strictObject({
      nodeId: z.string().min(1).max(256).describe('as a query answers it'),
      limit: wholeNumber(1, 500).default(50).describe('neighbors, 1 to 500'),
    }),
    output: neighborhood,
    run: (_graph, input, { queries, signal }) => readNeighbors(queries, { ...input, signal }),
  }),
} as const
