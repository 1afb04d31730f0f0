// Serves the MCP tools over any transport.
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { asTurngraphError, TurngraphError } from '../core/errors.ts'
import { toWire } from '../core/wire-form.ts'
import type { OperationName } from '../operations/table.ts'
import { ALL_TOOLS, parseArguments, type Tool } from '../operations/tools.ts'
import { listedTools } from './manifest.ts'

/** Runs an operation for this connection: camelCase in and out. */
export type CallOperation = (operation: OperationName, input: Record<string, unknown>) => Promise<unknown>

export type McpOptions = {
  version: string
  call: CallOperation
  /** Of this request, for the log: stands in errors as `request_id`. */
  requestId?: string | null
  /** What is not a refusal of ours. */
  onDefect?: (error: unknown) => void
}

const byName: ReadonlyMap<string, Tool> = new Map(ALL_TOOLS.map((tool) => [tool.name, tool]))

/**
 * Turngraph's tools for one connection, whatever its transport. A refused call is `isError` with one text block
 * `{"error": {…}}` and no structured content, which clients would check against the schema of successes.
 */
export function createMcpServer({ version, call, requestId = null, onDefect }: McpOptions): Server {
  const server = new Server(
    { name: 'turngraph', title: 'Turngraph', version },
    {
      capabilities: { tools: {} },
      instructions:
        'The memory of autobuild sessions. Before a turn: load_continuation_context. After it: capture_turn_state. To have turns run durably: run_turn, then poll as its answer says.',
    },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listedTools() }))
  // Not by setRequestHandler: the SDK's own check of the arguments would answer plain text.
  server.fallbackRequestHandler = async ({ method, params }): Promise<CallToolResult> => {
    if (method !== 'tools/call') throw new McpError(ErrorCode.MethodNotFound, 'Method not found')
    try {
      const { name, arguments: args = {} } = (params ?? {}) as { name?: unknown; arguments?: unknown }
      return answer(await callTool(String(name), args, call))
    } catch (thrown) {
      const error = asTurngraphError(thrown)
      if (error.code === 'internal') onDefect?.(thrown)
      return { isError: true, content: [asText(error.toWire(requestId))] }
    }
  }
  return server
}

async function callTool(name: string, args: unknown, call: CallOperation): Promise<Record<string, unknown>> {
  const tool = byName.get(name)
  if (tool === undefined) {
    throw new TurngraphError('invalid_request', `There is no tool "${name.slice(0, 200)}".`, {
      hint: `The tools are ${[...byName.keys()].join(', ')}.`,
    })
  }
  const output = await call(tool.operation, parseArguments(tool, args))
  // By the tool's own schema: it may show less than the operation answers.
  return toWire(tool.output, output) as Record<string, unknown>
}

const answer = (content: Record<string, unknown>): CallToolResult => ({
  content: [asText(content)],
  structuredContent: content,
})

const asText = (content: unknown) => ({ type: 'text' as const, text: JSON.stringify(content) })
