/** Runs one command as a process group of its own, without a shell, and observes its end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { scrub } from '../core/scrub/scrub.ts'
import { removeHidden } from '../rules/foreign-text.ts'

export type CommandToRun = {
  argv: readonly string[]
  cwd: string
  timeoutMs: number
  signal: AbortSignal
  /** Receives the output while the command runs. The command waits while this stream is full. */
  output?: Writable | undefined
}

/** The end of a command. `notStarted`: the reason why it never ran, which proves nothing. */
export type CommandEnd = {
  startedAt: Date
  durationMs: number
  exitCode: number | null
  signal: string | null
  hasTimedOut: boolean
  outputDigest: string
  outputTail: string
}
export type CommandResult = CommandEnd | { notStarted: string }

/** Maximum size of the tail in an observation, in bytes of UTF-8. */
const MAX_TAIL_BYTES = 2 * 1024
/** More than the tail, so that a secret at its start is recognized as a whole. */
const KEPT_BYTES = 32 * 1024
/** Maximum size of output that waits for its reader. */
const MAX_WAITING_BYTES = 1024 * 1024
/** Time between SIGTERM and SIGKILL. */
const TERMINATE_MS = 2_000
/** Time for the pipes to close after the group has ended. A process that left the group may keep them open forever. */
const CLOSE_MS = 500

/** Groups that run. The exit of this process ends them in every case. */
const groups = new Set<number>()

/**
 * Runs a command. The whole group ends with its first process, at the time-out and at an abort: SIGTERM first, then SIGKILL. Keeps
 * only the end of the output in memory.
 *
 * @throws the reason of the signal if it is aborted, after the group has ended
 * @example
 * await runCommand({ argv: ['npm', 'test'], cwd: '.', timeoutMs: 600_000, signal })
 */
export async function runCommand(command: CommandToRun): Promise<CommandResult> {
  const { argv, cwd, timeoutMs, signal } = command
  signal.throwIfAborted()
  const [program = '', ...args] = argv
  const startedAt = new Date()
  const start = performance.now()
  const child = spawnGroup(program, args, cwd)
  if ('notStarted' in child) return child
  const failure = await once(child, 'spawn').then(() => null, describe)
  if (failure !== null) return { notStarted: failure }
  const group = child.pid ?? 0
  track(group)
  const seen = observeOutput(child, command.output)
  const end = endGroup(group)
  let hasTimedOut = false
  const late = setTimeout(() => {
    hasTimedOut = true
    end()
  }, timeoutMs)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    const closed = once(child, 'close')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    send(group, 'SIGKILL')
    seen.readRest()
    await untilClosed(child, closed)
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', end)
    groups.delete(group)
  }
  signal.throwIfAborted()
  return {
    startedAt,
    durationMs: Math.round(performance.now() - start),
    exitCode: child.exitCode,
    signal: child.signalCode,
    hasTimedOut,
    ...(await seen.end()),
  }
}

/** The access of this process to the service. A test that a Player wrote must not record a verdict with it. */
const OWN_ACCESS: ReadonlySet<string> = new Set(['TURNGRAPH_TOKEN', 'TURNGRAPH_NEO4J_PASSWORD'])

const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN_ACCESS.has(name.toUpperCase())))

function spawnGroup(
  program: string,
  args: readonly string[],
  cwd: string,
): ChildProcess | { notStarted: string } {
  try {
    // Detached: a process group of its own, so that its children end with it.
    return spawn(program, args, {
      cwd,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      shell: false,
    })
  } catch (error) {
    return { notStarted: describe(error) } // an argument that no process can have, such as one with a NUL character
  }
}

const describe = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ENOENT') return 'the program, or the folder, does not exist'
  if (code === 'EACCES') return 'the file is not executable'
  return error instanceof Error ? error.message : String(error)
}

/** Waits for the end of the output. A process that left the group may keep it open forever. */
async function untilClosed(child: ChildProcess, closed: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS)
  })
  await Promise.race([closed, late])
  clearTimeout(timer)
  child.stdout?.destroy()
  child.stderr?.destroy()
}

/** Ends a group with SIGTERM, and with SIGKILL if it does not end in time. */
function endGroup(group: number): () => void {
  let isEnding = false
  return () => {
    if (isEnding) return
    isEnding = true
    send(group, 'SIGTERM')
    setTimeout(() => groups.has(group) && send(group, 'SIGKILL'), TERMINATE_MS).unref()
  }
}

function send(group: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-group, signal)
  } catch {
    // Every process of the group has ended.
  }
}

let isWatchingExit = false

function track(group: number): void {
  groups.add(group)
  if (isWatchingExit) return
  isWatchingExit = true
  process.on('exit', () => {
    for (const each of groups) send(each, 'SIGKILL')
  })
}

type Seen = {
  /** Reads what the pipes hold, without waiting for a reader: the command has ended. */
  readRest: () => void
  end: () => Promise<{ outputDigest: string; outputTail: string }>
}

/** Hashes the output of a command, keeps its end, and passes it on. */
function observeOutput({ stdout, stderr }: ChildProcess, output: Writable | undefined): Seen {
  const streams = [stdout, stderr].filter((stream) => stream !== null)
  const hash = createHash('sha256')
  let kept = Buffer.alloc(0)
  let hasEnded = false
  for (const stream of streams) {
    stream.on('error', () => {}) // destroyed while it was read
    stream.on('data', (chunk: Buffer) => {
      hash.update(chunk)
      kept = Buffer.concat([kept, chunk.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES)
      if (output === undefined) return
      if (output.writableLength > MAX_WAITING_BYTES) return // only after the end: a process outside the group writes on
      if (output.write(chunk) || hasEnded) return
      stream.pause()
      output.once('drain', () => stream.resume())
    })
  }
  return {
    readRest: () => {
      hasEnded = true
      for (const stream of streams) stream.resume()
    },
    end: async () => ({ outputDigest: `sha256:${hash.digest('hex')}`, outputTail: await toTail(kept) }),
  }
}

/** The last bytes of an output as a text, with secrets masked and without commands to a terminal. */
async function toTail(kept: Buffer): Promise<string> {
  const text = removeHidden(kept.toString('utf8'))
  const { scrubbed } = await scrub({ text })
  const bytes = Buffer.from(scrubbed.text.trimEnd(), 'utf8')
  const cut = bytes.subarray(-MAX_TAIL_BYTES).toString('utf8')
  // A character that the cut has halved is decoded as U+FFFD.
  return bytes.length > MAX_TAIL_BYTES ? cut.replace(/^\uFFFD+/, '') : cut
}
