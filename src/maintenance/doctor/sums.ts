/** Recounts the sums of patterns, tools and desires, which imports keep, from the turns. */
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { patternKey, toolKey, toolUseKey } from '../../core/keys.ts'
import { readKeys, readRows } from '../../graph/decode.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import { selectNodes, setProperties } from '../../graph/model-statements.ts'
import { toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { optionalNumber } from '../../rules/values.ts'
import { PERIOD_MS } from '../../transcripts/sums.ts'
import type { Examined, ToCheck } from './finding.ts'

const patternTurns = statement('doctor/pattern-turns')
const toolUses = statement('doctor/tool-uses', 'read')
export const USES_LOCKED = statement('doctor/tool-uses', 'locked')
const toolTurns = statement('doctor/tool-turns')
const repairUses = statement('transcripts/count-uses', 'set')

const countRow = z.object({ key: z.string(), turns: z.number(), calls: z.number() })

export async function checkPatterns({ graph, project, nodes }: ToCheck): Promise<void> {
  const keys = nodes.map(({ key }) => key)
  const counted = await readRows(graph, patternTurns, { project, keys }, countRow)
  const counts = new Map(counted.map(({ key, ...count }) => [key, count]))
  for (const { key, properties, row, about } of nodes) {
    const { turns, calls } = counts.get(key) ?? NO_USE
    const says = [properties.turns, properties.calls]
    about.reportDifference(
      'transcript_sums',
      { label: 'turns, calls:', actual: says, expected: [turns, calls] },
      () => setProperties('TurnPattern', key, { turns, calls }),
    )
    const { length } = row.tools as unknown[]
    if (length !== 1) about.add('transcript_sums', `starts with ${length} tools`)
  }
}

const NO_USE = { turns: 0, calls: 0 }

const useRow = z.object({ key: z.string(), turns: optionalNumber, calls: optionalNumber })
const sumRow = z.object({ period: z.number(), length: z.number(), turns: z.number(), sum: z.number() })

/** Compares the stored sums of a tool with the sums over its turns. */
export async function checkTool({ graph, project, nodes: [node], findings }: ToCheck): Promise<void> {
  if (node === undefined) return
  const tool = String(node.properties.name)
  const stored = await readRows(graph, toolUses, { project, tool }, useRow)
  const sums = await readRows(graph, toolTurns, { toolKey: node.key, periodMs: PERIOD_MS }, sumRow)
  const derived = sums.map(({ period, length, turns, sum: calls }) => {
    const use = { project, tool, period, length }
    return { key: toolUseKey(use), ...use, turns, calls }
  })
  const counted = new Map(derived.map(({ key, turns, calls }) => [key, [turns, calls]]))
  const gone = stored.filter(({ key }) => !counted.has(key)).map(({ key }) => ({ key, ...NO_USE }))
  const repair = toStep(repairUses, { batch: { rows: [...derived, ...gone] }, token: randomUUID() })
  for (const { key, turns, calls } of stored) {
    const there = counted.get(key) ?? [0, 0]
    findings
      .of('ToolUse', key)
      .reportDifference(
        'transcript_sums',
        { label: 'turns, calls:', actual: [turns, calls], expected: there },
        repair,
      )
    counted.delete(key)
  }
  for (const [key, there] of counted)
    node.about.add('transcript_sums', `${key} is not there, of ${there} turns and calls`, repair)
}

/** Reports sums of a tool without a node: no turn can have called such a tool. */
export async function checkUses({ graph, project, nodes }: ToCheck): Promise<void> {
  const keyOfTool = ({ properties }: Examined) => toolKey(project, (properties as Stored<'ToolUse'>).tool)
  const keys = [...new Set(nodes.map(keyOfTool))]
  const existing = new Set(await readKeys(graph, selectNodes('Tool'), { keys }))
  for (const node of nodes.filter((each) => !existing.has(keyOfTool(each)))) {
    const rows = [{ key: node.key, ...NO_USE }]
    const repair = toStep(repairUses, { batch: { rows }, token: randomUUID() })
    node.about.add('unattached', `there is no Tool ${keyOfTool(node)}`, repair)
  }
}

const pattern = z.tuple([z.string(), z.number(), z.number()])

export async function checkDesires({ nodes }: ToCheck): Promise<void> {
  for (const { properties, row, about } of nodes) {
    const [from, ...others] = z.array(pattern).parse(row.patterns)
    if (from === undefined || others.length > 0) continue // a desire without a pattern is reported as unattached
    const desire = properties as Stored<'Desire'>
    const says = [patternKey(desire.project, desire.pattern), desire.count, desire.avgLength]
    const [of, turns, calls] = from
    about.reportDifference('desire_stale', {
      label: 'pattern, count, average:',
      actual: says,
      expected: [of, turns, calls / turns],
    })
  }
}
