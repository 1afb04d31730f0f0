// Runs the named analyses of cypher/analysis, and lists them.
import * as z from 'zod'
import { invalidFields, TurngraphError } from '../core/errors.ts'
import { projectKey } from '../core/keys.ts'
import { didYouMean, nearNames } from '../core/near-names.ts'
import { type Graph, graphWith } from '../graph/port.ts'
import { readHeadComment, type Statement, statement, statementNames } from '../graph/statements.ts'
import { requireNames, requireProject } from '../memory/scope/missing-name.ts'
import { getWorld } from '../memory/worlds/worlds.ts'
import { BoundedQueue, type Limits } from './bounded-queue.ts'
import { COST_ANALYSES } from './cost-analyses.ts'
import { PROOF_ANALYSES } from './proof-analyses.ts'
import { type Computed, MAX_CANDIDATES, STALL_ANALYSES } from './stall-analyses.ts'

/** Names of the analyses. Each is a file of `cypher/analysis` whose head describes the question and the answer. */
const NAMES = statementNames('analysis')

/** Analyses whose statement finds sessions, which a rule in TypeScript then judges. */
export const COMPUTED_ANALYSES: ReadonlyMap<string, Computed> = new Map([
  ...STALL_ANALYSES,
  ...PROOF_ANALYSES,
  ...COST_ANALYSES,
])

const anyInScope = statement('worlds/any-in-scope')

/** Analyses read whole projects. Clients wait for 30 s. */
const TIMEOUT_MS = 25_000

/** Additional time after which the engine itself ends an analysis that this process could not cancel. */
const ENGINE_MS = 1_000

/** Each analysis may hold a connection for 25 s: fifty of them would leave none for captures and other requests. */
const queue = new BoundedQueue({
  atOnce: 4,
  mostWaiting: 32,
  noun: { one: 'analysis', many: 'analyses' },
  tooLong: (timeoutMs) =>
    new TurngraphError('timeout', `The analysis was not done within ${timeoutMs / 1_000} s.`, {
      hint: 'Limit it to a feature, a task or a world, or try again when other analyses are done.',
    }),
})

/** Filters that a request may use to narrow an answer. Each analysis accepts those that apply to it. */
const FILTERS = ['feature_id', 'task_id', 'world_slug'] as const
type Filter = (typeof FILTERS)[number]

/** Parameter of the statements for each filter. */
const PARAMETERS = { feature_id: 'feature', task_id: 'task', world_slug: 'world' } as const

export const analysisInfo = z.object({
  name: z.string(),
  question: z.string(),
  about: z.string().describe('what exactly is counted'),
  filters: z.array(z.enum(FILTERS)).describe('the fields that narrow it down'),
  columns: z.array(z.string()),
  cypher: z
    .string()
    .describe(
      'the whole statement; for an analysis of stalls, proofs or costs, it finds the worlds that the rule then judges',
    ),
  params: z.array(z.string()).describe('the parameters that it takes'),
})

export const analysisAnswer = analysisInfo.pick({ name: true, question: true, columns: true }).extend({
  rows: z.array(z.array(z.json())).describe('in the order of the columns'),
  truncated: z
    .boolean()
    .describe('true: there are more rows than the limit, or more sessions than the analysis reads'),
})

type Analysis = z.output<typeof analysisInfo> & { statement: Statement }

function requireAnalysis(name: string): Analysis {
  const found = statement(`analysis/${name}`)
  const head = readHeadComment(found)
  const field = (label: string): string | null => {
    const line = head.find((candidate) => candidate.startsWith(`${label}: `))
    return line === undefined ? null : line.slice(label.length + 2)
  }
  const [question, columns] = [field('question'), field('columns')]
  if (question === null || columns === null) throw new Error(`cypher/${found.name}.cypher has no full head`)
  return {
    name,
    question,
    about: head.filter((line) => !/^(question|columns|params|include)\b/.test(line)).join(' '),
    filters: FILTERS.filter((filter) => found.params.includes(PARAMETERS[filter])),
    columns: columns.split(', '),
    cypher: found.text,
    params: [...found.params],
    statement: found,
  }
}

const analyses: ReadonlyMap<string, Analysis> = new Map(NAMES.map((name) => [name, requireAnalysis(name)]))

export const listAnalyses = (): z.output<typeof analysisInfo>[] =>
  [...analyses.values()].map(({ statement: _, ...info }) => info)

export type AnalysisRequest = {
  project: string
  name: string
  featureId?: string | null | undefined
  taskId?: string | null | undefined
  worldSlug?: string | null | undefined
  limit: number
}

