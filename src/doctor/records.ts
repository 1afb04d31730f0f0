import * as z from 'zod'
import { problemsOfNode } from '../stored/fits.ts'
import type { Label } from '../stored/nodes.ts'
import type { Findings } from './finding.ts'

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
  if (problems.length > 0) findings.add('record_invalid', label, key, problems.join('; '))
  return problems.length === 0
}

export function checkKey(findings: Findings, label: Label, key: string, expected: string): void {
  if (key !== expected) findings.add('key_wrong', label, key, `its properties say ${expected}`)
}

/** Two values as a finding shows them; null where they are the same. */
export function difference(says: unknown, there: unknown): string | null {
  const [a, b] = [JSON.stringify(says ?? null), JSON.stringify(there ?? null)]
  return a === b ? null : `says ${a}, has ${b}`
}
