/** Examines a graph or a project of it, a page at a time, and repairs what can be derived. */
import * as z from 'zod'
import { parseCursor, toCursor } from '../../core/cursor.ts'
import { TurngraphError } from '../../core/errors.ts'
import { inChunks } from '../../core/group-by.ts'
import { keysOfProject, projectKey } from '../../core/keys.ts'
import { readKeys, readRows } from '../../graph/decode.ts'
import { migrationStatus } from '../../graph/migrations.ts'
import { LABELS, type Label, nodes } from '../../graph/model/nodes.ts'
import { findOwners, listOwnerLabels } from '../../graph/model/relationships.ts'
import {
  allOwners,
  foreignOwners,
  lockNodes,
  requiredBelow,
  selectNodes,
  selectPage,
  selectUnattached,
} from '../../graph/model-statements.ts'
import { type Graph, graphWith, toStep } from '../../graph/port.ts'
import { optionalText } from '../../rules/values.ts'
import { beginReadingAll, listProjects } from '../whole-graph.ts'
import {
  type Examined,
  type Finding,
  Findings,
  finding,
  fittingProperties,
  type Properties,
  propertyMap,
} from './finding.ts'
import { readParts } from './parts.ts'
import { confirmFindings, repairUnderLock } from './repair.ts'
import { findRule, rules } from './rules.ts'
import { checkSchema } from './schema.ts'

export const examination = z.object({
  findings: z.array(finding),
  examined: z.number().describe('records that were looked at'),
  nextCursor: z.string().nullable().describe('where it goes on; null: that was all'),
})
export type Examination = z.output<typeof examination>

/** Working time of one answer: no further piece begins after it. */
const WORK_MS = 1_500
/** Deadline of one statement: a busy server that plans it for the first time needs longer than a request may take. */
const READ_MS = 20_000

/**
 * Examines a graph, or one project of it, one page at a time. With `repair` it also writes the values that it can derive from
 * the graph. It never removes a turn, a part of a turn, or a text.
 *
 * @param project null for the whole graph, including nodes that belong to no project
 * @throws `not_found` if the graph has nothing of the project; `store_unavailable` if `repair` is requested for a graph of
 *   another version
 * @example
 * let cursor: string | null = null
 * do {
 *   const { findings, nextCursor } = await examine(graph, { project: null, cursor })
 *   cursor = nextCursor
 * } while (cursor !== null)
 */
export async function examine(
  graph: Graph,
  {
    project,
    cursor,
    repair = false,
  }: { project: string | null; cursor?: string | null | undefined; repair?: boolean | undefined },
): Promise<Examination> {
  if (repair) await refuseOtherSchema(graph)
  if (cursor == null) await beginReadingAll(graph, project)
  const patient = graphWith(graph, {
    read: (statement, params) => graph.read(statement, params, performance.now() + READ_MS),
  })
  const ends = performance.now() + WORK_MS
  const found: Examination = { findings: [], examined: 0, nextCursor: null }
  for await (const { at, examined, findings } of examinePieces(
    patient,
    project,
    parseCursor(place, cursor),
    repair,
  )) {
    found.findings.push(...findings)
    found.examined += examined
    if (performance.now() > ends) return { ...found, nextCursor: toCursor(at) }
  }
  return found
}

/** Rejects a graph of another version: a repair might remove data that this version does not know. */
async function refuseOtherSchema(graph: Graph): Promise<void> {
  const { pending } = await migrationStatus(graph)
  if (pending.length === 0) return
  const versions = pending.map((version) => `V${version}`).join(', ')
  throw new TurngraphError(
    'store_unavailable',
    `The graph is not repaired before it is migrated: ${versions}.`,
    {
      hint: 'Run `turngraph migrate`, then `turngraph doctor --repair`.',
    },
  )
}

type Piece = { at: Place; examined: number; findings: readonly Finding[] }

async function* examinePieces(
  graph: Graph,
  only: string | null,
  from: Place | null,
  repair: boolean,
): AsyncGenerator<Piece> {
  if (from === null) yield { at: [null, SCHEMA, ''], ...(await checkSchema(graph)) }
  const [project = null, label = SCHEMA, after = ''] = from ?? []
  if (project !== null || label === SCHEMA) {
    const labels = LISTED.map((kind) => kind.label)
    for (const each of only === null ? await listProjects(graph, project, labels) : [only]) {
      const isResumed = each === project
      const kinds = isResumed ? LISTED.slice(LISTED.findIndex((kind) => kind.label === label)) : LISTED
      for (const kind of kinds)
        yield* examineKind(graph, each, kind, isResumed && kind.label === label ? after : '', repair)
    }
  }
  if (only !== null) return
  const unattached = project === null ? LABELS.slice(LABELS.indexOf(label as Label) + 1) : LABELS
  for (const kind of unattached)
    yield { at: [null, kind, ''], examined: 0, findings: await findUnattached(graph, kind) }
}

/** Position of the schema: before the projects. The positions of the kinds of nodes come after them. */
const SCHEMA = ''

const KINDS = LABELS.filter((label) => nodes[label].name === 'key').map((label) => ({
  label,
  rule: findRule(label),
  read: selectNodes(label, {
    ...findRule(label).columns,
    ...(findRule(label).expectedOwner === undefined ? foreignOwners(label) : allOwners(label)),
  }),
}))
type Kind = (typeof KINDS)[number]

/** Kinds that are examined last, in this order: the repair of one kind may cause findings in the next one. */
const LAST: readonly Label[] = ['Attempt', 'TurnRun', 'World']

