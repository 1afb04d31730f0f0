// Executes an attempt with a command of the operator.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod'
import { parseOrderedJson } from '../core/ordered-json.ts'
import { scrub } from '../core/scrub/scrub.ts'
import { toWire } from '../core/wire-form.ts'
import { continuationContext } from '../memory/context/continuation.ts'
import { usage, usedTokens } from './attempt-turn.ts'
import { COMMAND_BACKOFF } from './backoff.ts'
import type { AttemptOutcome, AttemptTask, Executor } from './executor.ts'

export type CommandSettings = {
  argv: readonly [string, ...string[]]
  cwd: string
  /** Names of the only environment variables that are passed to the process. */
  env: readonly string[]
  timeoutMs: number
}

const MAX_OUTPUT_BYTES = 1024 * 1024
const SHOWN_ERROR_CHARACTERS = 4 * 1024
/** More than is shown, so that a secret at the cut is recognized before the text is cut. */
const MAX_ERROR_BYTES = 4 * SHOWN_ERROR_CHARACTERS
/** Waiting time for the pipes to close. A process that left the group may keep them open forever. */
const GRACE_MS = 500

/**
 * Starts a program for each attempt, without a shell and in its own process group. Standard input is one JSON object. Exit code 0
 * with one turn record as JSON on standard output commits the attempt. Any other exit fails it, with the end of standard error as
 * the reason. The whole group is killed on an abort and at the time-out (contract: runs.md, "Executors").
 */
export function commandExecutor(settings: CommandSettings, environment = process.env): Executor {
  const execute: Executor = async (task) => {
    const input = await writeInput(task)
    if (task.signal.aborted) return { failed: describeAbort(task.signal) }
    const [command, ...args] = settings.argv
    const child = spawn(command, args, {
      cwd: settings.cwd,
      env: Object.fromEntries(
        settings.env.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
      ),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true, // its own process group, so that its children are killed with it
      shell: false,
    })
    return awaitOutcome(child, input, task.signal, settings.timeoutMs)
  }
  return Object.assign(execute, { backoff: COMMAND_BACKOFF })
}

async function writeInput({
  worldSlug,
  attemptId,
  attemptedTurn,
  continuation,
}: AttemptTask): Promise<string> {
  const { player, coach } = await continuation()
  return JSON.stringify({
    world_slug: worldSlug,
    attempt_id: attemptId,
    attempted_turn: attemptedTurn,
    continuation: {
      player: toWire(continuationContext, player),
      coach: toWire(continuationContext, coach),
    },
  })
}

async function awaitOutcome(
  child: ChildProcess,
  input: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<AttemptOutcome> {
  let ended: string | null = null
  const gone = new AbortController()
  const closeOutputSoon = () => {
    setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
      gone.abort()
    }, GRACE_MS).unref()
  }
  const end = (why: string) => {
    ended ??= why
    killGroup(child)
    closeOutputSoon()
  }
  const onAbort = () => end(describeAbort(signal))
  const late = setTimeout(() => end(`the command took longer than ${timeoutMs} ms`), timeoutMs)
  signal.addEventListener('abort', onAbort, { once: true })
  const output = collectOutput(child, () => end(`the command wrote more than ${MAX_OUTPUT_BYTES} bytes`))
  const errors = tail(child)
  child.once('exit', () => {
    killGroup(child) // processes that it left running would keep its output open
    closeOutputSoon()
  })
  child.stdin?.on('error', () => {}) // a program that does not read its input may close it
  child.stdin?.end(input)
  try {
    await Promise.race([once(child, 'close'), once(gone.signal, 'abort'), failure(child)])
    const { exitCode, signalCode } = child
    if (ended !== null) return failed(ended, await errors(), output())
    if (exitCode === 0) return turnIn(output(), await errors())
    const how = exitCode === null ? `was ended by ${signalCode}` : `ended with exit code ${exitCode}`
    return failed(`the command ${how}`, await errors(), output())
  } catch (error) {
    return {
      failed: `the command cannot be started: ${error instanceof Error ? error.message : String(error)}`,
    }
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', onAbort)
  }
}

const failure = (child: ChildProcess): Promise<never> =>
  once(child, 'error').then(([error]) => Promise.reject(error))

function failed(why: string, errors: string, output: Buffer): AttemptOutcome {
  const tokens = tokensIn(output)
  return { failed: withErrors(why, errors), ...(tokens > 0 && { usedTokens: tokens }) }
}

/** Reads the usage that a failed command may have reported, in the same form as a successful one. */
function tokensIn(output: Buffer): number {
  try {
    return usedTokens(saidUsage.parse(JSON.parse(output.toString('utf8'))).usage)
  } catch {
    return 0 // other output of a failed command contains no usage
  }
}
const saidUsage = z.object({ usage })

function turnIn(output: Buffer, errors: string): AttemptOutcome {
  try {
    return { turn: parseOrderedJson(new TextDecoder('utf-8', { fatal: true }).decode(output)) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return {
      failed: withErrors(`standard output is not one turn record as JSON: ${why.slice(0, 200)}`, errors),
    }
  }
}

/** Kills the whole group with SIGKILL, which neither the program nor its children can ignore. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has ended or belongs to another user. The attempt ends in any case.
  }
}

function collectOutput(child: ChildProcess, onOverflow: () => void): () => Buffer {
  const chunks: Buffer[] = []
  let bytes = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_OUTPUT_BYTES) onOverflow()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks)
}

/** Returns the end of standard error, with secrets masked. */
function tail(child: ChildProcess): () => Promise<string> {
  let lastBytes = Buffer.alloc(0)
  child.stderr?.on('data', (chunk: Buffer) => {
    lastBytes = Buffer.concat([lastBytes, chunk]).subarray(-MAX_ERROR_BYTES)
  })
  return async () => {
    const { scrubbed } = await scrub({ text: lastBytes.toString('utf8') })
    return scrubbed.text.slice(-SHOWN_ERROR_CHARACTERS).trim()
  }
}

const withErrors = (why: string, errors: string): string => (errors === '' ? why : `${why}: ${errors}`)

const describeAbort = ({ reason }: AbortSignal): string =>
  reason instanceof Error ? reason.message : String(reason)
