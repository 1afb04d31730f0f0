/** Computes the lengths of the turns in which each tool is called. */
import * as z from 'zod'
import { readRows } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { commonParams, type ReportRequest } from './reports.ts'

const toolStats = statement('transcripts/tool-stats')

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

/**
 * Lists the lengths of the turns in which each tool is called. They show whether the tool helps agents to
 * finish quickly.
 */
export async function listToolStats(
  graph: Graph,
  request: ReportRequest & { threshold: number },
): Promise<ToolStat[]> {
  const { project, threshold } = request
  const rows = await readRows(graph, toolStats, { project, threshold, ...commonParams(request) }, toolRow)
  return rows.map(({ longTurns, turnCalls, ...row }) => ({
    ...row,
    avgTurnLen: turnCalls / row.turns,
    longTurnPct: (100 * longTurns) / row.turns,
  }))
}
