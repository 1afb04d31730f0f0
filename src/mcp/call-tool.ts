// Calls a tool: parses its arguments, runs its operation, and says meanwhile that it is at work.
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import { toWire } from '../core/wire-form.ts'
import { ALL_TOOLS, parseArguments, type Tool } from '../operations/tools.ts'
import { escapeHidden } from '../rules/foreign-text.ts'
import type { CallContext, CallOperation } from './call-operation.ts'
import { type Failures, noSuchTool, reportFailure } from './protocol-errors.ts'

const byName: ReadonlyMap<string, Tool> = new Map(ALL_TOOLS.map((tool) => [tool.name, tool]))

type Request = Pick<ServerContext['mcpReq'], '_meta' | 'notify'>

/**
 * A refused call is `isError` with one text block `{"error": {…}}` and no structured content, which clients would check
 * against the schema of successes.
 *
 * @throws a protocol error where there is no such tool
 */
export async function callTool(
  { name, arguments: args = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
  {
    call,
    failures,
    request,
    context,
  }: { call: CallOperation; failures: Failures; request: Request; context: CallContext },
): Promise<CallToolResult> {
  const tool = byName.get(name)
  if (tool === undefined) throw noSuchTool(name, [...byName.keys()])
  const stop = tellProgress(name, request)
  try {
    const given = parseArguments(tool, args)
    const { operation, input } = tool.chooseOperation?.(given) ?? { operation: tool.operation, input: given }
    const output = await call(operation, input, context)
    // By the tool's own schema: it may show less than the operation answers.
    const answer = tool.toAnswer?.(given, output) ?? output
    const content = toWire(tool.output, answer) as Record<string, unknown>
    return { content: [asText(content)], structuredContent: content }
  } catch (thrown) {
    return { isError: true, content: [asText(reportFailure(thrown, failures))] }
  } finally {
    stop()
  }
}

const PROGRESS_MS = 1_000

/** Tells every second for how long it has been at work, where the caller asked for progress. */
function tellProgress(tool: string, { _meta, notify }: Request): () => void {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return () => {}
  const began = performance.now()
  const timer = setInterval(() => {
    const progress = Math.round((performance.now() - began) / 1_000)
    const params = { progressToken, progress, message: `${tool}: at work for ${progress} s` }
    // A caller that has gone needs none: its request is aborted.
    notify({ method: 'notifications/progress', params }).catch(() => clearInterval(timer))
  }, PROGRESS_MS)
  return () => clearInterval(timer)
}

const asText = (content: unknown) => ({ type: 'text' as const, text: escapeHidden(JSON.stringify(content)) })