/**
 * Answers a named question about one project. Each statement starts at the project, so it sees no other data.
 *
 * @throws `not_found` if no analysis has the name or no world matches the filters; `unknown_world`;
 * `invalid_request` if a filter does not apply to the analysis; `timeout` after 25 s, including the wait in
 * the queue; `rate_limited` if too many wait
 * @param caller aborted if the caller gives up: the analysis ends if its engine can be interrupted
 * @example
 * await runAnalysis(graph, { project: 'shop', name: 'blockers', limit: 10 })
 * // { columns: ['category', 'issues', 'turns', 'worlds'], rows: [['noise', 3, 2, 1]], truncated: false, … }
 */
export async function runAnalysis(
  graph: Graph,
  request: AnalysisRequest,
  caller?: AbortSignal,
): Promise<z.output<typeof analysisAnswer>> {
  const { name, question, columns, statement } = findAnalysis(request.name)
  const computed = COMPUTED_ANALYSES.get(name)
  const limit = computed === undefined ? request.limit + 1 : MAX_CANDIDATES + 1
  const { params } = prepareAnalysis({ ...request, limit })
  let leftOut = false
  const read = async ({ leftMs, signal }: Limits) => {
    const deadline = performance.now() + leftMs + ENGINE_MS
    const rows = await graph.readLong(statement, params, { deadline, signal })
    if (computed === undefined) return rows
    // Reads have the deadline of the analysis, because Neo4j may need longer than a request to plan a new statement.
    const withDeadline = graphWith(graph, { read: (each, values) => graph.read(each, values, deadline) })
    leftOut = rows.length > MAX_CANDIDATES
    return computed(withDeadline, rows.slice(0, MAX_CANDIDATES), request.limit + 1, signal)
  }
  const found = await queue.run(read, { timeoutMs: TIMEOUT_MS, caller })
  if (found.length === 0) await requireScope(graph, request)
  return {
    name,
    question,
    columns,
    rows: found
      .slice(0, request.limit)
      .map((row) => columns.map((column) => z.json().parse(row[column] ?? null))),
    truncated: leftOut || found.length > request.limit,
  }
}

function findAnalysis(name: string): Analysis {
  const analysis = analyses.get(name)
  if (analysis === undefined) throw unknownAnalysis(name)
  return analysis
}

/** @throws `not_found` if no analysis has the name; `invalid_request` if a filter does not apply to the analysis */
export function prepareAnalysis(request: AnalysisRequest): {
  question: string
  about: string
  cypher: string
  params: Record<string, string | number>
} {
  const analysis = findAnalysis(request.name)
  const given = { feature_id: request.featureId, task_id: request.taskId, world_slug: request.worldSlug }
  refuseIdle(analysis, given)
  const narrowed = Object.fromEntries(
    analysis.filters.map((filter) => [PARAMETERS[filter], given[filter] ?? '']),
  )
  const scope = { project: request.project, projectKey: projectKey(request.project), ...narrowed }
  const params = Object.entries({ ...scope, limit: request.limit }).filter(([key]) =>
    analysis.params.includes(key),
  )
  const { question, about, cypher } = analysis
  return { question, about, cypher, params: Object.fromEntries(params) }
}

/** Rejects filters that the analysis ignores: the caller would believe that they narrow the answer. */
function refuseIdle({ name, filters }: Analysis, given: Record<Filter, string | null | undefined>): void {
  const problems = FILTERS.filter((filter) => given[filter] != null && !filters.includes(filter)).map(
    (filter) => ({ path: filter, message: `means nothing to ${name}; leave it out` }),
  )
  if (problems.length > 0) throw invalidFields(problems)
}

/** Fails on a scope that does not exist, so that a typo is not answered with zero rows. */
async function requireScope(
  graph: Graph,
  { project, featureId, taskId, worldSlug }: AnalysisRequest,
): Promise<void> {
  await requireProject(graph, project)
  await requireNames(graph, { project, featureId, taskId })
  if (worldSlug != null) await getWorld(graph, project, worldSlug)
  const [feature, task, world] = [featureId ?? '', taskId ?? '', worldSlug ?? '']
  const scope = { feature_id: feature, task_id: task, world_slug: world }
  const given = Object.entries(scope).flatMap(([field, value]) => (value === '' ? [] : `${field} ${value}`))
  if (given.length === 0) return
  const found = await graph.read(anyInScope, { projectKey: projectKey(project), feature, task, world })
  if (found.length > 0) return
  throw new TurngraphError('not_found', `Project ${project} has no world with ${given.join(' and ')}.`, {
    hint: '`turngraph worlds` (GET /v1/worlds) lists them.',
  })
}

function unknownAnalysis(name: string): TurngraphError {
  const near = nearNames(name, NAMES)
  const message = `There is no analysis "${name.slice(0, 200)}".${didYouMean(near)}`
  return new TurngraphError('not_found', message, {
    hint: `The analyses are ${NAMES.join(', ')}.`,
    details: { near },
  })
}
