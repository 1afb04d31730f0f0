/** Offers operations of Turngraph as LangChain tools. */
import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import * as z from 'zod'
import { callOn } from '../client/calls.ts'
import type { TurngraphClient } from '../client/client.ts'
import { asTurngraphError } from '../core/errors.ts'
import { toWire, wireSchema } from '../core/wire-form.ts'
import { MEMORY_TOOLS, parseArguments } from '../operations/tools.ts'

const OFFERED = new Set([
  'capture_turn_state',
  'load_continuation_context',
  'get_criteria',
  'recover_promises',
  'analyze_stall',
])

/**
 * Returns the memory as tools of an agent, with the names of the MCP tools: capture, context, criteria, promises, stall. Each
 * takes the wire form and returns it as a JSON string. A rejection is `{"error": {…}}`, so that the model can correct its call.
 * @example const model = chatModel.bindTools(createTurngraphTools(client))
 */
export function createTurngraphTools(client: TurngraphClient): StructuredToolInterface[] {
  return MEMORY_TOOLS.filter(({ name }) => OFFERED.has(name)).map((offered) => {
    const { name, description, operation, input, output } = offered
    const run = async (given: unknown): Promise<string> => {
      try {
        return JSON.stringify(toWire(output, await callOn(client, operation, parseArguments(offered, given))))
      } catch (thrown) {
        return JSON.stringify(asTurngraphError(thrown).toWire())
      }
    }
    return tool(run, {
      name,
      description,
      schema: withoutTransforms(wireSchema(input)),
    }) as StructuredToolInterface
  })
}

/** Removes transforms: LangChain has no JSON Schema for a transform in a map or for a preprocessed value. */
function withoutTransforms(schema: z.ZodType): z.ZodType {
  const plain = rebuilt(schema)
  const meta = schema.meta()
  return plain === schema || meta === undefined ? plain : plain.meta(meta)
}

function rebuilt(schema: z.ZodType): z.ZodType {
  const clone = (of: z.ZodType, changed: object): z.ZodType =>
    z.core.clone(of, { ...of.def, ...changed } as z.core.$ZodTypeDef)
  const plain = (inner: unknown): z.ZodType => withoutTransforms(inner as z.ZodType)
  if (schema instanceof z.ZodPipe) {
    const { in: from, out } = schema.def
    // A preprocessed value accepts many forms: the second half has the intended one.
    return plain(from instanceof z.ZodTransform ? out : from)
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([key, field]) => [key, plain(field)])
    return clone(schema, { shape: Object.fromEntries(fields) })
  }
  if (schema instanceof z.ZodArray) return clone(schema, { element: plain(schema.element) })
  if (schema instanceof z.ZodRecord) return clone(schema, { valueType: plain(schema.valueType) })
  if (schema instanceof z.ZodUnion) return clone(schema, { options: schema.options.map(plain) })
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return clone(schema, { innerType: plain(schema.def.innerType) })
  return schema
}
