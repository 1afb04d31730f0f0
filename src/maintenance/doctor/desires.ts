/** Compares the stored counts of desires with the turns of their patterns. */
import * as z from 'zod'
import { patternKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Stored } from '../../graph/model/nodes.ts'
import { statement } from '../../graph/statements.ts'
import type { ToCheck } from './finding.ts'

const patternTurns = statement('doctor/pattern-turns')

const countRow = z.object({ key: z.string(), turns: z.number(), calls: z.number() })
const keys = z.array(z.string())

export async function checkDesires({ graph, nodes }: ToCheck): Promise<void> {
  const surfaced = nodes.map((node) => ({ ...node, patterns: keys.parse(node.row.patterns) }))
  const followed = [...new Set(surfaced.flatMap(({ patterns }) => patterns))]
  const counted = await readRows(graph, patternTurns, { keys: followed }, countRow)
  const counts = new Map(counted.map(({ key, turns, calls }) => [key, [turns, calls / turns]]))
  for (const { properties, patterns, about } of surfaced) {
    const [from, ...others] = patterns
    if (from === undefined || others.length > 0) continue // a desire without a pattern is reported as unattached
    const desire = properties as Stored<'Desire'>
    about.reportDifference('desire_stale', {
      label: 'pattern, count, average:',
      actual: [patternKey(desire.project, desire.pattern), desire.count, desire.avgLength],
      expected: [from, ...(counts.get(from) ?? [0, null])],
    })
  }
}
