/** `turngraph verify`: runs what a task declares, and records what was seen. */
import { InvalidArgumentError } from 'commander'
import type { TurngraphClient } from '../client/client.ts'
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import { EXIT } from '../core/exit-codes.ts'
import type { OperationInput } from '../operations/table.ts'
import { showCommand, splitCommand } from '../rules/command-line.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import type { Check, DeclaredCriterion } from '../verify/checks.ts'
import type { CheckResult } from '../verify/run-checks.ts'
import { action, requireTarget, SHARED, TASK } from './command.ts'
import { plural, printJson, printNote, printText } from './output.ts'

const collect = (text: string, before: string[] = []): string[] => {
  if (text === '') throw new InvalidArgumentError('It is empty.')
  return [...before, text]
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const MAX_TIMEOUT_MS = 86_400_000
/** Folder in the data folder for what could not be recorded. */
const KEPT_FOLDER = 'unrecorded'

function parseDuration(text: string): number {
  const [, number = '', unit = 's'] = /^(\d{1,9})(ms|s|m|h)?$/.exec(text) ?? []
  const ms = Number(number) * (UNITS[unit] ?? 0)
  if (number !== '' && ms > 0 && ms <= MAX_TIMEOUT_MS) return ms
  throw new InvalidArgumentError('It must be a duration up to 24h, such as 90s or 10m.')
}

type Given = {
  command?: string[] | undefined
  featureId?: string | undefined
  taskId?: string | undefined
  worldSlug?: string | undefined
  turnNumber?: number | undefined
  criterionIds?: string[] | undefined
  timeoutMs?: number | undefined
  jobs?: number | undefined
  dryRun?: boolean | undefined
  shell?: boolean | undefined
  manual?: string[] | undefined
  reason?: string | undefined
  send?: string | undefined
  project?: string | undefined
  json?: boolean | undefined
}

type Request = OperationInput<'addVerifications'>
type Target = { featureId: string; taskId: string; worldSlug?: string; turnNumber?: number }

export const addVerify = action(
  {
    name: 'verify',
    description: 'run the commands that a task declares, and record what was seen on this tree',
    arguments: { command: ['[command...]', 'behind --: the command to run instead, for --criterion'] },
    options: {
      ...TASK,
      turnNumber: ['--turn <n>', 'the turn that it is recorded with (default: the newest)'],
      criterionIds: ['--criterion <id>', 'only this criterion; repeat it for several', { parse: collect }],
      timeoutMs: ['--timeout <duration>', 'of each command (default: 10m)', { parse: parseDuration }],
      jobs: ['--jobs <n>', 'number of commands that run at the same time (default: 1)'],
      dryRun: ['--dry-run', 'print the commands, and run nothing'],
      shell: ['--shell', 'run the COMMAND with sh, as for pipes'],
      manual: [
        '--manual <id>',
        'record that a person has looked at this criterion; repeat it for several',
        { parse: collect, conflicts: ['dryRun', 'shell', 'jobs'] },
      ],
      reason: ['--reason <text>', 'with --manual: what the person saw'],
      send: ['--send <file>', 'send what an earlier call could not record', { conflicts: ['manual'] }],
      ...SHARED,
    },
    help: `It prints each command before it runs. A command ends with all processes of its group; it never uses a shell without --shell.
The exit code is 0 if every command succeeded, and ${EXIT.stop.code} if one failed.

Examples:
  turngraph verify --feature FEAT-1 --task TASK-1 --dry-run --criterion AC-001 -- npm test
  turngraph verify --feature FEAT-1 --task TASK-1 --criterion AC-001 -- node --version
  turngraph verify --feature FEAT-1 --task TASK-1 --criterion AC-001 --shell -- 'node --version | grep v'
  turngraph verify --feature FEAT-1 --task TASK-1 --manual AC-001 --reason 'I looked at the page'`,
  },
  async (given) => {
    refuseUnused(given)
    if (given.send !== undefined) return sendFile(given.send, given)
    const { command = [], criterionIds = [], manual, dryRun = false, json = false } = given
    const { target, declared } = await readTask(given, manual !== undefined || command.length > 0)
    if (manual !== undefined) return recordManual(manual, given, target, declared)
    const checks = await chooseChecks(command, criterionIds, given, declared)
    if (dryRun) return printPlan(checks, json)
    const results = await runAll(checks, given)
    if (results === null) return
    await record(target, results, given)
  },
)

/** @throws `invalid_request` for options that would have no effect */
function refuseUnused({ command = [], shell, manual, reason, send, criterionIds }: Given): void {
  if (shell && command.length === 0) throw usage('--shell is for a COMMAND behind `--`.')
  if (reason !== undefined && manual === undefined) throw usage('--reason is for --manual.')
  if (manual !== undefined && reason === undefined) throw usage('--manual needs --reason.')
  if ((manual !== undefined || send !== undefined) && (command.length > 0 || criterionIds !== undefined))
    throw usage('--manual and --send run no command and take no --criterion.')
}

const usage = (message: string): TurngraphError =>
  new TurngraphError('invalid_request', message, { hint: '`turngraph verify --help` shows examples.' })

/**
 * Reads the task and its declared criteria. The connection ends before a command runs: an embedded graph is free for others, and
 * for the command itself.
 */
async function readTask(
  { featureId, taskId, worldSlug, turnNumber, project }: Given,
  isSpecificationOptional: boolean,
): Promise<{ target: Target; declared: DeclaredCriterion[] }> {
  const { withClient } = await import('./connect.ts')
  return withClient({ project, readsOnly: true }, async (client) => {
    const task = await findTask(client, { featureId, taskId, worldSlug })
    const declared = await client.getSpecification(task).then(
      ({ criteria }) => criteria,
      (error: unknown) => {
        if (isSpecificationOptional && hasCode(error, 'not_found')) return []
        throw error
      },
    )
    const target = {
      ...task,
      ...(worldSlug !== undefined && { worldSlug }),
      ...(turnNumber !== undefined && { turnNumber }),
    }
    return { target, declared }
  })
}

/** Finds the feature and the task: as given, those of the world, or the only feature that has the task. */
async function findTask(
  client: TurngraphClient,
  { featureId, taskId, worldSlug }: Pick<Given, 'featureId' | 'taskId' | 'worldSlug'>,
): Promise<{ featureId: string; taskId: string }> {
  if (featureId !== undefined && taskId !== undefined) return { featureId, taskId }
  if (worldSlug !== undefined) {
    const world = await client.getWorld({ worldSlug })
    return { featureId: world.featureId, taskId: world.taskId }
  }
  if (taskId === undefined) requireTarget({ featureId, taskId, worldSlug })
  const { items } = await client.listWorlds({ taskId: taskId ?? '', limit: 100 })
  const features = [...new Set(items.map((world) => world.featureId))]
  const [only] = features
  if (taskId !== undefined && only !== undefined && features.length === 1) return { featureId: only, taskId }
  throw new TurngraphError(
    'invalid_request',
    features.length === 0
      ? `No session of a task ${taskId} is known.`
      : `${features.length} features have a task ${taskId}: ${features.join(', ')}.`,
    { hint: 'Name its feature with --feature.' },
  )
}

async function chooseChecks(
  command: readonly string[],
  criterionIds: readonly string[],
  { shell = false }: Given,
  declared: readonly DeclaredCriterion[],
): Promise<Check[]> {
  const { selectDeclared, selectGiven } = await import('../verify/checks.ts')
  if (command.length === 0) return selectDeclared(declared, criterionIds)
  return [selectGiven(toArgv(command, shell), criterionIds, declared)]
}

/** A single argument with blanks is a whole command line. */
function toArgv(command: readonly string[], shell: boolean): readonly string[] {
  if (shell) return ['sh', '-c', command.length === 1 ? (command[0] ?? '') : showCommand(command)]
  const [only = ''] = command
  if (command.length > 1 || !/\s/.test(only)) return command
  const split = splitCommand(only)
  if ('argv' in split) return split.argv
  throw usage(`The command \`${toOneLine(only)}\` ${split.refused}.`)
}

const describeCheck = ({ argv, criteria }: Check): string =>
  toOneLine(`${criteria.map(({ criterionId }) => criterionId).join(', ')}: ${showCommand(argv)}`)

function printPlan(checks: readonly Check[], json: boolean): void {
  if (json) {
    printJson({
      commands: checks.map(({ argv, criteria }) => ({
        criterion_ids: criteria.map(({ criterionId }) => criterionId),
        command: argv,
      })),
    })
  } else for (const check of checks) printText(`Would run ${describeCheck(check)}`)
}

/** Runs the commands; null if a signal ended them, after all of their processes have ended. */
async function runAll(
  checks: readonly Check[],
  { timeoutMs, jobs = 1, json = false }: Given,
): Promise<CheckResult[] | null> {
  const [{ DEFAULT_TIMEOUT_MS, runChecks }, { untilSignalled }, { readTree }] = await Promise.all([
    import('../verify/run-checks.ts'),
    import('./signals.ts'),
    import('../artifacts/git-tree.ts'),
  ])
  if (jobs < 1 || jobs > 64) throw usage('--jobs must be from 1 to 64.')
  const stop = new AbortController()
  // The exit of this process ends the groups.
  process.once('SIGHUP', () => process.exit(129))
  const work = runChecks(checks, {
    cwd: process.cwd(),
    timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
    jobs,
    signal: stop.signal,
    // Several commands at the same time would mix their lines.
    ...(jobs === 1 && { output: process.stderr }),
    readTree,
    onStart: (check) => printNote(`Runs ${describeCheck(check)}`),
    onEnd: (result) => {
      if (!json) printResult(result, jobs > 1)
    },
  })
  let exitCode: number | null = null
  const signalled = untilSignalled(async () => stop.abort(new Error('stopped by a signal')))
  void signalled.then((code) => {
    exitCode = code
  })
  try {
    return await work
  } catch (error) {
    if (exitCode === null) throw error
  }
  process.exitCode = exitCode
  printNote('Stopped: nothing is recorded.')
  return null
}

function printResult({ check, verifications, notStarted }: CheckResult, withTail: boolean): void {
  if (notStarted !== null)
    printNote(`${describeCheck(check)} could not be started: ${toOneLine(notStarted)}. It proves nothing.`)
  for (const { criterionId, status, evidence, observation } of verifications) {
    printText(toOneLine(`${status === 'verified' ? '✓' : '✗'} ${criterionId}: ${status}, ${evidence}`))
    if (withTail && status === 'rejected') printNote(observation.outputTail ?? '')
  }
}

async function record(target: Target, results: readonly CheckResult[], given: Given): Promise<void> {
  const verifications = results.flatMap((result) => result.verifications)
  const notStarted = results.filter((result) => result.notStarted !== null)
  const hasFailed = verifications.some(({ status }) => status === 'rejected')
  if (notStarted.length > 0) process.exitCode = EXIT.found.code
  if (hasFailed) process.exitCode = EXIT.stop.code
  const request: Request | null = verifications.length === 0 ? null : { ...target, verifications }
  await store(request, given, {
    not_started: notStarted.map(({ check, notStarted: reason }) => ({
      criterion_ids: check.criteria.map(({ criterionId }) => criterionId),
      command: check.argv,
      reason,
    })),
  })
}

async function recordManual(
  manual: readonly string[],
  given: Given,
  target: Target,
  declared: readonly DeclaredCriterion[],
): Promise<void> {
  const { selectGiven } = await import('../verify/checks.ts')
  const { criteria } = selectGiven([], manual, declared)
  const verifications = criteria.map((criterion) => ({
    ...criterion,
    status: 'verified' as const,
    source: 'person' as const,
    evidence: given.reason ?? '',
  }))
  await store({ ...target, verifications }, given, {})
}

/** Records verifications, and keeps them in a file if that fails. */
async function store(request: Request | null, { project, json }: Given, more: object): Promise<void> {
  const { withClient } = await import('./connect.ts')
  if (request === null) return json ? printJson({ ...more, recorded: null }) : undefined
  try {
    const answer = await withClient({ project }, (client) => client.addVerifications(request))
    if (json) return await printAnswer(answer, more)
    printText(
      `Recorded ${plural(answer.added, 'verification')} with turn ${answer.turnNumber} of ${answer.worldSlug}.`,
    )
  } catch (error) {
    throw await keep(request, error)
  }
}

async function printAnswer(answer: unknown, more: object): Promise<void> {
  const [{ operations }, { toWire }] = await Promise.all([
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
  ])
  printJson({ ...more, recorded: toWire(operations.addVerifications.output, answer as never) })
}

/** Writes what could not be recorded to a file, and returns the error that names it. */
async function keep(request: Request, cause: unknown): Promise<unknown> {
  const [{ writeFileSync, mkdirSync }, { default: path }, { configFor }, { operations }, { toWire }] =
    await Promise.all([
      import('node:fs'),
      import('node:path'),
      import('./connect.ts'),
      import('../operations/table.ts'),
      import('../core/wire-form.ts'),
    ])
  const folder = path.join(configFor(request.project ?? undefined).dataFolder, KEPT_FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, `verifications-${crypto.randomUUID()}.json`)
  writeFileSync(
    file,
    `${JSON.stringify(toWire(operations.addVerifications.input, request as never), null, 2)}\n`,
    {
      mode: 0o600,
      flag: 'wx',
    },
  )
  const code = cause instanceof TurngraphError ? cause.code : 'store_unavailable'
  const message = cause instanceof Error ? cause.message : String(cause)
  return new TurngraphError(code, `${message} What was seen is kept in ${file}.`, {
    hint: `${isAway(cause) ? 'Once the service is back' : 'Once this is repaired'}: turngraph verify --send ${file}`,
    cause,
  })
}

async function sendFile(file: string, given: Given): Promise<void> {
  const [{ readRecordFile }, { operations }, { parseWire }, { rmSync }, { default: path }, { withClient }] =
    await Promise.all([
      import('./record-file.ts'),
      import('../operations/table.ts'),
      import('../core/wire-form.ts'),
      import('node:fs'),
      import('node:path'),
      import('./connect.ts'),
    ])
  const read = await readRecordFile(file)
  if ('lines' in read) throw usage(`${file} has several records; a kept file has one.`)
  const request = parseWire(operations.addVerifications.input, read.record, file) as Request
  const answer = await withClient(given, (client) => client.addVerifications(request))
  if (path.basename(path.dirname(path.resolve(file))) === KEPT_FOLDER) rmSync(file)
  if (given.json) return printAnswer(answer, {})
  printText(
    `Recorded ${plural(answer.added, 'verification')} with turn ${answer.turnNumber} of ${answer.worldSlug}.`,
  )
}
