/** Runs the declared commands of a task between the Player and the Coach (contract: evidence.md, "In the loop"). */
import * as z from 'zod'
import { readTree } from '../artifacts/git-tree.ts'
import type { TurngraphClient } from '../client/client.ts'
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import { splitCommand } from '../rules/command-line.ts'
import { toBlock, toOneLine } from '../rules/foreign-text.ts'
import { type Check, type DeclaredCriterion, selectDeclared, selectGiven } from '../verify/checks.ts'
import {
  type CheckResult,
  DEFAULT_TIMEOUT_MS,
  type ObservedVerification,
  runChecks,
} from '../verify/run-checks.ts'

export const verifyOptions = z.strictObject({
  /** Command to run for `criteria`, without a shell. Default: the commands that the criteria declare. */
  command: z.union([z.string().min(1), z.array(z.string()).min(1)]).optional(),
  /** Labels of the criteria; default: all that declare a command. */
  criteria: z.array(z.string().min(1)).readonly().optional(),
  /** Folder in which commands run; default: that of the process. */
  cwd: z.string().min(1).optional(),
  /** Time limit of each command; default 600,000. */
  timeoutMs: z.number().int().min(1).max(86_400_000).default(DEFAULT_TIMEOUT_MS),
})

export type VerifySettings = z.output<typeof verifyOptions>

/** End of one command, as the Coach gets it. */
export type SeenCommand = {
  command: readonly string[]
  criteria: readonly string[]
  /** True if it exited with 0; null if it did not run to its end, which proves nothing. */
  holds: boolean | null
  evidence: string
  /** The end of its output, with secrets masked. */
  outputTail: string
}

export type Seen = { commands: SeenCommand[]; verifications: ObservedVerification[] }

/** @throws `invalid_request` if there is nothing to run, or the reason of the signal after all commands have ended */
export async function seeCommands(
  checks: readonly Check[],
  settings: VerifySettings,
  signal: AbortSignal,
): Promise<Seen> {
  const { cwd = process.cwd(), timeoutMs } = settings
  const results = await runChecks(checks, { cwd, timeoutMs, jobs: 1, signal, readTree })
  return {
    commands: results.map(toSeen),
    verifications: results.flatMap(({ verifications }) => verifications),
  }
}

function toSeen({ check, verifications: [first], notStarted }: CheckResult): SeenCommand {
  const criteria = check.criteria.map(({ criterionId }) => criterionId)
  return {
    command: check.argv,
    criteria,
    holds: first === undefined ? null : first.status === 'verified',
    evidence: first?.evidence ?? `It has no result: ${notStarted ?? 'no reason is known'}`,
    outputTail: first?.observation.outputTail ?? '',
  }
}

type DeclaredBy = {
  client: Pick<TurngraphClient, 'getSpecification'>
  world: { project?: string | null | undefined; featureId: string; taskId: string }
  /** Declared criteria that the options name; null if the options name none. */
  criteria: readonly DeclaredCriterion[] | null
}

/** @throws `invalid_request` if there is nothing to run */
export async function selectChecks(
  { command, criteria: ids = [] }: VerifySettings,
  { client, world, criteria }: DeclaredBy,
): Promise<Check[]> {
  const { project, featureId, taskId } = world
  const declared =
    criteria ??
    (await client.getSpecification({ project, featureId, taskId }).then(
      (view) => view.criteria,
      (error: unknown) => {
        const isNamed = command !== undefined && ids.length > 0
        if (isNamed && (hasCode(error, 'not_found') || isAway(error))) return []
        throw error
      },
    ))
  return command === undefined ? selectDeclared(declared, ids) : [selectGiven(toArgv(command), ids, declared)]
}

function toArgv(command: string | readonly string[]): readonly string[] {
  if (typeof command !== 'string') return command
  const split = splitCommand(command)
  if ('argv' in split) return split.argv
  const message = `the command \`${command}\` ${split.refused.split(';')[0]}`
  throw new TurngraphError('invalid_request', `runAutobuild: verify.command: ${message}.`, {
    hint: 'Give a list of arguments, such as ["sh", "-c", "npm test | tee log"].',
    details: { problems: [{ path: 'verify.command', message }] },
  })
}

/** Maximum number of commands in the text of the Coach, and of outputs. */
const MAX_SHOWN = 50
const MAX_TAILS = 5

/** Renders the results for the text of the Coach, failed commands first. Lines of an output cannot imitate it. */
export function renderSeen(commands: readonly SeenCommand[]): string {
  const shown = [...listFailed(commands), ...commands.filter(({ holds }) => holds !== false)]
  const lines = shown.slice(0, MAX_SHOWN).map(({ holds, criteria, evidence, outputTail }, place) => {
    const mark = holds === null ? '?' : holds ? '✓' : '✗'
    const hasTail = holds === false && place < MAX_TAILS && outputTail !== ''
    const tail = hasTail ? `\n    ${toBlock(outputTail)}` : ''
    return `  ${mark} ${toOneLine(criteria.join(', '))}: ${toOneLine(evidence)}${tail}`
  })
  if (shown.length > MAX_SHOWN) lines.push(`  (${shown.length - MAX_SHOWN} more commands)`)
  return ['**Seen on this tree**:', ...lines].join('\n')
}

export const listFailed = (commands: readonly SeenCommand[]): SeenCommand[] =>
  commands.filter(({ holds }) => holds === false)
