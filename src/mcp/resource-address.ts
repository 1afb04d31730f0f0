// Declares the kinds of MCP resources, and parses their URIs. Each kind is the answer of one read operation.
import { TurngraphError } from '../core/errors.ts'
import { parseWire } from '../core/wire-form.ts'
import type { ChangeEvent } from '../events/change-event.ts'
import { type OperationName, operations } from '../operations/table.ts'

/** Kind of resource. `fields` maps each variable of the template to a field of the operation's wire form. */
type ResourceKind = {
  name: string
  title: string
  description: string
  template: string
  operation: OperationName
  fields: Readonly<Record<string, string>>
}

const inWorld = { project: 'project', world: 'world_slug' } as const

export const RESOURCE_KINDS = [
  {
    name: 'schema',
    title: 'The schema of the graph',
    description: 'Every node, relationship and property that a query may use, with its meaning',
    template: 'turngraph://schema',
    operation: 'describeGraph',
    fields: {},
  },
  {
    name: 'world',
    title: 'A world',
    description: 'One autobuild session: its state, how many of its criteria are verified, and its verdict',
    template: 'turngraph://{project}/worlds/{world}',
    operation: 'getWorld',
    fields: inWorld,
  },
  {
    name: 'turn',
    title: 'A turn',
    description: 'One turn as it was stored, with its verifications, promises and issues',
    template: 'turngraph://{project}/worlds/{world}/turns/{n}',
    operation: 'getTurn',
    fields: { ...inWorld, n: 'turn_number' },
  },
  {
    name: 'context',
    title: 'A continuation context',
    description: 'What turn {n} needs to know, for the role player or coach',
    template: 'turngraph://{project}/worlds/{world}/context/{role}/{n}',
    operation: 'loadTurnContinuationContext',
    fields: { ...inWorld, role: 'role', n: 'current_turn' },
  },
  {
    name: 'run',
    title: 'A turn run',
    description: 'How far a turn run is, and how it ended',
    template: 'turngraph://{project}/worlds/{world}/runs/{id}',
    operation: 'getTurnRunStatus',
    fields: { ...inWorld, id: 'turn_run_id' },
  },
] as const satisfies readonly ResourceKind[]

/** Parsed URI of a resource; `input` is the input of its operation. */
export type ResourceAddress = {
  uri: string
  kind: (typeof RESOURCE_KINDS)[number]
  /** Has no project if the resource is the schema. */
  input: Record<string, unknown> & { project?: string; worldSlug?: string }
}

export const worldUri = (project: string, worldSlug: string): string =>
  `turngraph://${encodeURIComponent(project)}/worlds/${encodeURIComponent(worldSlug)}`

const patterns = RESOURCE_KINDS.map((kind) => ({
  kind,
  pattern: new RegExp(`^${kind.template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/?#]+)')}$`),
}))

/** @throws `not_found` if no kind has such URIs, `invalid_request` if a part of the URI is not valid */
export function parseResourceUri(uri: string): ResourceAddress {
  for (const { kind, pattern } of patterns) {
    const found = pattern.exec(uri)
    if (found === null) continue
    const variables = found.groups ?? {}
    const wire = Object.entries(kind.fields).map(([variable, field]) => [
      field,
      decodePart(uri, variables[variable] ?? ''),
    ])
    const input = parseWire(operations[kind.operation].input, Object.fromEntries(wire), uri.slice(0, 200))
    return { uri, kind, input: input as ResourceAddress['input'] }
  }
  throw noSuchResource(uri)
}

function decodePart(uri: string, part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw noSuchResource(uri)
  }
}

const noSuchResource = (uri: string): TurngraphError =>
  new TurngraphError('not_found', `There is no resource "${uri.slice(0, 200)}".`, {
    hint: `URIs have the form ${RESOURCE_KINDS.map(({ template }) => template).join(', ')}; percent-encode their parts.`,
  })

/** True if a read of the resource may have another answer after the event. A replaced turn appears as an event of its session. */
export function isTouchedBy({ kind, input }: ResourceAddress, event: ChangeEvent): boolean {
  if (event.type === 'import' || kind.name === 'schema') return false
  if (event.project !== input.project || event.worldSlug !== input.worldSlug) return false
  return kind.name === 'run'
    ? event.type === 'run' && event.turnRunId === input.turnRunId
    : event.type === 'session'
}
