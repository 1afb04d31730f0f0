import * as z from 'zod'
import { type Label, nodes } from '../../graph/model/nodes.ts'
import { problemsOfNode } from '../../graph/model/validate.ts'
import { type Step, stepOf } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { type Findings, LONGEST } from './finding.ts'

export type Held = Readonly<Record<string, unknown>>

/** A node's properties as a row brings them; {@link checkRecord} says whether they fit. */
export const heldMap = z.record(z.string(), z.unknown())

/**
 * A node's properties against the table of what is stored.
 *
 * @returns whether they fit: what does not is looked at no further
 */
export function checkRecord(findings: Findings, label: Label, key: string | null, held: Held): boolean {
  const labels = label === 'FailedStep' ? ['Step', label] : [label]
  const problems = problemsOfNode({ labels, held })
  if (problems.length === 0) return true
  const foreign = undeclaredOf(label, held)
  const values = foreign.map((name) => `it was ${JSON.stringify(held[name])}`)
  const found = [...problems, ...values].join('; ')
  const nulls = Object.fromEntries(foreign.map((name) => [name, null]))
  // What is removed stands whole in the report.
  const removes = foreign.length > 0 && found.length <= LONGEST
  findings.add('record_invalid', label, key, found, removes ? setOf(label, key, nulls) : null)
  return false
}

const undeclaredOf = (label: Label, held: Held): string[] =>
  Object.keys(held).filter(
    (name) => held[name] != null && !Object.hasOwn(nodes[label].properties.shape, name),
  )

/** What sets properties of a node to what was derived; null for nodes that are not found by a key. */
export function setOf(label: Label, key: string | null, properties: Held): Step | null {
  const to = SETS.get(label)
  if (to === undefined || key === null) return null
  return stepOf(to, { key, properties, ...INSTANTS[label] })
}

const SETS = new Map<Label, Statement>([
  ['World', statement('doctor/repair-world')],
  ['Turn', statement('doctor/repair-turn')],
  ['SupersededTurn', statement('doctor/repair-superseded-turn')],
  ['TurnRun', statement('doctor/repair-run')],
  ['Attempt', statement('doctor/repair-attempt')],
  ['Criterion', statement('doctor/repair-criterion')],
  ['TranscriptTurn', statement('doctor/repair-transcript-turn')],
  ['TurnPattern', statement('doctor/repair-pattern')],
])
/** Instants are parameters of their own; here none is set. */
const INSTANTS: Partial<Record<Label, object>> = { World: { at: [] }, TurnRun: { ended: [], cancelled: [] } }

export function checkKey(findings: Findings, label: Label, key: string, expected: string): void {
  if (key !== expected) findings.add('key_wrong', label, key, `its properties say ${expected}`)
}

/** Two values as a finding shows them; null where they are the same. */
export function difference(says: unknown, there: unknown): string | null {
  const [a, b] = [JSON.stringify(says ?? null), JSON.stringify(there ?? null)]
  return a === b ? null : `says ${a}, has ${b}`
}
