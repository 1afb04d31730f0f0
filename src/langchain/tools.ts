import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import { callOn } from '../client/calls.ts'
import type { TurngraphClient } from '../client/client.ts'
import { asTurngraphError } from '../core/errors.ts'
import { toWire, wireSchema } from '../core/wire-form.ts'
import { MEMORY_TOOLS, parseArguments } from '../operations/tools.ts'
import { withoutTransforms } from './without-transforms.ts'

const OFFERED = new Set([
  'capture_turn_state',
  'load_continuation_context',
  'get_criteria',
  'recover_promises',
  'analyze_stall',
])

/**
 * The memory as tools of an agent, under the names of the MCP tools: capture, context, criteria, promises, stall. Each
 * takes the wire form, and answers it as a JSON string; what is refused is `{"error": {…}}`, for the model to mend.
 *
 * @example
 * const model = chatModel.bindTools(createTurngraphTools(client))
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
