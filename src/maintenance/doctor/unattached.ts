import * as z from 'zod'
import { optionalText } from '../../graph/columns.ts'
import { readRows } from '../../graph/decode.ts'
import type { Label } from '../../graph/model/nodes.ts'
import type { Graph } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import type { Position } from './cursor.ts'
import { Findings } from './finding.ts'
import type { Walked } from './walked.ts'

/** Nodes that nothing leads to are found by their label alone: one look at each, and so only in a whole graph. */
const LOOSE: readonly (readonly [Label, Statement, string])[] = [
  ['Project', statement('doctor/unattached-project'), 'it has no feature'],
  ['Feature', statement('doctor/unattached-feature'), 'it is of no project, or has no task'],
  ['Task', statement('doctor/unattached-task'), 'it is of no feature, or has no world'],
  ['World', statement('doctor/unattached-world'), 'it is of no task'],
  ['Turn', statement('doctor/unattached-turn'), 'it is of no world'],
  ['SupersededTurn', statement('doctor/unattached-superseded'), 'no record took its place'],
  ['Criterion', statement('doctor/unattached-criterion'), 'it is of no task'],
  ['Verification', statement('doctor/unattached-verification'), 'no turn recorded it'],
  ['Promise', statement('doctor/unattached-promise'), 'no turn made it'],
  ['Issue', statement('doctor/unattached-issue'), 'no turn raised it'],
  ['Gate', statement('doctor/unattached-gate'), 'no turn passed through it'],
  ['TurnRun', statement('doctor/unattached-run'), 'it is of no world'],
  ['Attempt', statement('doctor/unattached-attempt'), 'it is of no world'],
  ['TranscriptTurn', statement('doctor/unattached-transcript-turn'), 'no session holds it'],
  ['Step', statement('doctor/unattached-step'), 'it is of no turn'],
  ['TurnPattern', statement('doctor/unattached-pattern'), 'no turn follows it'],
  ['Desire', statement('doctor/unattached-desire'), 'it surfaced from no pattern'],
]

const SHOWN = 50
const row = z.object({ key: optionalText })

/** One label, and then the next. */
export async function walkLoose(graph: Graph, from: Position): Promise<Walked> {
  const at = Number(from.after || 0)
  const loose = LOOSE[at]
  if (loose === undefined) return { examined: 0, findings: [], next: null }
  const [label, unattached, found] = loose
  const findings = new Findings()
  for (const { key } of await readRows(graph, unattached, { limit: SHOWN }, row))
    findings.add('unattached', label, key, found)
  const next = at + 1 < LOOSE.length ? { ...from, after: String(at + 1) } : null
  return { examined: 0, findings: findings.all, next }
}
