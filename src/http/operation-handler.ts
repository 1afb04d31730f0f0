import type { RequestHandler } from 'express'
import { asTurngraphError, TurngraphError } from '../errors.ts'
import type { Graph } from '../graph/port.ts'
import type { Metrics } from '../metrics.ts'
import type { Call } from '../operation.ts'
import { type OperationName, operations } from '../operations.ts'
import type { TurnRuns } from '../runs/turn-runs.ts'
import { parseWire, toWire } from '../wire.ts'
import { answerJson } from './answer.ts'
import { callerOf } from './authorize.ts'
import { idempotencyKey, projectHeader } from './headers.ts'
import { inputOf } from './input.ts'
import type { Route } from './routes.ts'
import type { SchemaState } from './schema-state.ts'
import type { Caller } from './tokens.ts'

export type OperationContext = {
  graph: Graph
  schema: SchemaState
  runs: TurnRuns
  metrics: Metrics
  defaultProject: string
  turnLengthThreshold: number
  importRoots: readonly string[]
}

type Run = (graph: Graph, input: unknown, call: Call) => Promise<unknown>

/** One route: parse what came, run the operation, render what it answers. */
export function operationHandler(route: Route, context: OperationContext): RequestHandler {
  return async (req, res) => {
    context.schema.refuseUnlessCurrent()
    const sent = inputOf(req)
    const header = sent.project == null ? projectHeader(req) : null
    const whole = header === null ? sent : { ...sent, project: header }
    const input: { project?: string | null | undefined } = parseWire(
      operations[route.operation].input,
      whole,
      route.operation,
    )
    const answer = await runFor(context, callerOf(res), route.operation, input, {
      idempotencyKey: idempotencyKey(req),
      log: (message) => req.log.info(message),
    })
    const status = wasThere(answer) ? 200 : (route.created ?? 200)
    answerJson(res, status, toWire(operations[route.operation].output, answer))
  }
}

/** Runs an operation for whoever calls, in the project that they name and may reach. */
export async function runFor(
  { graph, metrics, defaultProject, ...settings }: OperationContext,
  caller: Caller,
  operation: OperationName,
  input: { project?: string | null | undefined },
  call: Pick<Call, 'idempotencyKey' | 'log'>,
): Promise<unknown> {
  const project = projectOf(input.project ?? null, caller, defaultProject)
  // Each operation's input fits its own `run`; the table as a whole cannot say so.
  const run = operations[operation].run as Run
  try {
    const answer = await run(graph, { ...input, project }, { ...settings, ...call })
    metrics.answered(operation, answer)
    return answer
  } catch (error) {
    metrics.refused(operation, asTurngraphError(error).code)
    throw error
  }
}

/** A token of a project reaches that one alone: every key in the graph begins with it. */
export function projectOf(named: string | null, caller: Caller, fallback: string): string {
  const project = named ?? caller.project ?? fallback
  if (caller.project === null || caller.project === project) return project
  throw new TurngraphError('forbidden', `The token is for the project "${caller.project}".`, {
    hint: 'Leave the project out, or use a token of that project.',
    details: { project: caller.project },
  })
}

const wasThere = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'created' in answer && answer.created === false
