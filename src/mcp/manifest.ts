// Lists the MCP tools with their JSON schemas and examples.
import * as z from 'zod'
import { wireSchema } from '../core/wire-form.ts'
import { ALL_TOOLS, type Tool } from '../operations/tools.ts'

/** A tool as clients see it, in `tools/list` and in the manifest. */
type ListedTool = {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [key: string]: unknown }
  outputSchema: { type: 'object'; [key: string]: unknown }
  annotations: Tool['annotations']
}

let listed: ListedTool[] | undefined

/** Made once: a list of tools is asked for by every connection. */
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

/** The tools with an example each or more: docs/mcp-tools.json. A test runs the examples, in their order. */
export const manifest = () => ({
  tools: listedTools().map((tool, index) => ({ ...tool, examples: ALL_TOOLS[index]?.examples ?? [] })),
})

/** Draft 7, which every client's validator reads. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const { $schema: _dialect, ...definition } = z.toJSONSchema(wireSchema(schema), {
    io,
    target: 'draft-7',
    unrepresentable: 'any',
    // Answers may gain fields: a reader that refuses unknown ones would break then.
    override: ({ jsonSchema: found }) => {
      if (io === 'output' && found.additionalProperties === false) delete found.additionalProperties
    },
  })
  return { ...definition, type: 'object' }
}