/** Kinds in the order of their examination, without those that are examined together with another kind. */
const LISTED = KINDS.filter(({ label }) => !Object.values(rules).some((rule) => rule.with?.includes(label)))
  .map((kind) => ({ ...kind, page: selectPage(kind.label) }))
  .toSorted((a, b) => LAST.indexOf(a.label) - LAST.indexOf(b.label))

/** Project, kind and key of the last examined record. The project is null for nodes that belong to no project. */
const place = z.union([
  z.tuple([z.null(), z.enum([SCHEMA, ...LABELS]), z.string()]),
  z.tuple([z.string(), z.enum(LISTED.map(({ label }) => label)), z.string()]),
])
type Place = z.output<typeof place>

const KEYS_AT_ONCE = 500
const nodeRow = z.looseObject({ key: z.string(), properties: propertyMap, isAttached: z.boolean() })

async function* examineKind(
  graph: Graph,
  project: string,
  kind: (typeof LISTED)[number],
  from: string,
  repair: boolean,
): AsyncGenerator<Piece> {
  const { label, page } = kind
  const { atOnce = KEYS_AT_ONCE } = kind.rule
  const { after: first, below } = keysOfProject(project)
  for (let after = from === '' ? first : from; ; ) {
    const params = { after, below, limit: KEYS_AT_ONCE }
    const keys = label === 'Project' ? [projectKey(project)] : await readKeys(graph, page, params)
    for (const some of inChunks(keys, atOnce)) {
      const examineSome = (within: Graph) => examineNodes(within, project, kind, some)
      const found = await examineSome(graph)
      const findings =
        repair && found.repairs.length > 0
          ? await repairUnderLock(graph, lockFor(kind, some), examineSome)
          : await confirmFindings(() => examineSome(graph), found)
      yield { at: [project, label, some.at(-1) ?? ''], examined: found.examined, findings }
    }
    if (keys.length < KEYS_AT_ONCE) return
    after = keys.at(-1) ?? ''
  }
}

function lockFor({ label, rule: { lock } }: Kind, keys: string[]) {
  if (lock !== undefined) return (token: string) => lock(keys, token)
  const isLocked = Object.hasOwn(nodes[label].properties.shape, 'rev')
  return isLocked ? (token: string) => toStep(lockNodes(label), { keys, token }) : null
}

/** Checks nodes against the model and the rule of their kind. `findUnattached` finds nodes without an owner. */
async function examineNodes(
  graph: Graph,
  project: string,
  { label, read, rule: { needs = [], expectedKey, expectedOwner, check } }: Kind,
  keys: readonly string[],
): Promise<Findings> {
  const findings = new Findings()
  const rows = await readRows(graph, read, { keys: [...keys] }, nodeRow)
  const attached = rows.flatMap(({ key, properties, isAttached, ...row }) => {
    if (!isAttached) return []
    const about = findings.of(label, key)
    const isWhole = about.record(properties)
    const foreign = listOwners(label, row, 'foreign')
    if (foreign.length > 0) about.add('key_wrong', `hangs on ${foreign}, of another project`)
    return [{ key, properties: fittingProperties(label, properties), row, parts: [], isWhole, about }]
  })
  findings.examined += rows.length
  const examined: Examined[] = await readParts(graph, label, attached, findings)
  const complete = examined.filter(({ properties }) => needs.every((name) => Object.hasOwn(properties, name)))
  for (const node of complete) {
    const { key, properties, row, about } = node
    const expected = expectedKey?.(properties as never) ?? null
    if (expected !== null && expected !== key)
      about.add('key_wrong', `its properties give the key ${expected}`)
    const owner = expectedOwner?.(properties as never)
    const others = listOwners(label, row, 'owners').filter((other) => other !== owner)
    if (others.length === 0) continue
    about.add('key_wrong', `hangs on ${others} instead of ${owner}`)
    node.isWhole = false // the properties that name the owner may be wrong
  }
  const examine = async (other: Label, otherKeys: readonly string[]) => {
    const kind = KINDS.find((each) => each.label === other)
    if (kind === undefined) throw new Error(`${other} has no key`)
    const found = new Findings()
    for (const some of inChunks(otherKeys, KEYS_AT_ONCE))
      found.take(await examineNodes(graph, project, kind, some))
    findings.take(found)
    return found
  }
  if (complete.length > 0) await check?.({ graph, label, project, nodes: complete, findings, examine })
  return findings
}

const listOwners = (label: Label, row: Properties, column: 'foreign' | 'owners'): string[] =>
  findOwners(label).flatMap(({ type }) => (row[`${column}${type}`] as string[] | undefined) ?? [])

const SHOWN = 50
const nameRow = z.object({ key: optionalText })

/** Reports nodes without a required relationship. Scans the label once, and therefore runs only for a whole graph. */
async function findUnattached(graph: Graph, label: Label): Promise<Finding[]> {
  const unattached = selectUnattached(label)
  if (unattached === null) return []
  const owners = listOwnerLabels(label)
  const lacks = requiredBelow(label).map(({ of }) => `no ${of} hangs on it`)
  const found = [...(owners.length > 0 ? [`it hangs on no ${owners.join(' or ')}`] : []), ...lacks].join(
    ', or ',
  )
  const findings = new Findings()
  for (const { key } of await readRows(graph, unattached, { limit: SHOWN }, nameRow))
    findings.of(label, key).add('unattached', found)
  return findings.all
}
