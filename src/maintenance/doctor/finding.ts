/** Collects the findings of the doctor, record by record, with their repairs. */
import * as z from 'zod'
import { isSupersededKey, projectOfKey } from '../../core/keys.ts'
import { hasProjectFromKey, type Label, nodes, type Stored } from '../../graph/model/nodes.ts'
import { findNodeProblems } from '../../graph/model/validate.ts'
import { setProjectOfParts, setProperties } from '../../graph/model-statements.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { sliceWhole } from '../../rules/cut-line.ts'
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

/** Maximum number of findings per world or page. */
const MAX_FINDINGS = 50
const MAX_TEXT_LENGTH = 500

/** Properties of a node as read from a row; {@link About.record} checks them against the model. */
export type Properties = Readonly<Record<string, unknown>>
export const propertyMap = z.record(z.string(), z.unknown())

/** Statements that repair a node, or a function that builds them after a finding. */
type Repair = Step | readonly Step[] | null
type RepairOr = Repair | (() => Repair)

/** A stored value, what the report calls it, and the value that the records imply. */
type Compared = { label: string; actual: unknown; expected: unknown }

/** Reporter of findings about one node, or about the schema if it has no label. */
export type About = {
  add(check: Check, found: string, repair?: RepairOr): void
  /** Reports a stored value that is not the expected one. @returns true if they differ */
  reportDifference(check: Check, compared: Compared, repair?: RepairOr): boolean
  key(expected: string): void
  /** Reports values that do not fit the model. @returns true if the values fit; properties unknown to the model do not count */
  record(properties: Properties): boolean
}

/** A node with the properties that fit the model, and the additional columns of its kind. */
export type Examined = { key: string; properties: Properties; row: Properties; about: About }

/** Nodes of one kind in a project, as input of the check of that kind. */
export type ToCheck = { graph: Graph; project: string; nodes: readonly Examined[]; findings: Findings }

export class Findings {
  readonly all: Finding[] = []
  /** All checks with findings, including findings beyond the reported maximum. */
  readonly checks = new Set<Check>()
  /** Repairs of the findings, as far as they can be derived. Run them in a transaction that holds the lock. */
  readonly repairs: Repair[] = []
  readonly #partRepairs = new Map<string, Step>()
  /** Number of examined records. */
  examined = 0

  /** Adds findings that were collected separately. */
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
        // Several findings may share a repair.
        if (repair !== null && !this.repairs.includes(repair)) this.repairs.push(repair)
        if (this.all.length >= MAX_FINDINGS) return
        const { severity, remedy } = CHECKS[check]
        const shown = found.length <= MAX_TEXT_LENGTH ? found : `${sliceWhole(found, MAX_TEXT_LENGTH)} […]`
        this.all.push({ check, severity, label, key, found: shown, remedy, repaired: false })
      },
      reportDifference: (check, { label, actual, expected }, repair) => {
        const wrong = difference(actual, expected)
        if (wrong !== null) about.add(check, `${label} ${wrong}`.trimStart(), repair)
        return wrong !== null
      },
      key: (expected) => {
        if (key !== expected) about.add('key_wrong', `its properties say ${expected}`)
      },
      record: (properties) => {
        if (label === null) return true
        const checked = this.#checkProject(about, label, key, properties)
        return checkRecord(about, label, key, checked, this.all.length < MAX_FINDINGS)
      },
    }
    return about
  }

  /**
   * Compares the project of a node with the one in its key. For a part, `key` is the key of its turn.
   *
   * @returns the properties with the expected project
   */
  #checkProject(about: About, label: Label, key: string | null, properties: Properties): Properties {
    if (key === null || !hasProjectFromKey(label)) return properties
    const project = projectOfKey(key)
    about.reportDifference(
      'project_wrong',
      { label: 'project', actual: properties.project, expected: project },
      () => (nodes[label].name === 'key' ? setProperties(label, key, { project }) : this.#repairParts(key)),
    )
    return { ...properties, project }
  }

  /** Builds one repair for all parts of a turn. */
  #repairParts(key: string): Step {
    const owner = isSupersededKey(key) ? 'SupersededTurn' : 'Turn'
    const step = this.#partRepairs.get(key) ?? setProjectOfParts(owner, key, projectOfKey(key))
    this.#partRepairs.set(key, step)
    return step
  }
}

function checkRecord(
  about: About,
  label: Label,
  key: string | null,
  properties: Properties,
  isReported: boolean,
): boolean {
  const problems = findNodeProblems({ labels: [label], properties })
  if (problems.length === 0) return true
  const { shape } = nodes[label].properties
  const foreign = Object.keys(properties).filter(
    (name) => properties[name] != null && !Object.hasOwn(shape, name),
  )
  const values = foreign.map((name) => `it was ${JSON.stringify(properties[name])}`)
  const found = [...problems, ...values].join('; ')
  const nulls = Object.fromEntries(foreign.map((name) => [name, null]))
  // Removes values only if the report contains them in full. If the report is full, the next run removes them.
  const removes = isReported && foreign.length > 0 && found.length <= MAX_TEXT_LENGTH
  about.add('record_invalid', found, removes ? setProperties(label, key, nulls) : null)
  const ofModel = Object.entries(properties).filter(([name]) => Object.hasOwn(shape, name))
  return findNodeProblems({ labels: [label], properties: Object.fromEntries(ofModel) }).length === 0
}

/** Returns the properties that fit the model; all properties of the kind if {@link About.record} returned true. */
export function fittingProperties<L extends Label>(label: L, properties: Properties): Stored<L> {
  const fitting = Object.entries(nodes[label].properties.shape).flatMap(([name, property]) => {
    const { data } = (property as z.ZodType).safeParse(properties[name] ?? undefined)
    return data === undefined ? [] : [[name, data]]
  })
  return Object.fromEntries(fitting) as Stored<L>
}

/** Describes the difference between two values for a finding; null if they are equal. */
export function difference(says: unknown, there: unknown): string | null {
  const [a, b] = [JSON.stringify(says ?? null), JSON.stringify(there ?? null)]
  return a === b ? null : `says ${a}, has ${b}`
}
