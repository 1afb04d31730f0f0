// Runs commands in the process of the tests. A process of its own takes half a second of a core for each command.
import { Console } from 'node:console'
import { Readable, Writable } from 'node:stream'
import { setGraphInUse } from '../../src/cli/graph-in-use.ts'
import { setReadsOnly } from '../../src/cli/lost-output.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { cli } from '../faults/harness/service-process.ts'

export type Ran = { code: number | null; stdout: string; stderr: string }
type Surroundings = { environment: NodeJS.ProcessEnv; input?: string | undefined; cwd: string }

/** The command that runs now. Commands share the streams and the environment of the process, so they run one after the other. */
let running: Promise<unknown> = Promise.resolve()

export function runInProcess(args: readonly string[], surroundings: Surroundings): Promise<Ran> {
  const ran = running.then(() => runAlone(args, surroundings))
  running = ran.catch(() => {})
  return ran
}

async function runAlone(
  args: readonly string[],
  { environment, input = '', cwd }: Surroundings,
): Promise<Ran> {
  const stdout = new Collected()
  const stderr = new Collected()
  const restore = [
    replaceProperties(globalThis, { console: new Console(stdout, stderr) }),
    replaceProperties(process, {
      stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
      stdout,
      stderr,
      argv: [process.execPath, cli, ...args],
    }),
    replaceEnvironment(environment),
    changeFolder(cwd),
    watchListeners(),
  ]
  process.exitCode = undefined
  setGraphInUse(null)
  setReadsOnly(false)
  try {
    const code = await runCommand(args)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    process.exitCode = undefined
    for (const undo of restore.reverse()) undo()
  }
}

class Collected extends Writable {
  readonly #chunks: Buffer[] = []

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}

function replaceProperties(of: object, values: Record<string, unknown>): () => void {
  const before = Object.keys(values).map((name) => [name, Object.getOwnPropertyDescriptor(of, name)] as const)
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(of, name, { value, writable: true, configurable: true, enumerable: true })
  return () => {
    for (const [name, descriptor] of before) if (descriptor) Object.defineProperty(of, name, descriptor)
  }
}

/** Changes the variables one by one, because libraries in C read the environment of the process itself. */
function replaceEnvironment(environment: NodeJS.ProcessEnv): () => void {
  const before = { ...process.env }
  const set = (wanted: NodeJS.ProcessEnv) => {
    for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name]
    Object.assign(process.env, wanted)
  }
  set(environment)
  return () => set(before)
}

function changeFolder(folder: string): () => void {
  const before = process.cwd()
  process.chdir(folder)
  return () => process.chdir(before)
}

/** A command that ends does not remove its listeners. */
function watchListeners(): () => void {
  const before = new Map(process.eventNames().map((name) => [name, process.listeners(name as 'exit')]))
  return () => {
    for (const name of process.eventNames())
      for (const listener of process.listeners(name as 'exit'))
        if (!before.get(name)?.includes(listener)) process.off(name, listener)
  }
}
