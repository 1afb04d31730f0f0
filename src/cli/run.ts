import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { TurngraphClient } from '../client/client.ts'
import { EXIT } from '../core/exit-codes.ts'
import type { OperationOutput } from '../operations/table.ts'
import { ask } from './ask.ts'
import { counted } from './counted.ts'
import { requireProject } from './known-project.ts'
import { named, type PageOptions, whole, withJson, withPage, withProject } from './options.ts'
import { printJson, printNote, printText } from './output.ts'
import { quoted } from './quoted.ts'
import { untilToldToEnd } from './signals.ts'

type Shared = { project?: string | undefined; json?: boolean | undefined }
type StartOptions = Shared & { turns?: number; maxAttempts?: number; watch?: boolean }
type StatusOptions = Shared & { attempts?: boolean; watch?: boolean }
type CancelOptions = Shared & { reason?: string; abort?: boolean }
type ListOptions = Shared & PageOptions & { world?: string; status?: (typeof STATUSES)[number] }
type Status = OperationOutput<'getTurnRunStatus'>

const ASK_AGAIN_MS = 500
/** Those of `TURN_RUN_STATUSES`: `--help` loads no schema. */
const STATUSES = ['running', 'cancel_requested', 'completed', 'failed', 'cancelled', 'interrupted'] as const

export function addRun(program: Command): void {
  const run = program.command('run').description('run turns durably: start, watch, list and cancel them')
  const start = run
    .command('start')
    .description('start one attempt at the next turn of a world, or a run of several')
    .argument('<world>', 'its slug')
    .option('--turns <n>', 'committed turns, 1 to 100,000 (default: 1)', whole)
    .option('--max-attempts <n>', 'at least --turns (default: --turns)', whole)
    .option('--watch', 'wait until it has ended, with a progress bar')
    .action(startRun)
  const status = run
    .command('status')
    .description('show how far a run is, and how it ended')
    .argument('<run>', 'its id')
    .option('--attempts', 'with its newest attempts')
    .option('--watch', 'wait until it has ended, with a progress bar')
    .action(showRun)
  const list = run
    .command('list')
    .description('list the runs of a project, newest first')
    .option('--world <slug>', 'those of a world', named)
    .addOption(new Option('--status <status>', 'those that are so').choices(STATUSES))
    .action(listRuns)
  const cancel = run
    .command('cancel')
    .description('end a run: the attempt under way finishes, none follows it')
    .argument('<run>', 'its id')
    .option('--reason <text>', 'why', named)
    .option('--abort', 'stop the attempt under way too')
    .action(cancelRun)
  const attempts = run
    .command('attempts')
    .description('list the attempts of a world, newest first')
    .argument('<world>', 'its slug')
    .option('--run <id>', 'those of a run', named)
    .action(listAttempts)
  for (const command of [list, attempts]) withPage(command)
  for (const command of [start, status, list, cancel, attempts]) withJson(withProject(command))
  run.addHelpText(
    'after',
    `
Without a running server, \`run start\` serves the graph itself and stays until the run has ended; other commands go
through it, and Ctrl+C hands the run back. Through a server, Ctrl+C ends the watch alone: the run goes on.

Examples:
  turngraph run start TASK-1 --turns 5 --max-attempts 15 --watch
  turngraph run status 6fa4a1f2-6c3c-4e6b-9a55-2b8f3c1f7d10 --attempts
  turngraph run list --status failed
  turngraph run cancel 6fa4a1f2-6c3c-4e6b-9a55-2b8f3c1f7d10 --reason 'wrong branch'
`,
  )
}

