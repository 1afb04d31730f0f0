/** Runs the commands of criteria, and turns each end into verifications with an observation (contract: evidence.md). */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Writable } from 'node:stream'
import PQueue from 'p-queue'
import type { ReportedVerification } from '../artifacts/test-reports/verify-by-reports.ts'
import { hasShownMark } from '../core/scrub/marks.ts'
import { scrub } from '../core/scrub/scrub.ts'
import type { ObservationInput } from '../memory/record/observation.ts'
import { SHELL } from '../rules/command-line.ts'
import { describeObservation } from '../rules/observation.ts'
import type { Check } from './checks.ts'
import { type CommandEnd, runCommand } from './run-command.ts'
import { describeRunner } from './runner.ts'

export const DEFAULT_TIMEOUT_MS = 600_000

/** State of the files that a command saw. */
type Tree = { tree: string; dirty: string | null; commit: string | null }

export type RunOptions = {
  cwd: string
  timeoutMs: number
  /** Number of commands that run at the same time. */
  jobs: number
  signal: AbortSignal
  /** Receives the output of the commands while they run. */
  output?: Writable | undefined
  /** Reads the state of the files of a folder; null without a repository. */
  readTree: (folder: string) => Promise<Tree | null>
  /** Called before a command starts. */
  onStart?: (check: Check) => void
  onEnd?: (result: CheckResult) => void
}

export type ObservedVerification = Omit<ReportedVerification, 'criterionText'> & { criterionText?: string }

/** `notStarted`: the reason why the command never ran, or not to its end. It proves nothing, so there are no verifications. */
export type CheckResult = { check: Check; verifications: ObservedVerification[]; notStarted: string | null }

/**
 * Runs the commands, and returns their results in order.
 *
 * @throws the reason of the signal if it is aborted, after all commands have ended
 */
export async function runChecks(checks: readonly Check[], options: RunOptions): Promise<CheckResult[]> {
  const queue = new PQueue({ concurrency: options.jobs })
  // Waits for all: none may be left running when one fails.
  const ends = await Promise.allSettled(checks.map((check) => queue.add(() => runCheck(check, options))))
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
}

/** Reason why a command with a mark is not run: it was declared without its secrets, so its result would prove nothing. */
const MASKED = 'a secret in it is masked; declare a command that reads the secret from the environment'

/** Exit code of a line in which a command wrote to a pipe that the next one had closed (128 + SIGPIPE). */
const CLOSED_PIPE = 141
const NOT_TO_ITS_END =
  'a command of the line was stopped because the next one, such as head or grep -q, no longer read its output; read it to the end, as with grep TEXT >/dev/null'

async function runCheck(check: Check, options: RunOptions): Promise<CheckResult> {
  const { cwd, timeoutMs, signal, output, readTree, onStart, onEnd } = options
  signal.throwIfAborted()
  const tree = await readTree(cwd)
  onStart?.(check)
  const ended = check.argv.some(hasShownMark)
    ? { notStarted: MASKED }
    : await runCommand({ argv: check.argv, cwd, timeoutMs, signal, output })
  const isCutOff = 'exitCode' in ended && ended.exitCode === CLOSED_PIPE && isLine(check)
  const end = isCutOff ? { notStarted: NOT_TO_ITS_END } : ended
  const result: CheckResult =
    'notStarted' in end
      ? { check, verifications: [], notStarted: end.notStarted }
      : { check, verifications: await toVerifications(check, end, tree, options), notStarted: null }
  onEnd?.(result)
  return result
}

const isLine = ({ argv }: Check): boolean => SHELL.every((part, i) => argv[i] === part)

async function toVerifications(
  { argv, criteria }: Check,
  end: CommandEnd,
  tree: Tree | null,
  { cwd, timeoutMs }: RunOptions,
): Promise<ObservedVerification[]> {
  const { exitCode, signal, hasTimedOut, startedAt, durationMs, outputDigest, outputTail } = end
  const observation: ObservationInput = {
    command: [...argv],
    cwd: findPlace(cwd),
    exitCode,
    signal,
    startedAt: startedAt.toISOString(),
    durationMs,
    outputDigest,
    outputTail,
    ...(tree ?? {}),
    ...describeRunner(),
  }
  // A sentence cuts a long command, and half of a secret is not recognized.
  const { scrubbed } = await scrub({ command: [...argv] })
  const ended = describeObservation({ ...observation, command: scrubbed.command })
  const evidence = hasTimedOut ? `${ended}, because it took longer than ${showDuration(timeoutMs)}` : ended
  const status = exitCode === 0 && !hasTimedOut ? 'verified' : 'rejected'
  return criteria.map((criterion) => ({ ...criterion, status, source: 'command', evidence, observation }))
}

/** The folder of a command, relative to the root of its repository. */
function findPlace(cwd: string): string {
  const folder = path.resolve(cwd)
  for (let root = folder; ; root = path.dirname(root)) {
    if (existsSync(path.join(root, '.git'))) return path.relative(root, folder) || '.'
    if (root === path.dirname(root)) return '.'
  }
}

/** `10 min`, `1.5 s` or `250 ms`. */
export function showDuration(ms: number): string {
  if (ms >= 60_000 && ms % 60_000 === 0) return `${ms / 60_000} min`
  return ms >= 1_000 ? `${Number((ms / 1_000).toFixed(1))} s` : `${ms} ms`
}
