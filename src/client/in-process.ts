import type { Graph } from '../graph/port.ts'
import { type Call, type OperationName, operations } from '../operations.ts'
import { parseInput } from '../wire.ts'
import type { TurngraphClient } from './client.ts'

export type InProcessOptions = { graph: Graph; project: string; log?: (message: string) => void }

/**
 * Calls the operations on a graph of this very process. `close()` closes the graph. `log` takes what a service would
 * log at INFO, such as recovered promises.
 */
export function inProcessClient({ graph, project, log }: InProcessOptions): TurngraphClient {
  const call =
    (name: OperationName) =>
    (input: unknown, options: Call = {}) =>
      runOperation(name, { graph, input, project, call: { log, ...options } })
  const calls = Object.fromEntries(Object.keys(operations).map((name) => [name, call(name as OperationName)]))
  return { ...calls, close: () => graph.close() } as unknown as TurngraphClient
}

async function runOperation(
  name: OperationName,
  { graph, input, project, call }: { graph: Graph; input: unknown; project: string; call: Call },
): Promise<unknown> {
  const operation = operations[name]
  const parsed = parseInput(operation.input, input, name)
  const scoped = { ...parsed, project: parsed.project ?? project }
  // Each operation's input fits its own `run`; the table as a whole cannot say so.
  return (operation.run as (graph: Graph, input: unknown, call: Call) => Promise<unknown>)(
    graph,
    scoped,
    call,
  )
}
