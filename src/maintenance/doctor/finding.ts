import * as z from 'zod'
import type { Label } from '../../graph/model/nodes.ts'
import type { Step } from '../../graph/port.ts'
import { CHECKS, type Check } from './checks.ts'

export const finding = z.object({
  check: z.enum(Object.keys(CHECKS) as [Check, ...Check[]]),
  severity: z.enum(['error', 'warning']),
  label: z.string().nullable().describe('of the node it is about; null: the schema'),
  key: z.string().nullable().describe('of that node, or what else names it'),
  found: z.string(),
  remedy: z.string(),
  repaired: z.boolean().describe('it was put right: asked for with repair'),
})
export type Finding = z.output<typeof finding>

/** Of one world, session or page so many are told: after them, the rest says nothing new. */
const MOST = 50
export const LONGEST = 500

/** Collects what is found of one record after another. */
export class Findings {
  readonly all: Finding[] = []
  /** All checks that found something, also past what is told. */
  readonly checks = new Set<Check>()
  /** What puts right what was found, where that can be derived: for a transaction that holds the world's lock. */
  readonly repairs: Step[] = []

  add(check: Check, label: Label | null, key: string | null, found: string, repair?: Step | null): void {
    this.checks.add(check)
    // One repair may answer several findings.
    if (repair != null && !this.repairs.includes(repair)) this.repairs.push(repair)
    if (this.all.length >= MOST) return
    const { severity, remedy } = CHECKS[check]
    const told = found.length <= LONGEST ? found : `${found.slice(0, LONGEST)} […]`
    this.all.push({ check, severity, label, key, found: told, remedy, repaired: false })
  }
}
