import * as z from 'zod'
import { readRows } from '../../graph/decode.ts'
import { LABELS, type Label } from '../../graph/model/nodes.ts'
import { ownersOf } from '../../graph/model/relationships.ts'
import { optionalText } from '../../graph/model/values.ts'
import { requiredBelow, unattachedOf } from '../../graph/model-statements.ts'
import type { Graph } from '../../graph/port.ts'
import type { Position } from './cursor.ts'
import { Findings } from './finding.ts'
import type { Walked } from './walked.ts'

/** Finds nodes that nothing leads to, by their label alone: one look at each, and so only in a whole graph. */

const UNATTACHED = LABELS.flatMap((label) => {
  const unattached = unattachedOf(label)
  return unattached === null ? [] : [{ label, unattached }]
})

function foundOf(label: Label): string {
  const owners = ownersOf(label).flatMap((row) => row.owners)
  const lacks = requiredBelow(label).map(({ of }) => `no ${of} hangs on it`)
  return [...(owners.length > 0 ? [`it hangs on no ${owners.join(' or ')}`] : []), ...lacks].join(', or ')
}

const SHOWN = 50
const row = z.object({ key: optionalText })

/** One label, and then the next. */
export async function walkLoose(graph: Graph, from: Position): Promise<Walked> {
  const at = Number(from.after || 0)
  const loose = UNATTACHED[at]
  if (loose === undefined) return { examined: 0, findings: [], next: null }
  const { label, unattached } = loose
  const findings = new Findings()
  for (const { key } of await readRows(graph, unattached, { limit: SHOWN }, row))
    findings.add('unattached', label, key, foundOf(label))
  const next = at + 1 < UNATTACHED.length ? { ...from, after: String(at + 1) } : null
  return { examined: 0, findings: findings.all, next }
}
