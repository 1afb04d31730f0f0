// Lists the MCP tools with their JSON schemas and examples.
import * as z from 'zod'
import { wireSchema } from '../core/wire-form.ts'
import { ALL_TOOLS, type Tool } from '../operations/tools.ts'

/** Tool as listed in `tools/list` and in the manifest. */
type ListedTool = {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [key: string]: unknown }
  outputSchema: { type: 'object'; [key: string]: unknown }
  annotations: Tool['annotations']
}

let listed: ListedTool[] | undefined

/** Returns the list of tools. Builds it once, because every connection requests it. */
export function listedTools(): ListedTool[] {
  listed ??= ALL_TOOLS.map(({ name, title, description, input, output, annotations }) => ({
    name,
    title,
    description,
    inputSchema: jsonSchema(input, 'input'),
    outputSchema: jsonSchema(output, 'output'),
    annotations,
  }))
  return listed
}

/** Builds docs/mcp-tools.json: the tools with at least one example each. A test runs the examples in their order. */
export const manifest = () => ({
  tools: listedTools().map((tool, index) => ({ ...tool, examples: ALL_TOOLS[index]?.examples ?? [] })),
})

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
