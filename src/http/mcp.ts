// Serves MCP over streamable HTTP.
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Request, Response } from 'express'
import { createMcpServer } from '../mcp/server.ts'
import { operations } from '../operations/table.ts'
import { callerOf, refuseWithout } from './authorize.ts'
import { projectHeader } from './input.ts'
import { type OperationContext, runFor } from './operation-handler.ts'
import { VERSION } from './version.ts'

/**
 * MCP over streamable HTTP. Stateless: each request brings its token and its project, so that any replica answers
 * it, and nothing is kept between two.
 */
export async function answerMcp(context: OperationContext, req: Request, res: Response): Promise<void> {
  context.schema.refuseUnlessCurrent()
  const caller = callerOf(res)
  const project = projectHeader(req)
  const server = createMcpServer({
    version: VERSION,
    requestId: String(req.id),
    onDefect: (error) => req.log.error({ err: error }, 'a tool failed'),
    call: async (operation, input) => {
      refuseWithout(operations[operation].scope, caller)
      return runFor(
        context,
        caller,
        operation,
        { ...input, project },
        { log: (text, fields) => req.log.info(fields ?? {}, text) },
      )
    },
  })
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  res.once('close', () => void server.close())
  // Its types do not know exactOptionalPropertyTypes.
  await server.connect(transport as Parameters<typeof server.connect>[0])
  await transport.handleRequest(req, res, req.body)
}