async function startRun(worldSlug: string, options: StartOptions): Promise<void> {
  const { turns, maxAttempts, project, json, watch = false } = options
  const [{ loadConfig }, { createLog }, { SharedService }, { operations }, { toWire }] = await Promise.all([
    import('../platform/config.ts'),
    import('../platform/log.ts'),
    import('./shared-service.ts'),
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
  ])
  const config = loadConfig({ ...process.env, ...(project !== undefined && { TURNGRAPH_PROJECT: project }) })
  const service = new SharedService(config, project, createLog('warn'))
  let follow = `list --world ${quoted(worldSlug)}`
  const work = async (signal: AbortSignal): Promise<void> => {
    const client = await service.client()
    const started = await client.runTurn({
      worldSlug,
      ...(turns !== undefined && { turnCount: turns }),
      ...(maxAttempts !== undefined && { maxAttempts }),
    })
    const stays = watch || service.isOwn
    if (!stays && json) return printJson(toWire(operations.runTurn.output, started))
    if (!json) printText(`${started.message} ${started.turnRunId ?? started.attemptId}`)
    if (!stays) return
    if (!watch) printNote('There is no server: this command stays until it has ended.')
    const { turnRunId, attemptId } = started
    follow = turnRunId === undefined ? `attempts ${quoted(worldSlug)}` : `status ${turnRunId} --watch`
    if (turnRunId !== undefined) await watchRun(client, { turnRunId }, { json }, signal)
    else if (attemptId !== undefined) await watchAttempt(client, { attemptId, worldSlug }, { json }, signal)
  }
  try {
    const exitCode = await untilDoneOrToldToEnd(work)
    if (exitCode === null) return
    if (!service.isOwn) return leave(exitCode, follow, project)
    process.exitCode = exitCode
    printNote('The run is handed back: its status is interrupted.')
  } finally {
    await service.close()
  }
}

/** @returns the exit code for the signal that ended it, or null where the work was done */
async function untilDoneOrToldToEnd(work: (signal: AbortSignal) => Promise<void>): Promise<number | null> {
  const stop = new AbortController()
  try {
    return await Promise.race([work(stop.signal).then(() => null), untilToldToEnd(async () => {})])
  } finally {
    stop.abort()
  }
}

/** The run goes on in its service: the watch alone ends. */
function leave(exitCode: number, follow: string, project: string | undefined): void {
  process.exitCode = exitCode
  const inProject = project === undefined ? '' : ` --project ${quoted(project)}`
  printNote(`The run goes on in its service. Follow it with: turngraph run ${follow}${inProject}`)
}

async function showRun(turnRunId: string, options: StatusOptions): Promise<void> {
  const { attempts = false, project, json, watch } = options
  if (watch) {
    const { withClient } = await import('./connect.ts')
    const exitCode = await untilDoneOrToldToEnd((signal) =>
      withClient({ project, readsOnly: true }, (client) => watchRun(client, { turnRunId }, { json }, signal)),
    )
    if (exitCode !== null) leave(exitCode, `status ${turnRunId} --watch`, project)
    return
  }
  await ask('getTurnRunStatus', { turnRunId, includeAttempts: attempts }, options, printStatus)
}

async function listRuns({ world, status, project, json, ...page }: ListOptions): Promise<void> {
  const [{ withClient }, { readPages }, { operations }, { toWire }] = await Promise.all([
    import('./connect.ts'),
    import('./pages.ts'),
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
  ])
  const asked = {
    ...(world !== undefined && { worldSlug: world }),
    ...(status !== undefined && { status }),
  }
  const found = await withClient({ project, readsOnly: true }, async (client) => {
    const runs = await readPages(page, (window) => client.listTurnRuns({ ...asked, ...window }))
    if (runs.items.length === 0 && project !== undefined) await requireProject(client, project)
    return runs
  })
  if (json) return printJson(toWire(operations.listTurnRuns.output, found))
  if (found.items.length === 0) printNote('There are no runs.')
  else {
    const { printTable } = await import('./table.ts')
    printTable(
      ['run', 'world', 'status', 'committed', 'attempts', 'failed', 'started', 'ended'],
      found.items.map((run) => [
        run.turnRunId,
        run.worldSlug,
        run.status,
        `${run.committedTurnCount}/${run.requestedTurnCount}`,
        run.attemptCount,
        run.failedAttemptCount,
        run.startedAt,
        run.endedAt,
      ]),
    )
  }
  if (found.nextCursor !== null) printNote(`More: --cursor ${found.nextCursor}`)
}

