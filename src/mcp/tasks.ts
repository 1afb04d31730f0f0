// Shows turn runs as tasks to clients of 2026-07-28 that speak the extension io.modelcontextprotocol/tasks.
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { toWire } from '../core/wire-form.ts'
import { BOOKMARK_META } from '../operations/bookmarks.ts'
import { finishedRunAnswer } from '../operations/runs.ts'
import { type OperationOutput, operations } from '../operations/table.ts'
import { type CallContext, type CallOperation, withMeta } from './call-operation.ts'
import { type Failures, reportFailure } from './protocol-errors.ts'

const EXTENSION = 'io.modelcontextprotocol/tasks'
/** As both sides declare it among their capabilities. */
export const TASKS_EXTENSION = { [EXTENSION]: {} }
const POLL_INTERVAL_MS = 2_000

type Status = OperationOutput<'getTurnRunStatus'>

/** In place of the result of a call (tasks extension, "Task Creation"); the SDK has every result of one hold content. */
export type CreatedTask = { resultType: 'task'; content: [] } & ReturnType<typeof taskFields>

/** A request's own `_meta`, or the part of it that the SDK takes out as its envelope. */
const declaration = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({ extensions: z.object({ [EXTENSION]: z.looseObject({}) }) }),
})

export const declaresTasks = (meta: unknown): boolean => declaration.safeParse(meta).success

export const tasksNotDeclared = (): ProtocolError =>
  new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: TASKS_EXTENSION } })

/**
 * What `run_turn` answers in place of its result where it has started a run; null where it has started a single attempt, and
 * where the run cannot be read, as by a token that may not: it has begun all the same, and the plain answer has its id.
 */
export async function createdTask(
  { worldSlug, turnRunId }: OperationOutput<'runTurn'>,
  { call, context, failures }: { call: CallOperation; context: CallContext; failures: Failures },
): Promise<CreatedTask | null> {
  if (turnRunId === undefined) return null
  // A member of a cluster that has not heard of the run yet would deny it.
  const bookmark = context.resultMeta[BOOKMARK_META] ?? context.bookmark
  try {
    const status = await loadRun({ worldSlug, turnRunId }, call, { ...context, bookmark })
    return { resultType: 'task', content: [], ...taskFields(status) }
  } catch (error) {
    reportFailure(error, failures)
    return null
  }
}

const ofTask = { params: z.looseObject({ taskId: z.string() }) }

/** `get`, `update` and `cancel`. A run never asks its client for anything, so an update changes nothing. */
export function serveTasks(
  server: Server,
  answer: <T>(request: ServerContext['mcpReq'], work: () => Promise<T>, about: object) => Promise<T>,
  call: CallOperation,
  toContext: (request: ServerContext['mcpReq']) => CallContext,
): void {
  const serve = (method: string, work: (run: RunOfTask, context: CallContext) => Promise<object>) =>
    server.setRequestHandler(method, ofTask, ({ taskId }, { mcpReq }) =>
      answer(
        mcpReq,
        async () => {
          refuseUnlessSpoken(mcpReq, method)
          const context = toContext(mcpReq)
          return withMeta({ ...(await work(parseTaskId(taskId), context)) }, context)
        },
        { taskId },
      ),
    )
  serve('tasks/get', async (run, context) => {
    const status = await loadRun(run, call, context)
    const resuming = status.status === 'interrupted' ? await findResumingRun(status, call, context) : null
    return detailedTask(status, resuming)
  })
  serve('tasks/update', async (run, context) => {
    await loadRun(run, call, context)
    return {}
  })
  serve('tasks/cancel', async (run, context) => {
    await call('cancelTurnRun', operations.cancelTurnRun.input.parse(run), context)
    return {}
  })
}

function refuseUnlessSpoken(request: ServerContext['mcpReq'], method: string): void {
  if (declaresTasks(request.envelope)) return
  // Tasks of 2025-11-25 were others.
  if (request.envelope === undefined)
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `There is no method ${method}.`)
  throw tasksNotDeclared()
}

/** A run is named by its world and its id, in the project of the connection, as tools name it. */
type RunOfTask = { worldSlug: string; turnRunId: string }

const toTaskId = ({ worldSlug, turnRunId }: RunOfTask): string =>
  `${encodeURIComponent(worldSlug)}/${turnRunId}`

/** @throws `not_found` */
function parseTaskId(taskId: string): RunOfTask {
  const [world = '', turnRunId = '', ...rest] = taskId.split('/')
  const parsed = operations.getTurnRunStatus.input.safeParse({ worldSlug: decoded(world), turnRunId })
  if (parsed.success && rest.length === 0) return { worldSlug: decoded(world), turnRunId }
  throw new TurngraphError('not_found', `There is no task "${taskId.slice(0, 200)}".`, {
    hint: 'The id of a task is the one that run_turn answered.',
  })
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return '' // no name of a world: the schema says so
  }
}

/** With its newest attempt: a task says when it last changed. */
const loadRun = async (run: RunOfTask, call: CallOperation, context: CallContext): Promise<Status> =>
  (await call(
    'getTurnRunStatus',
    operations.getTurnRunStatus.input.parse({ ...run, includeAttempts: true, attemptLimit: 1 }),
    context,
  )) as Status

/** It follows its run at once: of a world that has had more than 100 since, it is not looked for. */
async function findResumingRun(
  { worldSlug, turnRunId }: Status,
  call: CallOperation,
  context: CallContext,
): Promise<Status | null> {
  const asked = operations.listTurnRuns.input.parse({ worldSlug, limit: 100 })
  const { items } = (await call('listTurnRuns', asked, context)) as OperationOutput<'listTurnRuns'>
  return items.find(({ resumes }) => resumes?.turnRunId === turnRunId) ?? null
}

const taskFields = (run: Status, resuming: Status | null = null) => ({
  taskId: toTaskId(run),
  status: run.status === 'cancelled' ? 'cancelled' : run.endedAt === null ? 'working' : 'completed',
  statusMessage:
    resuming === null ? run.message : `${run.message} The task ${toTaskId(resuming)} resumes it.`,
  createdAt: run.enqueuedAt,
  lastUpdatedAt: findLastChange(run),
  ttlMs: null, // the graph keeps it
  pollIntervalMs: POLL_INTERVAL_MS,
})

/** A run that failed is an answer, too: `failed` is for errors of the protocol (tasks extension, "Task Execution Errors"). */
function detailedTask(run: Status, resuming: Status | null): object {
  const task = taskFields(run, resuming)
  if (task.status !== 'completed') return task
  const content = toWire(operations.runTurn.output, finishedRunAnswer(run)) as Record<string, unknown>
  const result = {
    resultType: 'complete', // of the call that the task stands for, as it would have been answered
    content: [{ type: 'text', text: JSON.stringify(content) }],
    structuredContent: content,
    isError: run.status !== 'completed',
  }
  return { ...task, result }
}

function findLastChange({
  enqueuedAt,
  startedAt,
  cancelRequestedAt,
  endedAt,
  recentAttempts = [],
}: Status): string {
  const attempts = recentAttempts.flatMap((attempt) => [attempt.startedAt, attempt.endedAt])
  const instants = [enqueuedAt, startedAt, cancelRequestedAt, endedAt, ...attempts].filter(
    (at) => at !== null,
  )
  return instants.reduce((newest, at) => (Date.parse(at) > Date.parse(newest) ? at : newest))
}
