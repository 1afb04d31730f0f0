// Lists the MCP tools with their JSON schemas.
import * as z from 'zod'
import { wireSchema } from '../core/wire-form.ts'
import { mayCall } from '../operations/access.ts'
import { SCOPES, type Scope } from '../operations/operation.ts'
import { restrictInput } from '../operations/restrict-input.ts'
import { ALL_TOOLS, DEFAULT_TOOLS, type Tool, type ToolList } from '../operations/tools.ts'

/** Tool as listed in `tools/list`. */
type ListedTool = {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [key: string]: unknown }
  outputSchema: { type: 'object'; [key: string]: unknown }
  annotations: Tool['annotations']
}

/** Lists of all tools, by the scopes of a connection. */
const listed = new Map<string, ListedTool[]>()

/** Returns the listed tools that a token with these scopes may call, without the fields that it may not send. */
export function listTools(scopes: ReadonlySet<Scope>, list: ToolList): ListedTool[] {
  const all = listAllTools(scopes)
  return list === 'all' ? all : all.filter(({ name }) => DEFAULT_TOOLS.includes(name))
}

/** Builds each list once, because every connection requests it. */
function listAllTools(scopes: ReadonlySet<Scope>): ListedTool[] {
  const key = SCOPES.filter((scope) => scopes.has(scope)).join()
  const known = listed.get(key)
  if (known !== undefined) return known
  const tools = ALL_TOOLS.filter(({ operation }) => mayCall(operation, scopes)).map(
    ({ name, title, description, operation, input, output, annotations }) => ({
      name,
      title,
      description,
      inputSchema: jsonSchema(restrictInput(operation, input, scopes), 'input'),
      outputSchema: jsonSchema(output, 'output'),
      annotations,
    }),
  )
  listed.set(key, tools)
  return tools
}

/** Writes a schema in draft 7, which the validators of all clients support. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const { $schema: _dialect, ...definition } = z.toJSONSchema(wireSchema(schema), {
    io,
    target: 'draft-7',
    unrepresentable: 'any',
    // Answers may gain fields in a later version, so readers must accept unknown ones.
    override: ({ jsonSchema: found }) => {
      if (io === 'output' && found.additionalProperties === false) delete found.additionalProperties
    },
  })
  return { ...definition, type: 'object' }
}
