// Calls a tool: parses its arguments, runs its operation, and reports progress.
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import { toWire } from '../core/wire-form.ts'
import { readsOnlyAsPlayer, refuseWithoutScope, scopesOf } from '../operations/access.ts'
import type { Scope } from '../operations/operation.ts'
import { ALL_TOOLS, parseArguments, type Tool } from '../operations/tools.ts'
import { escapeHidden } from '../rules/foreign-text.ts'
import type { CallContext, CallOperation } from './call-operation.ts'
import { type Failures, reportFailure, unknownNameError } from './protocol-errors.ts'

const byName: ReadonlyMap<string, Tool> = new Map(ALL_TOOLS.map((tool) => [tool.name, tool]))

type Request = Pick<ServerContext['mcpReq'], '_meta' | 'notify'>

/**
 * Calls a tool. A failed call returns `isError` with one text block `{"error": {…}}` and without structured content, which
 * clients would check against the output schema.
 *
 * @throws `not_found` if the tool does not exist
 */
export async function callTool(
  { name, arguments: args = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
  {
    call,
    scopes,
    failures,
    request,
    context,
  }: {
    call: CallOperation
    scopes: ReadonlySet<Scope>
    failures: Failures
    request: Request
    context: CallContext
  },
): Promise<CallToolResult> {
  const tool = byName.get(name)
  if (tool === undefined) throw unknownNameError('tool', name, [...byName.keys()])
  const stop = tellProgress(name, request)
  try {
    refuseWithoutScope(scopesOf(tool.operation), scopes) // first, because an error about arguments shows fields
    // The tools of a Player have no argument for a role.
    const role = readsOnlyAsPlayer(tool.operation, scopes) ? { role: 'player' } : {}
    const given = parseArguments(tool, { ...role, ...args })
    const { operation, input } = tool.chooseOperation?.(given) ?? { operation: tool.operation, input: given }
    const output = await call(operation, input, context)
    // Uses the schema of the tool, which may have fewer fields than the answer of the operation.
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

/** Reports the elapsed time every second, if the caller requested progress. */
function tellProgress(tool: string, { _meta, notify }: Request): () => void {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return () => {}
  const began = performance.now()
  const timer = setInterval(() => {
    const progress = Math.round((performance.now() - began) / 1_000)
    const params = { progressToken, progress, message: `${tool}: at work for ${progress} s` }
    // A disconnected caller needs no progress: its request is aborted.
    notify({ method: 'notifications/progress', params }).catch(() => clearInterval(timer))
  }, PROGRESS_MS)
  return () => clearInterval(timer)
}

const asText = (content: unknown) => ({ type: 'text' as const, text: escapeHidden(JSON.stringify(content)) })
