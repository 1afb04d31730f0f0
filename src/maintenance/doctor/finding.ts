/** Collects what the doctor finds of one record after another, with what would put it right. */
import * as z from 'zod'
import { type Label, nodes, type Stored } from '../../graph/model/nodes.ts'
import { findNodeProblems } from '../../graph/model/validate.ts'
import { setProperties } from '../../graph/model-statements.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { CHECKS, type Check } from './findings-table.ts'

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

/** Of one world or page so many are reported: after them, the rest says nothing new. */
const MOST = 50
const LONGEST = 500

/** A node's properties as a row brings them; {@link About.record} says whether they fit. */
export type Properties = Readonly<Record<string, unknown>>
export const propertyMap = z.record(z.string(), z.unknown())

/** What puts a node right; made only once something is found. */
type Repair = Step | readonly Step[] | null
type RepairOr = Repair | (() => Repair)

/** Findings about one node; without a label they are about the schema. */
export type About = {
  add(check: Check, found: string, repair?: RepairOr): void
  /** @returns whether the two values differ, which it then reports */
  differs(check: Check, what: string, says: unknown, there: unknown, repair?: RepairOr): boolean
  key(expected: string): void
  /** @returns whether the values fit the model; what the model does not have is reported, and hides nothing */
  record(properties: Properties): boolean
}

/** A node with those of its properties that fit, and the further columns of its kind. */
export type Examined = { key: string; properties: Properties; row: Properties; about: About }

/** Nodes of one kind in a project, for the check of that kind. */
export type ToCheck = { graph: Graph; project: string; nodes: readonly Examined[]; findings: Findings }

export class Findings {
  readonly all: Finding[] = []
  /** All checks that found something, also past what is reported. */
  readonly checks = new Set<Check>()
  /** What puts right what was found, where that can be derived: for a transaction that holds the lock. */
  readonly repairs: Repair[] = []
  /** How many records were looked at. */
  examined = 0

  /** Adds what was found apart. */
  take({ all, checks, repairs, examined }: Findings): void {
    this.all.push(...all)
    this.examined += examined
    for (const check of checks) this.checks.add(check)
    this.repairs.push(...repairs)
  }

  of(label: Label | null, key: string | null): About {
    const about: About = {
      add: (check, found, repairOr = null) => {
        this.checks.add(check)
        const repair = typeof repairOr === 'function' ? repairOr() : repairOr
        // One repair may answer several findings.
        if (repair !== null && !this.repairs.includes(repair)) this.repairs.push(repair)
        if (this.all.length >= MOST) return
        const { severity, remedy } = CHECKS[check]
        const shown = found.length <= LONGEST ? found : `${found.slice(0, LONGEST)} […]`
        this.all.push({ check, severity, label, key, found: shown, remedy, repaired: false })
      },
      differs: (check, what, says, there, repair) => {
        const wrong = difference(says, there)
        if (wrong !== null) about.add(check, `${what} ${wrong}`.trimStart(), repair)
        return wrong !== null
      },
      key: (expected) => {
        if (key !== expected) about.add('key_wrong', `its properties say ${expected}`)
      },
      record: (properties) =>
        label === null || checkRecord(about, label, key, properties, this.all.length < MOST),
    }
    return about
  }
}

function checkRecord(
  about: About,
  label: Label,
  key: string | null,
  properties: Properties,
  isReported: boolean,
): boolean {
  const labels = label === 'FailedStep' ? ['Step', label] : [label]
  const problems = findNodeProblems({ labels, properties })
  if (problems.length === 0) return true
  const { shape } = nodes[label].properties
  const foreign = Object.keys(properties).filter(
    (name) => properties[name] != null && !Object.hasOwn(shape, name),
  )
  const values = foreign.map((name) => `it was ${JSON.stringify(properties[name])}`)
  const found = [...problems, ...values].join('; ')
  const nulls = Object.fromEntries(foreign.map((name) => [name, null]))
  // What is removed stands whole in the report: where that is full, the next run takes it.
  const removes = isReported && foreign.length > 0 && found.length <= LONGEST
  about.add('record_invalid', found, removes ? setProperties(label, key, nulls) : null)
  const ofModel = Object.entries(properties).filter(([name]) => Object.hasOwn(shape, name))
  return findNodeProblems({ labels, properties: Object.fromEntries(ofModel) }).length === 0
}

/** What of a node's properties fits the model: all that a kind has, where {@link About.record} says that the values fit. */
export function fittingProperties<L extends Label>(label: L, properties: Properties): Stored<L> {
  const fitting = Object.entries(nodes[label].properties.shape).flatMap(([name, property]) => {
    const { data } = (property as z.ZodType).safeParse(properties[name] ?? undefined)
    return data === undefined ? [] : [[name, data]]
  })
  return Object.fromEntries(fitting) as Stored<L>
}

/** Two values as a finding shows them; null where they are the same. */
export function difference(says: unknown, there: unknown): string | null {
  const [a, b] = [JSON.stringify(says ?? null), JSON.stringify(there ?? null)]
  return a === b ? null : `says ${a}, has ${b}`
}
