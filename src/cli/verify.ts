/** `turngraph verify`: runs the commands that a task declares, or reads test reports, and records observations. */
import { EXIT } from '../core/exit-codes.ts'
import { SHELL, showCommand, splitCommand } from '../rules/command-line.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import type { Check } from '../verify/checks.ts'
import type { CheckResult } from '../verify/run-checks.ts'
import { action, withTarget } from './command.ts'
import { printJson, printNote, printText } from './output.ts'
import { type Given, VERIFY_ARGUMENTS, VERIFY_OPTIONS } from './verify-options.ts'
import { printVerification, type Request, sendFile, store } from './verify-store.ts'
import { readTask, type Target, type Task, usage } from './verify-task.ts'

export const addVerify = action(
  {
    name: 'verify',
    description:
      'run the commands that a task declares, or read test reports, and record the results on this tree',
    arguments: VERIFY_ARGUMENTS,
    options: VERIFY_OPTIONS,
    help: `It prints each command before it runs. A command ends with all processes of its group; it never uses a shell without --shell.
The tests of a report prove the criteria whose label, such as AC-001, or whose declared \`tests\` their names contain.
The exit code is 0 if every command and test succeeded, and ${EXIT.stop.code} if one failed.

Examples:
  turngraph verify --feature FEAT-1 --task TASK-1 --dry-run --criterion AC-001 -- npm test
  turngraph verify --feature FEAT-1 --task TASK-1 --criterion AC-001 -- node --version
  turngraph verify --feature FEAT-1 --task TASK-1 --criterion AC-001 --shell -- 'node --version | grep v'
  turngraph verify --feature FEAT-1 --task TASK-1 --manual AC-001 --reason 'I looked at the page'
  turngraph verify --feature FEAT-1 --task TASK-1 --junit report.xml
  turngraph verify --feature FEAT-1 --task TASK-1 --status`,
  },
  async (named) => {
    refuseUnused(named)
    if (named.send !== undefined) return sendFile(named.send, named)
    const given = await withTarget(named)
    if (given.status) return (await import('./verify-status.ts')).printStatus(given)
    if (hasReports(given)) return (await import('./verify-reports.ts')).recordReports(given)
    const { command = [], criterionIds = [], manual, dryRun = false, json = false } = given
    const task = await readTask(given, manual !== undefined || command.length > 0)
    if (manual !== undefined) return recordManual(manual, given, task)
    const checks = await chooseChecks(command, criterionIds, given, task)
    if (dryRun) return printPlan(checks, json)
    const results = await runAll(checks, given)
    if (results === null) return
    await record(task.target, results, given)
  },
)

const hasReports = ({ junit, tap, vitestJson }: Given): boolean =>
  [junit, tap, vitestJson].some((files) => files !== undefined)

/** @throws `invalid_request` for options that would have no effect */
function refuseUnused(given: Given): void {
  const { command = [], shell, manual, reason, send, status, criterionIds } = given
  if (shell && command.length === 0) throw usage('--shell is for a COMMAND behind `--`.')
  if (reason !== undefined && manual === undefined) throw usage('--reason is for --manual.')
  if (manual !== undefined && reason === undefined) throw usage('--manual needs --reason.')
  if ((manual !== undefined || send !== undefined) && (command.length > 0 || criterionIds !== undefined))
    throw usage('--manual and --send run no command and take no --criterion.')
  if (command.length > 0 && (status || hasReports(given)))
    throw usage('--status and test reports run no command.')
}

async function chooseChecks(
  command: readonly string[],
  criterionIds: readonly string[],
  { shell = false }: Given,
  { declared, known }: Task,
): Promise<Check[]> {
  const { selectDeclared, selectGiven } = await import('../verify/checks.ts')
  if (command.length === 0) return selectDeclared(declared, criterionIds)
  const argv = toArgv(command, shell)
  await refuseUnstorable(argv)
  return [selectGiven(argv, criterionIds, declared, known)]
}

/** @throws `invalid_request` for a command that no observation can have, before it runs */
async function refuseUnstorable(argv: readonly string[]): Promise<void> {
  const { observationInput } = await import('../memory/record/observation.ts')
  const problem = observationInput.shape.command.safeParse(argv).error?.issues[0]?.message
  if (problem !== undefined) throw usage(`The command ${problem}, or put it into a script.`)
}

/** A single argument with blanks is a whole command line. */
function toArgv(command: readonly string[], shell: boolean): readonly string[] {
  if (shell) return [...SHELL, command.length === 1 ? (command[0] ?? '') : showCommand(command)]
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
  const { DEFAULT_TIMEOUT_MS, runChecks } = await import('../verify/run-checks.ts')
  const { untilSignalled } = await import('./signals.ts')
  const { readTree } = await import('../artifacts/git-tree.ts')
  if (jobs < 1 || jobs > 64) throw usage('--jobs must be from 1 to 64.')
  const stop = new AbortController()
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
    printNote(`${describeCheck(check)} has no result: ${toOneLine(notStarted)}. It proves nothing.`)
  for (const verification of verifications) {
    printVerification(verification)
    if (withTail && verification.status === 'rejected') printNote(verification.observation.outputTail ?? '')
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
  { target, declared, known }: Task,
): Promise<void> {
  const { selectGiven } = await import('../verify/checks.ts')
  const { criteria } = selectGiven([], manual, declared, known)
  const verifications = criteria.map((criterion) => ({
    ...criterion,
    status: 'verified' as const,
    source: 'person' as const,
    evidence: given.reason ?? '',
  }))
  await store({ ...target, verifications }, given, {})
}
