/** Collects the findings of the doctor, record by record, with their repairs. */
import * as z from 'zod'
import { projectOfKey } from '../../core/keys.ts'
import { hasProjectFromKey, type Label, nodes, type Stored } from '../../graph/model/nodes.ts'
import { isInstant } from '../../graph/model/properties.ts'
import { findNodeProblems } from '../../graph/model/validate.ts'
import { setProperties } from '../../graph/model-statements.ts'
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
export const keyList = z.array(z.string().nullable()).transform((all) => all.map((key) => key ?? ''))

/** Builds the statements that repair a finding. Several findings may share a repair. */
export type Repair = () => Step | readonly Step[] | null

/** A stored value, its name in the report, and the value that the records give. */
type Compared = { label: string; actual: unknown; expected: unknown }

/** Reporter of findings about one node, or about the schema if it has no label. */
export type About = {
  add(check: Check, found: string, repair?: Repair): void
  /** Reports a stored value that is not the expected one. @returns true if they differ */
  reportDifference(check: Check, compared: Compared, repair?: Repair): boolean
  /** Reports values that do not fit the model, and returns true if all fit. `repairProject` sets the project of a part. */
  record(properties: Properties, repairProject?: Repair): boolean
}

/** An ordered part of a node, with the keys of the criteria that it names. */
export type Part = { label: Label; properties: Properties; criteria: readonly string[] }

/** A node with the properties that fit the model, its ordered parts, and the additional columns of its kind. */
export type Examined = {
  key: string
  properties: Properties
  row: Properties
  parts: readonly Part[]
  /** True if all parts are there, and fit the model. */
  isWhole: boolean
  about: About
}

/** Nodes of one kind in a project, as input of the check of that kind. */
export type ToCheck = {
  graph: Graph
  label: Label
  project: string
  nodes: readonly Examined[]
  findings: Findings
  /** Examines nodes of a kind in the field `with` of this kind's rule. @returns the findings about them */
  examine: (label: Label, keys: readonly string[]) => Promise<Findings>
}

export class Findings {
  readonly all: Finding[] = []
  /** All checks with findings, including findings beyond the reported maximum. */
  readonly checks = new Set<Check>()
  readonly #repairs = new Set<Repair>()
  examined = 0

  /** Statements that repair the findings that have a repair. Run them in a transaction that holds the lock. */
  get repairs(): Step[] {
    return [...this.#repairs].flatMap((repair) => repair() ?? [])
  }

  /** Adds findings that were collected separately. */
  take(found: Findings): void {
    this.all.push(...found.all)
    this.examined += found.examined
    for (const check of found.checks) this.checks.add(check)
    for (const repair of found.#repairs) this.#repairs.add(repair)
  }

  of(label: Label | null, key: string | null): About {
    const about: About = {
      add: (check, found, repair) => {
        this.checks.add(check)
        if (repair !== undefined) this.#repairs.add(repair)
        if (this.all.length >= MAX_FINDINGS) return
        const { severity, remedy } = CHECKS[check]
        const shown = found.length <= MAX_TEXT_LENGTH ? found : `${sliceWhole(found, MAX_TEXT_LENGTH)} […]`
        this.all.push({ check, severity, label, key, found: shown, remedy, repaired: false })
      },
      reportDifference: (check, { label, actual, expected }, repair) => {
        const [stored, wanted] = [JSON.stringify(actual ?? null), JSON.stringify(expected ?? null)]
        if (stored !== wanted) about.add(check, `${label}: stored ${stored}, expected ${wanted}`, repair)
        return stored !== wanted
      },
      record: (properties, repairProject) => {
        if (label === null) return true
        if (key === null || !hasProjectFromKey(label)) return this.#checkRecord(about, label, key, properties)
        const project = projectOfKey(key)
        about.reportDifference(
          'project_wrong',
          { label: 'project', actual: properties.project, expected: project },
          repairProject ?? (() => setProperties(label, key, { project })),
        )
        return this.#checkRecord(about, label, key, { ...properties, project })
      },
    }
    return about
  }

  #checkRecord(about: About, label: Label, key: string | null, properties: Properties): boolean {
    const problems = findNodeProblems({ labels: [label], properties })
    if (problems.length === 0) return true
    const { shape } = nodes[label].properties
    const removable = Object.entries(properties).filter(([name, value]) => {
      if (value == null || !Object.hasOwn(shape, name)) return value != null
      const property = shape[name as never] as z.ZodType
      return isInstant(property) && property.isOptional() && !property.safeParse(value).success
    })
    const values = removable.map(([, value]) => `it was ${JSON.stringify(value)}`)
    const found = [...problems, ...values].join('; ')
    const nulls = Object.fromEntries(removable.map(([name]) => [name, null]))
    // Removes values only if the report contains them in full. If the report is full, the next run removes them.
    const isReported = this.all.length < MAX_FINDINGS && found.length <= MAX_TEXT_LENGTH
    const removes = isReported && removable.length > 0
    about.add('record_invalid', found, removes ? () => setProperties(label, key, nulls) : undefined)
    const ofModel = Object.entries(properties).filter(([name]) => Object.hasOwn(shape, name))
    return findNodeProblems({ labels: [label], properties: Object.fromEntries(ofModel) }).length === 0
  }
}

/** Returns the properties that fit the model; all properties of the kind if {@link About.record} returned true. */
export function fittingProperties<L extends Label>(label: L, properties: Properties): Stored<L> {
  const fitting = Object.entries(nodes[label].properties.shape).flatMap(([name, property]) => {
    const { data } = (property as z.ZodType).safeParse(properties[name] ?? undefined)
    return data === undefined ? [] : [[name, data]]
  })
  return Object.fromEntries(fitting) as Stored<L>
}
