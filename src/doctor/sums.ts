import * as z from 'zod'
import { readRows } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { transcriptKey } from '../keys.ts'
import { storedProperties } from '../stored/fits.ts'
import { nameFrom, patternKey, toolUseKey } from '../transcripts/stored.ts'
import { PERIOD_MS } from '../transcripts/sums.ts'
import type { Position } from './cursor.ts'
import { Findings } from './finding.ts'
import { checkKey, checkRecord, difference, heldMap } from './records.ts'
import { tell, type Walked, walkFrom } from './walked.ts'

/** What imports add up, counted anew from the turns. */

const patterns = statement('doctor/patterns')
const patternTurns = statement('doctor/pattern-turns')
const tools = statement('doctor/tools')
const usedTools = statement('doctor/used-tools')
const toolUses = statement('doctor/tool-uses')
const toolTurns = statement('doctor/tool-turns')
const desires = statement('doctor/desires')

const PATTERNS_AT_ONCE = 1_000

const texts = z.array(z.string().nullable())
const patternRow = z.object({ key: z.string(), held: heldMap, tools: texts })
const countRow = z.object({ key: z.string(), turns: z.number(), calls: z.number() })

export async function walkPatterns(graph: Graph, project: string, from: Position): Promise<Walked> {
  const params = { project, after: from.after, limit: PATTERNS_AT_ONCE }
  const rows = await readRows(graph, patterns, params, patternRow)
  const keys = rows.map(({ key }) => key)
  const counted = await readRows(graph, patternTurns, { project, keys }, countRow)
  const counts = new Map(counted.map(({ key, turns, calls }) => [key, [turns, calls]]))
  const findings = new Findings()
  for (const { key, held, tools: first } of rows) {
    if (!checkRecord(findings, 'TurnPattern', key, held)) continue
    const pattern = storedProperties('TurnPattern', held)
    checkKey(findings, 'TurnPattern', key, patternKey(project, pattern.pattern))
    const wrong = difference([pattern.turns, pattern.calls], counts.get(key) ?? [0, 0])
    if (wrong !== null) findings.add('transcript_sums', 'TurnPattern', key, `turns, calls: ${wrong}`)
    if (first.length !== 1)
      findings.add('transcript_sums', 'TurnPattern', key, `starts with ${first.length} tools`)
  }
  const last = rows.length < PATTERNS_AT_ONCE ? undefined : rows.at(-1)
  return {
    examined: rows.length,
    findings: findings.all,
    next: last === undefined ? null : { ...from, after: last.key },
  }
}

const toolRow = z.object({ key: z.string(), held: heldMap })
const nameRow = z.object({ name: z.string() })

/** Tool by tool, in the order of their names. */
export async function walkTools(
  graph: Graph,
  project: string,
  from: Position,
  isTime: () => boolean,
): Promise<Walked> {
  const { walked, place } = walkFrom(from)
  const held = await readRows(graph, tools, { prefix: transcriptKey(project, '') }, toolRow)
  const used = await readRows(graph, usedTools, { project }, nameRow)
  const nodes = new Map(held.map((tool) => [String(tool.held.name), tool]))
  const names = [...new Set([...nodes.keys(), ...used.map(({ name }) => name)])].sort()
  for (const name of names.filter((each) => each > place.after)) {
    if (!isTime()) return walked
    const findings = new Findings()
    const node = nodes.get(name)
    const key = transcriptKey(project, nameFrom(name))
    if (node === undefined) findings.add('unattached', 'ToolUse', key, 'there is no such Tool')
    else if (checkRecord(findings, 'Tool', node.key, node.held)) checkKey(findings, 'Tool', node.key, key)
    const uses = await checkUses(graph, { project, tool: name, key }, findings)
    tell(walked, findings, 1 + uses)
    place.after = name
  }
  return { ...walked, next: null }
}

const sumRow = z.object({ period: z.number(), length: z.number(), turns: z.number(), sum: z.number() })

async function checkUses(
  graph: Graph,
  { project, tool, key }: { project: string; tool: string; key: string },
  findings: Findings,
): Promise<number> {
  const kept = await readRows(graph, toolUses, { project, tool }, toolRow)
  const sums = await readRows(graph, toolTurns, { toolKey: key, periodMs: PERIOD_MS }, sumRow)
  const counted = new Map(
    sums.map(({ period, length, turns, sum }) => [
      toolUseKey({ project, tool, period, length }),
      [turns, sum],
    ]),
  )
  for (const { key: of, held } of kept) {
    if (!checkRecord(findings, 'ToolUse', of, held)) continue
    const use = storedProperties('ToolUse', held)
    checkKey(findings, 'ToolUse', of, toolUseKey(use))
    const wrong = difference([use.turns, use.calls], counted.get(of) ?? [0, 0])
    if (wrong !== null) findings.add('transcript_sums', 'ToolUse', of, `turns, calls: ${wrong}`)
    counted.delete(of)
  }
  for (const [of, there] of counted)
    findings.add('transcript_sums', 'Tool', key, `${of} is not there, of ${there} turns and calls`)
  return kept.length
}

const desireRow = z.object({
  key: z.string(),
  held: heldMap,
  patterns: z.array(z.tuple([z.string(), z.number(), z.number()])),
})

export async function walkDesires(graph: Graph, project: string): Promise<Walked> {
  const rows = await readRows(graph, desires, { project }, desireRow)
  const findings = new Findings()
  for (const { key, held, patterns: of } of rows) {
    if (!checkRecord(findings, 'Desire', key, held)) continue
    const { count, avgLength, pattern } = storedProperties('Desire', held)
    checkKey(findings, 'Desire', key, patternKey(project, pattern))
    const [from] = of
    if (from === undefined || of.length > 1) continue // one without a pattern is unattached
    const wrong = difference([key, count, avgLength], [from[0], from[1], from[2] / from[1]])
    if (wrong !== null) findings.add('desire_stale', 'Desire', key, `pattern, count, average: ${wrong}`)
  }
  return { examined: rows.length, findings: findings.all, next: null }
}
