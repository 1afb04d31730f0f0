// Loads the executors from a file.
import { existsSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { name } from '../core/fields.ts'
import { badSettingsFile, readSettingsFile } from '../platform/settings-file.ts'
import { commandExecutor } from './command-executor.ts'
import type { Executor } from './executor.ts'
import { EXTERNAL } from './record.ts'
import { simulatedExecutor } from './simulated-executor.ts'

/** The file of TURNGRAPH_EXECUTORS. Only this file names commands; requests cannot. */
const simulated = z.strictObject({
  kind: z.literal('simulated'),
  duration_ms: z.number().int().min(0).max(86_400_000).default(0),
  outcomes: z
    .array(z.enum(['committed', 'failed']))
    .min(1)
    .default(['committed']),
  repeat: z.boolean().default(false),
})

const command = z.strictObject({
  kind: z.literal('command'),
  argv: z.array(z.string()).min(1),
  cwd: z.string().default('.'),
  env: z.array(z.string()).default([]),
  timeout_ms: z.number().int().min(1).max(86_400_000).default(1_800_000),
})

const executorsFile = z.record(name, z.discriminatedUnion('kind', [simulated, command]))

/**
 * The executors: `external`, which waits for workers, and those in the server's file.
 *
 * @example new Executors({ trial: simulatedExecutor({ durationMs: 20, outcomes: ['committed'], repeat: true }) })
 */
export class Executors {
  readonly #byName: ReadonlyMap<string, Executor>

  constructor(byName: Readonly<Record<string, Executor>> = {}) {
    this.#byName = new Map(Object.entries(byName))
  }

  has(executor: string): boolean {
    return executor === EXTERNAL || this.#byName.has(executor)
  }

  /** Returns `null` if external workers do the work. @throws `invalid_request` if the file does not name the executor */
  find(executor: string): Executor | null {
    if (executor === EXTERNAL) return null
    const found = this.#byName.get(executor)
    if (found !== undefined) return found
    const known = [EXTERNAL, ...this.#byName.keys()]
    throw new TurngraphError('invalid_request', `executor: there is no "${executor}" here`, {
      hint: `This service has ${known.join(', ')}; TURNGRAPH_EXECUTORS names the file of its executors.`,
      details: { problems: [{ path: 'executor', message: `must be one of ${known.join(', ')}` }] },
    })
  }
}

/** @throws `invalid_request` that names the values in the file that do not fit */
export function loadExecutors(file: string | null): Executors {
  if (file === null) return new Executors()
  const from = { variable: 'TURNGRAPH_EXECUTORS', file, form: EXECUTORS_FORM }
  const listed = readSettingsFile(from, executorsFile)
  if (Object.hasOwn(listed, EXTERNAL)) throw badSettingsFile(from, `"${EXTERNAL}" is built in`)
  const folder = path.dirname(file)
  for (const [key, settings] of Object.entries(listed)) {
    if (settings.kind === 'simulated' || existsSync(path.resolve(folder, settings.cwd))) continue
    throw badSettingsFile(from, `the cwd of "${key}" is not there: ${path.resolve(folder, settings.cwd)}`)
  }
  return new Executors(
    Object.fromEntries(
      Object.entries(listed).map(([key, settings]) => [
        key,
        settings.kind === 'simulated'
          ? simulatedExecutor({
              durationMs: settings.duration_ms,
              outcomes: settings.outcomes,
              repeat: settings.repeat,
            })
          : commandExecutor({
              argv: settings.argv as [string, ...string[]],
              cwd: path.resolve(folder, settings.cwd),
              env: settings.env,
              timeoutMs: settings.timeout_ms,
            }),
      ]),
    ),
  )
}

const EXECUTORS_FORM =
  'It is a JSON object such as {"agent": {"kind": "command", "argv": ["node", "run-turn.mjs"], "env": ["PATH"]}}.'
