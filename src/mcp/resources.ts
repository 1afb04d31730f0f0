// Lists the resources of a connection, and reads a resource as the JSON of its REST operation.

import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server'
import { plural } from '../core/plural.ts'
import { parseWire, toWire } from '../core/wire-form.ts'
import { mayCall } from '../operations/access.ts'
import type { Scope } from '../operations/operation.ts'
import { type OperationOutput, operations } from '../operations/table.ts'
import { escapeHidden } from '../rules/foreign-text.ts'
import { describeCounts } from '../rules/notes.ts'
import type { CallContext, CallOperation } from './call-operation.ts'
import { parseResourceUri, RESOURCE_KINDS, worldUri } from './resource-address.ts'

const JSON_TYPE = 'application/json'

const described = RESOURCE_KINDS.map(({ name, title, description, template, operation }) => ({
  operation,
  uriTemplate: template,
  name,
  title,
  description,
  mimeType: JSON_TYPE,
}))
const hasVariables = ({ uriTemplate }: { uriTemplate: string }) => uriTemplate.includes('{')

/** Lists the kinds of resources that a token with these scopes may read. */
const listKinds = (scopes: ReadonlySet<Scope>) =>
  described.filter(({ operation }) => mayCall(operation, scopes)).map(({ operation, ...kind }) => kind)

/** Lists the resources whose URI has no variable. */
const listFixed = (scopes: ReadonlySet<Scope>) =>
  listKinds(scopes)
    .filter((kind) => !hasVariables(kind))
    .map(({ uriTemplate: uri, ...kind }) => ({ uri, ...kind }))

/** Lists the schema and the worlds of the connection's project, the last active first. Other resources have templates. */
export async function listResources(
  cursor: string | undefined,
  scopes: ReadonlySet<Scope>,
  call: CallOperation,
  context: CallContext,
): Promise<ListResourcesResult> {
  const asked = { order: 'last_activity', cursor, without_tokens: true }
  const input = parseWire(operations.listWorlds.input, asked, 'resources/list')
  const worlds = (await call('listWorlds', input, context)) as OperationOutput<'listWorlds'>
  const listed = worlds.items.map((world) => ({
    uri: worldUri(world.project, world.worldSlug),
    name: world.worldSlug,
    title: `World ${world.worldSlug} of ${world.taskId}`,
    description: `${plural(world.currentTurn, 'turn')}, ${describeCounts({ ...world, total: world.criteria }, { noun: ' criteria' })}`,
    mimeType: JSON_TYPE,
    annotations: { lastModified: world.lastActivity },
  }))
  return {
    resources: [...(cursor === undefined ? listFixed(scopes) : []), ...listed],
    ...(worlds.nextCursor !== null && { nextCursor: worlds.nextCursor }),
  }
}

export const listTemplates = (scopes: ReadonlySet<Scope>): ListResourceTemplatesResult => ({
  resourceTemplates: listKinds(scopes).filter(hasVariables),
})

/** @throws the errors of its operation, and `not_found` if no resource has such a URI */
export async function readResource(
  uri: string,
  call: CallOperation,
  context: CallContext,
): Promise<ReadResourceResult> {
  const { kind, input } = parseResourceUri(uri)
  const answer = await call(kind.operation, input, context)
  const text = escapeHidden(JSON.stringify(toWire(operations[kind.operation].output, answer)))
  return { contents: [{ uri, mimeType: JSON_TYPE, text }] }
}
