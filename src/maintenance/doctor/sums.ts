import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { patternKey, toolKey, toolUseKey, transcriptKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import { storedProperties } from '../../graph/model/validate.ts'
import { type Graph, stepOf } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { PERIOD_MS } from '../../transcripts/sums.ts'
import type { Position } from './cursor.ts'
import { Findings } from './finding.ts'
import { checkKey, checkRecord, difference, heldMap, setOf } from './records.ts'
import { repairUnderLock } from './repair.ts'
import { tell, type Walk, type Walked, walkFrom } from './walked.ts'

/** What imports add up, counted anew from the turns. */

const patterns = statement('doctor/patterns')
const patternTurns = statement('doctor/pattern-turns')
const tools = statement('doctor/tools')
const usedTools = statement('doctor/used-tools')
const toolUses = statement('doctor/tool-uses')
const toolTurns = statement('doctor/tool-turns')
const desires = statement('doctor/desires')
const lockPatterns = statement('doctor/lock-patterns')
const lockUses = statement('doctor/lock-tool-uses')
const repairUses = statement('doctor/repair-tool-uses')

const PATTERNS_AT_ONCE = 1_000

const texts = z.array(z.string().nullable())
const patternRow = z.object({ key: z.string(), held: heldMap, tools: texts })
const countRow = z.object({ key: z.string(), turns: z.number(), calls: z.number() })

export async function walkPatterns(
  graph: Graph,
  project: string,
  from: Position,
  { repair }: Walk,
): Promise<Walked> {
  const { rows, findings, repairs } = await checkPatterns(graph, project, from)
  const lock = { statement: lockPatterns, params: { keys: rows.map(({ key }) => key) } }
  const shown =
    repair && repairs.length > 0
      ? await repairUnderLock(graph, lock, (locked) => checkPatterns(locked, project, from))
      : findings
  const last = rows.length < PATTERNS_AT_ONCE ? undefined : rows.at(-1)
  return {
    examined: rows.length,
    findings: shown,
    next: last === undefined ? null : { ...from, after: last.key },
  }
}

async function checkPatterns(graph: Graph, project: string, from: Position) {
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
    const [turns = 0, calls = 0] = counts.get(key) ?? []
    const wrong = difference([pattern.turns, pattern.calls], [turns, calls])
    if (wrong !== null)
      findings.add(
        'transcript_sums',
        'TurnPattern',
        key,
        `turns, calls: ${wrong}`,
        setOf('TurnPattern', key, { turns, calls }),
      )
    if (first.length !== 1)
      findings.add('transcript_sums', 'TurnPattern', key, `starts with ${first.length} tools`)
  }
  return { rows, findings: findings.all, repairs: findings.repairs }
}

const toolRow = z.object({ key: z.string(), held: heldMap })
const nameRow = z.object({ name: z.string() })

/** Tool by tool, in the order of their names. */
export async function walkTools(
  graph: Graph,
  project: string,
  from: Position,
  { isTime, repair }: Walk,
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
    const key = toolKey(project, name)
    if (node === undefined) findings.add('unattached', 'ToolUse', key, 'there is no such Tool')
    else if (checkRecord(findings, 'Tool', node.key, node.held)) checkKey(findings, 'Tool', node.key, key)
    const ofTool = { project, tool: name, key }
    const before = findings.all.length
    const uses = await checkUses(graph, ofTool, findings)
    if (repair && findings.repairs.length > 0) {
      const lock = { statement: lockUses, params: { project, tool: name } }
      const repaired = await repairUnderLock(graph, lock, async (locked) => {
        const again = new Findings()
        await checkUses(locked, ofTool, again)
        return { findings: again.all, repairs: again.repairs }
      })
      findings.all.splice(before, findings.all.length, ...repaired)
    }
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
  const derived = sums.map(({ period, length, turns, sum: calls }) => {
    const use = { project, tool, period, length }
    return { key: toolUseKey(use), ...use, turns, calls }
  })
  const counted = new Map(derived.map(({ key: of, turns, calls }) => [of, [turns, calls]]))
  const gone = kept.filter(({ key: of }) => !counted.has(of)).map(({ key: of }) => ({ key: of, ...NO_USE }))
  const repair = stepOf(repairUses, { batch: { rows: [...derived, ...gone] }, token: randomUUID() })
  for (const { key: of, held } of kept) {
    if (!checkRecord(findings, 'ToolUse', of, held)) continue
    const use = storedProperties('ToolUse', held)
    checkKey(findings, 'ToolUse', of, toolUseKey(use))
    const wrong = difference([use.turns, use.calls], counted.get(of) ?? [0, 0])
    if (wrong !== null) findings.add('transcript_sums', 'ToolUse', of, `turns, calls: ${wrong}`, repair)
    counted.delete(of)
  }
  for (const [of, there] of counted)
    findings.add('transcript_sums', 'Tool', key, `${of} is not there, of ${there} turns and calls`, repair)
  return kept.length
}

const NO_USE = { turns: 0, calls: 0 }

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
