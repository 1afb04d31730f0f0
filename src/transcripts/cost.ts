/** Adds up the tokens of transcript turns (contract: doors.md, section 5). */
import * as z from 'zod'
import { projectKey, splitSessionId } from '../core/keys.ts'
import { readPages, readRows } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { addTokens, NO_TOKENS, splitByModel, type TokenCounts, totalTokens } from '../rules/turn-tokens.ts'
import { textList } from '../rules/values.ts'
import { commonParams, instantAt, type ReportRequest } from './reports.ts'
import { readAgents } from './session-agents.ts'

const turnUsage = statement('transcripts/turn-usage')
const sessionsOfTasks = statement('transcripts/sessions-of-tasks')

export const COST_GROUPS = ['task', 'session', 'model', 'agent', 'day'] as const
type CostGroup = (typeof COST_GROUPS)[number]

const tokens = {
  inputTokens: z.number().describe('input tokens, without cached ones'),
  outputTokens: z.number(),
  cacheReadTokens: z.number().describe('input tokens that were read from a cache'),
  cacheCreationTokens: z.number().describe('input tokens that were written to a cache'),
}

export const costRow = z.object({
  name: z
    .string()
    .nullable()
    .describe(
      'feature/task, session, model, coding agent or day (UTC); null: turns without a task or without a time',
    ),
  parent: z
    .string()
    .nullable()
    .describe('by session: the session that started this subagent; otherwise null'),
  turns: z.number().describe('transcript turns with tokens'),
  ...tokens,
  models: z.array(z.object({ model: z.string(), ...tokens })).describe('the same tokens by model'),
})
export type CostRow = z.output<typeof costRow>

const usageRow = z.object({
  key: z.string(),
  sessionId: z.string(),
  begunMs: z.number(),
  models: textList,
  modelTokens: z.array(z.number()),
})
const taskRow = z.object({ featureId: z.string(), taskId: z.string(), sessionId: z.string() })
const TURNS_AT_ONCE = 2_000
const NO_NAME = ''

/**
 * Lists sums of tokens, the largest first, or days in order. By task, a subagent counts for the task of its parent, and a session
 * of several tasks counts for each of them.
 */
export async function listCost(
  graph: Graph,
  { by, ...request }: ReportRequest & { by: CostGroup },
): Promise<CostRow[]> {
  const { project } = request
  const { fromMs, limit } = commonParams(request)
  const tasks = by === 'task' ? await readTasks(graph, project) : new Map<string, string[]>()
  const sums = new Map<string, CostRow>()
  for await (const page of readPages(graph, turnUsage, { project, fromMs }, usageRow, TURNS_AT_ONCE)) {
    const sessionIds = by === 'agent' ? page.map(({ sessionId }) => sessionId) : []
    const agentOf = await readAgents(graph, project, sessionIds)
    for (const row of page)
      for (const [name, models] of groupsOf(row, by, { tasks, agentOf })) addTurn(sums, name, by, models)
  }
  const rows = [...sums.values()]
  const byName = (a: CostRow, b: CostRow): number => ((a.name ?? '') < (b.name ?? '') ? -1 : 1)
  return rows
    .sort((a, b) => (by === 'day' ? 0 : totalTokens(b) - totalTokens(a)) || byName(a, b))
    .slice(0, limit)
}

type ModelTokens = TokenCounts & { model: string }

type Lookups = {
  tasks: ReadonlyMap<string, readonly string[]>
  agentOf: (sessionId: string) => string
}

/** Returns the names of the groups that a turn counts for, each with its tokens in the group. */
function groupsOf(
  { sessionId, begunMs, models, modelTokens }: z.output<typeof usageRow>,
  by: CostGroup,
  { tasks, agentOf }: Lookups,
): [name: string, models: ModelTokens[]][] {
  const usage = splitByModel(models, modelTokens)
  if (by === 'model') return usage.map((each) => [each.model, [each]])
  if (by === 'session') return [[sessionId, usage]]
  if (by === 'agent') return [[agentOf(sessionId), usage]]
  if (by === 'day') return [[instantAt(begunMs)?.slice(0, 10) ?? NO_NAME, usage]]
  const names = tasks.get(sessionId) ?? tasks.get(splitSessionId(sessionId).session) ?? [NO_NAME]
  return names.map((name) => [name, usage])
}

function addTurn(
  sums: Map<string, CostRow>,
  name: string,
  by: CostGroup,
  models: readonly ModelTokens[],
): void {
  const { agentId, session } = splitSessionId(name)
  const sum = sums.get(name) ?? {
    name: name === NO_NAME ? null : name,
    parent: by === 'session' && agentId !== null ? session : null,
    turns: 0,
    ...NO_TOKENS,
    models: [],
  }
  sums.set(name, sum)
  sum.turns++
  for (const { model, ...tokens } of models) {
    addTokens(sum, tokens)
    const ofModel = sum.models.find((each) => each.model === model)
    if (ofModel === undefined) sum.models.push({ model, ...tokens })
    else addTokens(ofModel, tokens)
  }
}

async function readTasks(graph: Graph, project: string): Promise<Map<string, string[]>> {
  const rows = await readRows(graph, sessionsOfTasks, { projectKey: projectKey(project) }, taskRow)
  const tasks = new Map<string, string[]>()
  for (const { featureId, taskId, sessionId } of rows)
    tasks.set(sessionId, [...(tasks.get(sessionId) ?? []), `${featureId}/${taskId}`])
  return tasks
}
