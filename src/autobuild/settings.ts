/** Checks the options of the Player/Coach loop, and fills in their defaults. */
import type { RunnableConfig } from '@langchain/core/runnables'
import * as z from 'zod'
import type { TurngraphClient } from '../client/client.ts'
import { invalidField } from '../core/errors.ts'
import { LIMITS, name } from '../core/fields.ts'
import { checkSignal, joinSignals } from '../core/join-signals.ts'
import { parseInput } from '../core/wire-form.ts'
import { ELSEWHERE } from '../memory/context/continuation.ts'
import { specificationOperations } from '../operations/specification.ts'
import type { Agents } from './round.ts'
import { verifyOptions } from './see-commands.ts'

const bounds = z.strictObject({
  /** The session of the task in which turns are numbered. Without a slug, the task's newest one, or a new one. */
  world: z.strictObject({
    project: name.nullish(),
    featureId: name,
    taskId: name,
    worldSlug: name.nullish().describe("default: the task's newest world, or a new one"),
    leaseTtlMs: z.number().int().min(1_000).max(86_400_000).optional().describe('of a world that is made'),
  }),
  /** Maximum number of turns in the world, including those of earlier processes. */
  maxTurns: z.number().int().min(1).max(LIMITS.turnNumber),
  /** Turns in which the Player does not see the earlier feedback of the Coach; default: none. */
  perspectiveResetTurns: z.array(z.number().int().min(1)).readonly().default([]),
  /** Facts from other sessions in contexts. Default 'earlier': only the end of the task's previous session. */
  elsewhere: z.enum(ELSEWHERE).default('earlier'),
  /** Tokens of each context; default 2,000. */
  tokenBudget: z.number().int().min(100).max(100_000).default(2_000),
  /** False: every turn begins without a context, to measure the value of the memory. Turns are still captured. */
  memory: z.boolean().default(true),
  /** False: the loop continues even if the stall analysis returns `should_stop`. */
  stopOnStall: z.boolean().default(true),
  /**
   * Milliseconds to wait for an unavailable service if the loop cannot continue without it, or for a service that limits the rate
   * of calls; default 120,000.
   */
  patienceMs: z.number().min(0).default(120_000),
  /**
   * Runs the commands of criteria after each Player turn, in this process, and gives the Coach the results. While a command
   * fails, an approval counts as feedback. Default: runs nothing.
   */
  verify: verifyOptions.optional(),
})

export type AutobuildOptions<Task = unknown, Report = unknown> = Agents<Task, Report> &
  z.input<typeof bounds> & {
    client: TurngraphClient
    signal?: AbortSignal | undefined
    /** LangChain config for the run of each agent: callbacks, tags, metadata, configurable. */
    config?: Partial<RunnableConfig>
  }

export type AutobuildSettings<Task, Report> = Agents<Task, Report> &
  z.output<typeof bounds> & {
    client: TurngraphClient
    signal: AbortSignal
    config: Partial<RunnableConfig> | undefined
    /** The criteria of the task, declared before the first turn; null if the task has none. */
    criteria: DeclaredInput | null
  }

/** @throws `invalid_request` with the name of every option that does not fit */
export function completeSettings<Task, Report>(
  options: AutobuildOptions<Task, Report>,
): AutobuildSettings<Task, Report> {
  if (typeof options !== 'object' || options === null) throw invalidField('options', 'are missing')
  const { client, player, coach, task, signal, config, ...given } = options
  if (typeof client?.captureTurnState !== 'function') {
    throw invalidField('client', 'must be a TurngraphClient; createTurngraphClient makes one')
  }
  for (const [role, agent] of Object.entries({ player, coach })) {
    const runs = typeof agent === 'function' || typeof agent?.invoke === 'function'
    if (!runs) throw invalidField(role, 'must be a Runnable, or a function')
  }
  checkSignal(signal)
  if (config !== undefined && (typeof config !== 'object' || config === null)) {
    throw invalidField('config', 'must be a RunnableConfig of LangChain')
  }
  return {
    ...parseInput(bounds, given, 'runAutobuild', 'is not an option'),
    client,
    player,
    coach,
    task,
    criteria: criteriaIn(task),
    config,
    signal: joinSignals(signal, config?.signal),
  }
}

const { criteria } = specificationOperations.declareCriteria.input.shape
const taskWithCriteria = z.object({ task: z.object({ criteria }) })
type DeclaredInput = NonNullable<z.output<typeof criteria>>

/** Returns a list of criteria, which is declared. Any other form of criteria is only for the Player and the Coach. */
function criteriaIn(task: unknown): DeclaredInput | null {
  if (typeof task !== 'object' || task === null || !('criteria' in task) || !Array.isArray(task.criteria))
    return null
  const parsed = parseInput(taskWithCriteria, { task: { criteria: task.criteria } }, 'runAutobuild')
  return parsed.task.criteria ?? null
}
