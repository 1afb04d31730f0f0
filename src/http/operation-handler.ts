// Runs an operation for a request: parses, authorizes by project, renders the answer.
import type { Request, RequestHandler, Response } from 'express'
import type * as z from 'zod'
import type { Queries } from '../analysis/query/queries.ts'
import { asTurngraphError, TurngraphError } from '../core/errors.ts'
import { takesProject } from '../core/fields.ts'
import { parseWire, toWire } from '../core/wire-form.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { Graph } from '../graph/port.ts'
import { answerFor, refuseCall } from '../operations/access.ts'
import { type Call, type Operation, onlyReads } from '../operations/operation.ts'
import type { Route } from '../operations/routes.ts'
import { type OperationName, operations } from '../operations/table.ts'
import type { TurnRuns } from '../runs/turn-runs.ts'
import type { SearchIndexes } from '../search/search.ts'
import { answerJson } from './answer.ts'
import type { Caller } from './api-tokens.ts'
import { readCaller } from './authorize.ts'
import type { GenAiSpans } from './genai-spans.ts'
import { idempotencyKey, projectHeader, readInput } from './input.ts'
import { answerInQueue } from './large-answers.ts'
import type { Metrics } from './metrics.ts'
import type { SchemaState } from './schema-state.ts'

export type OperationContext = {
  graph: Graph
  schema: SchemaState
  runs: TurnRuns
  queries: Queries
  metrics: Metrics
  /** Null if TURNGRAPH_GENAI_SPANS is off. */
  spans: GenAiSpans | null
  feed: ChangeFeed
  search: SearchIndexes
  maxReaders: number
  /** Aborted when the service ends, which ends streaming answers. */
  closing: AbortSignal
  defaultProject: string
  turnLengthThreshold: number
  importRoots: readonly string[]
}

/** Creates the handler of a route: parses the request, runs the operation, and renders the answer. */
export function operationHandler(route: Route, context: OperationContext): RequestHandler {
  const answer = async (req: Request, res: Response) => {
    const input: object = inputFor(operations[route.operation].input, req, route.operation)
    const output = await runFor(context, readCaller(res), route.operation, input, {
      idempotencyKey: idempotencyKey(req),
      signal: whenGone(res),
      log: (message, fields) => req.log.info(fields ?? {}, message),
    })
    const status = alreadyExisted(output) ? 200 : (route.created ?? 200)
    answerJson(res, status, toWire(operations[route.operation].output, output))
  }
  return async (req, res) => {
    context.schema.refuseUnlessCurrent()
    if (!operations[route.operation].largeRecords) return answer(req, res)
    await answerInQueue(async () => {
      // Skips the work if the caller gave up while it waited. `closed` would stay false for a pipelined request.
      if (!res.destroyed) await answer(req, res)
    })
  }
}

/** Returns a signal that is aborted when the caller disconnects or has its answer. */
function whenGone(res: Response): AbortSignal {
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  return gone.signal
}

/** Parses the input of a request. Takes the project from the header if the input has none. */
export function inputFor<S extends z.ZodType>(schema: S, req: Request, what: string): z.output<S> {
  const sent = readInput(req)
  const header = takesProject(schema) ? projectHeader(req) : null // an invalid header is rejected even if it is not needed
  const useHeader = header !== null && sent.project == null
  return parseWire(schema, useHeader ? { ...sent, project: header } : sent, what)
}

/** Runs an operation for a caller, in the requested project, if the caller may access it. */
export async function runFor(
  { graph, schema, metrics, spans, defaultProject, ...settings }: OperationContext,
  caller: Caller,
  operation: OperationName,
  input: { project?: string | null | undefined },
  call: Pick<Call, 'idempotencyKey' | 'log' | 'signal'>,
): Promise<unknown> {
  const { wholeGraph, scope, run }: Operation = operations[operation]
  refuseCall(operation, input, caller.scopes)
  if (!onlyReads(scope)) await schema.refuseWritesIfOutdated()
  if (wholeGraph) requireUnscopedToken(caller)
  const project = chooseProject(input.project ?? null, caller, defaultProject)
  try {
    const log: Call['log'] = (message, fields) =>
      call.log?.(message, fields === undefined ? undefined : { caller: caller.name, ...fields })
    const scopedInput = { ...input, project }
    const answerIt = () =>
      run(graph, scopedInput, {
        ...settings,
        ...call,
        log,
        namedProject: input.project ?? null,
        onlyProject: caller.project,
        caller: { name: caller.name, tokenName: caller.tokenName, scopes: [...caller.scopes] },
      })
    const answer = await answerFor(
      operation,
      caller.scopes,
      async () => spans?.around(operation, scopedInput, answerIt) ?? answerIt(),
    )
    metrics.answered(operation, answer)
    return answer
  } catch (error) {
    metrics.refused(operation, asTurngraphError(error).code)
    throw error
  }
}

/** Chooses the project of a call. A token of one project can access only that project, with which all of its keys begin. */
export function chooseProject(named: string | null, caller: Caller, fallback: string): string {
  const project = named ?? caller.project ?? fallback
  if (caller.project === null || caller.project === project) return project
  throw new TurngraphError('forbidden', `The token is for the project "${caller.project}".`, {
    hint: 'Leave the project out, or use a token of that project.',
    details: { project: caller.project },
  })
}

/** Rejects tokens that are limited to one project. */
export function requireUnscopedToken({ project }: Caller): void {
  if (project === null) return
  throw new TurngraphError('forbidden', 'A token of one project cannot ask about the whole graph.', {
    hint: 'The named analyses (GET /v1/analyses) answer for a project; else use a token without one.',
    details: { project },
  })
}

const alreadyExisted = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'created' in answer && answer.created === false
