/** Computes the lengths of the turns in which each tool is called. */
import * as z from 'zod'
import { readRows } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { ALL, commonParams, type ReportRequest } from './reports.ts'
import { NEVER_MS } from './statement-params.ts'
import { PERIOD_MS, toPeriod } from './sums.ts'

const toolStatsOfPeriods = statement('transcripts/tool-stats', 'periods')
const toolStatsOfTurns = statement('transcripts/tool-stats', 'turns')

export const toolStat = z.object({
  toolName: z.string(),
  count: z.number().describe('calls'),
  turns: z.number().describe('turns with at least one call'),
  avgTurnLen: z.number().describe('average length of those turns, each counted once'),
  longTurnPct: z.number().describe('share of long turns among them; 0 to 100'),
})
type ToolStat = z.output<typeof toolStat>

const toolRow = toolStat
  .omit({ longTurnPct: true, avgTurnLen: true })
  .extend({ longTurns: z.number(), turnCalls: z.number() })
type ToolRow = z.output<typeof toolRow>

type ToolStatsRequest = ReportRequest & { threshold: number }

/**
 * Lists the lengths of the turns in which each tool is called. They show whether the tool helps agents to
 * finish quickly.
 */
export async function listToolStats(graph: Graph, request: ToolStatsRequest): Promise<ToolStat[]> {
  const { fromMs, limit } = commonParams(request)
  const rows =
    fromMs === NEVER_MS
      ? await rowsFrom(graph, request, toPeriod(NEVER_MS), limit)
      : (await rowsSince(graph, request, fromMs)).slice(0, limit)
  return rows.map(({ longTurns, turnCalls, ...row }) => ({
    ...row,
    avgTurnLen: turnCalls / row.turns,
    longTurnPct: (100 * longTurns) / row.turns,
  }))
}

/** Adds the sums of whole periods, made at import, and the turns of the period that `fromMs` cuts. */
async function rowsSince(graph: Graph, request: ToolStatsRequest, fromMs: number): Promise<ToolRow[]> {
  const { project, threshold } = request
  const period = Math.ceil(fromMs / PERIOD_MS)
  const cut = { project, threshold, fromMs, untilMs: period * PERIOD_MS }
  const found = await Promise.all([
    rowsFrom(graph, request, period, ALL),
    readRows(graph, toolStatsOfTurns, cut, toolRow),
  ])
  const sums = new Map<string, ToolRow>()
  for (const row of found.flat()) sums.set(row.toolName, addRows(row, sums.get(row.toolName)))
  return [...sums.values()].sort((a, b) => b.count - a.count || (a.toolName < b.toolName ? -1 : 1))
}

const rowsFrom = (
  graph: Graph,
  { project, threshold }: ToolStatsRequest,
  period: number,
  limit: number,
): Promise<ToolRow[]> => readRows(graph, toolStatsOfPeriods, { project, threshold, period, limit }, toolRow)

const addRows = (a: ToolRow, b: ToolRow | undefined): ToolRow => ({
  toolName: a.toolName,
  count: a.count + (b?.count ?? 0),
  turns: a.turns + (b?.turns ?? 0),
  turnCalls: a.turnCalls + (b?.turnCalls ?? 0),
  longTurns: a.longTurns + (b?.longTurns ?? 0),
})
