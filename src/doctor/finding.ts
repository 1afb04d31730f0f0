import * as z from 'zod'
import type { Label } from '../stored/nodes.ts'
import { CHECKS, type Check } from './checks.ts'

export const finding = z.object({
  check: z.enum(Object.keys(CHECKS) as [Check, ...Check[]]),
  severity: z.enum(['error', 'warning']),
  label: z.string().nullable().describe('of the node it is about; null: the schema'),
  key: z.string().nullable().describe('of that node, or what else names it'),
  found: z.string(),
  remedy: z.string(),
})
export type Finding = z.output<typeof finding>

/** Of one world, session or page so many are told: after them, the rest says nothing new. */
const MOST = 50
const LONGEST = 500

/** Collects what is found of one record after another. */
export class Findings {
  readonly all: Finding[] = []

  add(check: Check, label: Label | null, key: string | null, found: string): void {
    if (this.all.length >= MOST) return
    const { severity, remedy } = CHECKS[check]
    const told = found.length <= LONGEST ? found : `${found.slice(0, LONGEST)} […]`
    this.all.push({ check, severity, label, key, found: told, remedy })
  }
}
