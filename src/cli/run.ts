/** `turngraph run`: starts, watches, lists and cancels turn runs, and lists the attempts of a world. */

import type { TurngraphClient } from '../client/client.ts'
import { EXIT } from '../core/exit-codes.ts'
import { plural } from '../core/plural.ts'
import type { OperationName, OperationOutput } from '../operations/table.ts'
import { quoteForShell } from '../rules/command-line.ts'
import { TURN_RUN_STATUSES } from '../rules/values.ts'
import { ask, type Frame } from './ask.ts'
import { action, command, type Given, group, PAGE, SHARED } from './command.ts'
import { printItems, printJson, printList, printNote, printText } from './output.ts'
import { withProjectChecked } from './require-project.ts'
import { untilDoneOrSignalled } from './signals.ts'
import { untilEnded } from './until-ended.ts'

type Status = OperationOutput<'getTurnRunStatus'>

const RUN = { turnRunId: ['<run>', 'its id'] } as const
const WORLD = { worldSlug: ['<world>', 'its slug'] } as const
const WATCH = { watch: ['--watch', 'wait until it has ended, with a progress bar'] } as const

const START = {
  turnCount: ['--turns <n>', 'committed turns, 1 to 100,000 (default: 1)'],
  maxAttempts: ['--max-attempts <n>', 'at least --turns (default: --turns)'],
  ...WATCH,
  ...SHARED,
} as const

const addStart = action(
  {
    name: 'start',
    description: 'start one attempt at the next turn of a world, or a run of several',
    arguments: WORLD,
    options: START,
  },
  startRun,
)

const addStatus = action(
  {
    name: 'status',
    description: 'show how far a run is, and how it ended',
    arguments: RUN,
    options: { includeAttempts: ['--attempts', 'with its newest attempts'], ...WATCH, ...SHARED },
  },
  async ({ turnRunId = '', includeAttempts = false, watch, project, json }) => {
    if (!watch) return ask('getTurnRunStatus', { turnRunId, includeAttempts }, { project, json }, printStatus)
    const { withClient } = await import('./connect.ts')
    const exitCode = await untilDoneOrSignalled((signal) =>
      withClient({ project, readsOnly: true }, (client) => watchRun(client, turnRunId, { json }, signal)),
    )
    if (exitCode !== null) leave(exitCode, `status ${turnRunId} --watch`, project)
  },
)

const addList = command({
  name: 'list',
  description: 'list the runs of a project, newest first',
  operation: 'listTurnRuns',
  options: {
    worldSlug: ['--world <slug>', 'those of a world'],
    status: ['--status <status>', 'those with this status', { choices: TURN_RUN_STATUSES }],
    ...PAGE,
    ...SHARED,
  },
  print: printItems('There are no runs.', {
    run: 'turnRunId',
    world: 'worldSlug',
    status: 'status',
    committed: ({ committedTurnCount, requestedTurnCount }) => `${committedTurnCount}/${requestedTurnCount}`,
    attempts: 'attemptCount',
    failed: 'failedAttemptCount',
    started: 'startedAt',
    ended: 'endedAt',
  }),
})

const addCancel = command({
  name: 'cancel',
  description: 'end a run: the attempt under way finishes, none follows it',
  operation: 'cancelTurnRun',
  arguments: RUN,
  options: {
    reason: ['--reason <text>', 'why'],
    abort: ['--abort', 'stop the attempt under way too'],
    ...SHARED,
  },
  print: ({ message }) => printText(message),
})

const addAttempts = command({
  name: 'attempts',
  description: 'list the attempts of a world, newest first',
  operation: 'listAttempts',
  arguments: WORLD,
  options: {
    turnRunId: ['--run <id>', 'those of a run'],
    ...PAGE,
    limit: ['--limit <n>', 'one page of at most n items, 1 to 500 (default: 50)'],
    ...SHARED,
  },
  print: ({ items }) => printAttempts(items, 'There are no attempts.'),
})

export const addRun = group(
  {
    name: 'run',
    description: 'run turns durably: start, watch, list and cancel them',
    help: `Without a running server, \`run start\` serves the graph itself and stays until the run has ended; other commands go
through it, and Ctrl+C hands the run back. Through a server, Ctrl+C ends the watch alone: the run goes on.

Examples:
  turngraph run start TASK-1 --turns 5 --max-attempts 15 --watch
  turngraph run status 6fa4a1f2-6c3c-4e6b-9a55-2b8f3c1f7d10 --attempts
  turngraph run list --status failed
  turngraph run cancel 6fa4a1f2-6c3c-4e6b-9a55-2b8f3c1f7d10 --reason 'wrong branch'`,
  },
  [addStart, addStatus, addList, addCancel, addAttempts],
)