async function cancelRun(turnRunId: string, { reason, abort, project, json }: CancelOptions): Promise<void> {
  const [{ withClient }, { operations }, { toWire }] = await Promise.all([
    import('./connect.ts'),
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
  ])
  const status = await withClient({ project }, (client) =>
    client.cancelTurnRun({
      turnRunId,
      ...(reason !== undefined && { reason }),
      ...(abort !== undefined && { abort }),
    }),
  )
  if (json) return printJson(toWire(operations.cancelTurnRun.output, status))
  printText(status.message)
}

async function listAttempts(
  worldSlug: string,
  options: Shared & PageOptions & { run?: string },
): Promise<void> {
  const { run, limit, cursor } = options
  const input = {
    worldSlug,
    ...(run !== undefined && { turnRunId: run }),
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
  }
  await ask('listAttempts', input, options, async (page) => {
    if (page.attempts.length === 0) printNote('There are no attempts.')
    else await printAttempts(page.attempts)
    if (page.nextCursor !== null) printNote(`More: --cursor ${page.nextCursor}`)
  })
}

/** Asks twice a second until the run has ended; a bar on a terminal shows its committed turns. */
async function watchRun(
  client: TurngraphClient,
  ref: { turnRunId: string },
  { json }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const [{ progressBar }, { operations }, { toWire }] = await Promise.all([
    import('./progress.ts'),
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
  ])
  const bar = progressBar()
  let status: Status
  try {
    for (;;) {
      status = await client.getTurnRunStatus(ref)
      bar.show(counted(status.attemptCount, 'attempt'), status.committedTurnCount, status.requestedTurnCount)
      if (status.endedAt !== null) break
      await pause(signal)
    }
  } finally {
    bar.stop()
  }
  if (status.status !== 'completed') process.exitCode = EXIT.found.code
  if (json) return printJson(toWire(operations.getTurnRunStatus.output, status))
  printText(status.message)
  printLastFailure(status)
}

async function watchAttempt(
  client: TurngraphClient,
  ref: { attemptId: string; worldSlug: string },
  { json }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const [{ operations }, { toWire }] = await Promise.all([
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
  ])
  let status = await client.getTurnStatus(ref)
  while (status.endedAt === null) {
    await pause(signal)
    status = await client.getTurnStatus(ref)
  }
  if (status.status !== 'committed') process.exitCode = EXIT.found.code
  if (json) return printJson(toWire(operations.getTurnStatus.output, status))
  printText(status.message)
}

const pause = (signal: AbortSignal): Promise<void> => sleep(ASK_AGAIN_MS, undefined, { signal })

/** What a command wrote before it failed may be many lines: each stands on its own. */
function printLastFailure({ lastAttemptFailureReason }: Pick<Status, 'lastAttemptFailureReason'>): void {
  if (lastAttemptFailureReason !== null) printText(`The last attempt failed: ${lastAttemptFailureReason}`)
}

async function printStatus(status: Status): Promise<void> {
  const { message, cancelReason, recentAttempts } = status
  printText(message)
  printLastFailure(status)
  if (cancelReason !== null) printText(`Cancelled: ${cancelReason}`)
  if (recentAttempts !== undefined) await printAttempts(recentAttempts)
}

async function printAttempts(attempts: OperationOutput<'listAttempts'>['attempts']): Promise<void> {
  const { printTable } = await import('./table.ts')
  printTable(
    ['attempt', 'in run', 'turn', 'status', 'started', 'ended', 'reason'],
    attempts.map((attempt) => [
      attempt.attemptId,
      attempt.turnRunSeq,
      attempt.attemptedTurn,
      attempt.status,
      attempt.startedAt,
      attempt.endedAt,
      attempt.failureReason,
    ]),
  )
}