async function startRun({
  worldSlug = '',
  turnCount,
  maxAttempts,
  project,
  json,
  watch = false,
}: Given<typeof WORLD & typeof START>): Promise<void> {
  const { configFor } = await import('./connect.ts')
  const { createLog } = await import('../platform/log.ts')
  const { SharedService } = await import('./shared-service.ts')
  const service = new SharedService(configFor(project), project, createLog('warn'))
  let isResumed = false
  let follow = `list --world ${quoteForShell(worldSlug)}`
  const work = async (signal: AbortSignal): Promise<void> => {
    const client = await service.client()
    const started = await withProjectChecked(client, project, () =>
      client.runTurn({ worldSlug, turnCount, maxAttempts }),
    )
    const stays = watch || service.isOwn
    if (service.isOwn) isResumed = (await client.getWorld({ worldSlug })).resume === 'auto'
    if (!stays && json) return printWire('runTurn', started)
    if (!json) printText(`${started.message} ${started.turnRunId ?? started.attemptId}`)
    if (!stays) return
    if (!watch) printNote('There is no server: this command stays until it has ended.')
    const { turnRunId, attemptId } = started
    follow = turnRunId === undefined ? `attempts ${quoteForShell(worldSlug)}` : `status ${turnRunId} --watch`
    if (turnRunId !== undefined) await watchRun(client, turnRunId, { json }, signal)
    else if (attemptId !== undefined) await watchAttempt(client, { attemptId, worldSlug }, { json }, signal)
  }
  try {
    const exitCode = await untilDoneOrSignalled(work)
    if (exitCode === null) return
    if (!service.isOwn) return leave(exitCode, follow, project)
    process.exitCode = exitCode
    const then = isResumed ? 'the next server resumes it' : 'its status is interrupted'
    printNote(`The run is handed back: ${then}.`)
  } finally {
    await service.close()
  }
}

function leave(exitCode: number, follow: string, project: string | undefined): void {
  process.exitCode = exitCode
  const inProject = project === undefined ? '' : ` --project ${quoteForShell(project)}`
  printNote(`The run goes on in its service. Follow it with: turngraph run ${follow}${inProject}`)
}

/** Waits until the run has ended. If a restart interrupts the run, waits for the run that resumes it, too. */
async function watchRun(
  client: TurngraphClient,
  turnRunId: string,
  { json }: Frame,
  signal: AbortSignal,
): Promise<void> {
  const { withProgress } = await import('./progress.ts')
  const status = await withProgress((show) =>
    untilEnded(
      client,
      async () => {
        const status = await client.getTurnRunStatus({ turnRunId })
        show(plural(status.attemptCount, 'attempt'), status.committedTurnCount, status.requestedTurnCount)
        return status
      },
      signal,
    ),
  )
  const next = status.status === 'interrupted' ? await findResuming(client, status) : undefined
  if (next !== undefined) {
    printNote(`${status.message} Turn run ${next.turnRunId} resumes it.`)
    return watchRun(client, next.turnRunId, { json }, signal)
  }
  if (!isDone(status)) process.exitCode = EXIT.found.code
  if (json) return printWire('getTurnRunStatus', status)
  printText(status.message)
  printLastFailure(status)
}

/** Returns the run that resumes an interrupted run, if there is one: the service stores both changes in one transaction. */
async function findResuming(client: TurngraphClient, { worldSlug, turnRunId }: Status) {
  const { items } = await client.listTurnRuns({ worldSlug })
  return items.find(({ resumes }) => resumes?.turnRunId === turnRunId)
}

/** True if the run is completed or stopped because it reached its goal. */
const isDone = ({ status, stopReason }: Status): boolean =>
  status === 'completed' || (stopReason !== null && GOALS_REACHED.includes(stopReason))

const GOALS_REACHED: readonly NonNullable<Status['stopReason']>[] = [
  'approved',
  'all_verified',
  'all_observed',
]

async function watchAttempt(
  client: TurngraphClient,
  attempt: { attemptId: string; worldSlug: string },
  { json }: Frame,
  signal: AbortSignal,
): Promise<void> {
  const status = await untilEnded(client, () => client.getTurnStatus(attempt), signal)
  if (status.status !== 'committed') process.exitCode = EXIT.found.code
  if (json) return printWire('getTurnStatus', status)
  printText(status.message)
}

async function printWire(name: OperationName, answer: unknown): Promise<void> {
  const { inWireForm } = await import('./ask-in-wire-form.ts')
  printJson(inWireForm(name, answer))
}

/** Prints the reason of the last failure, which may have many lines of a command's output. */
function printLastFailure({ lastAttemptFailureReason }: Pick<Status, 'lastAttemptFailureReason'>): void {
  if (lastAttemptFailureReason !== null) printText(`The last attempt failed: ${lastAttemptFailureReason}`)
}

async function printStatus(status: Status): Promise<void> {
  const { message, cancelReason, stopReason, nextAttemptAt, resumes, recentAttempts } = status
  printText(message)
  printLastFailure(status)
  if (nextAttemptAt !== null) printText(`The next attempt starts at ${nextAttemptAt}.`)
  if (resumes !== null) printText(`It resumes turn run ${resumes.turnRunId}, which a restart interrupted.`)
  if (cancelReason !== null && stopReason === null) printText(`Cancelled: ${cancelReason}`)
  if (recentAttempts !== undefined) await printAttempts(recentAttempts, null)
}

type Attempts = OperationOutput<'listAttempts'>['items']

const printAttempts = (attempts: Attempts, none: string | null): Promise<void> =>
  printList(attempts, none, {
    attempt: 'attemptId',
    'in run': 'turnRunSeq',
    turn: 'attemptedTurn',
    status: 'status',
    started: 'startedAt',
    ended: 'endedAt',
    reason: 'failureReason',
  })
