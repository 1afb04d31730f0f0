import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** Returns true if this machine has strace and allows attaching it. */
export const canTrace = (): boolean => spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0

/** A system call. `began` and `ended` are line numbers of the trace, so their order is the order of time. */
export type SystemCall = { name: string; file: string; text: string; began: number; ended: number }

/** Returns the write, sync and send calls of a process and its threads while `work` runs. */
export async function systemCallsDuring(
  pid: number,
  trace: string,
  work: () => Promise<void>,
): Promise<SystemCall[]> {
  const calls = 'write,writev,pwrite64,sendto,sendmsg,fdatasync,fsync'
  await whileTraced(pid, ['-y', '-s', '32', '-e', `trace=${calls}`, '-o', trace], work)
  return parse(readFileSync(trace, 'utf8'))
}

/** Makes each call of this name fail while `work` runs, as on a broken disk. */
export const failingDuring = (pid: number, call: string, work: () => Promise<void>): Promise<void> =>
  whileTraced(pid, ['-e', `trace=${call}`, '-e', `inject=${call}:error=EIO`, '-o', '/dev/null'], work)

async function whileTraced(
  pid: number,
  options: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const strace = spawn('strace', ['-f', ...options, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(strace, 'exit')
  try {
    const [said] = (await once(strace.stderr, 'data')) as [Buffer]
    if (!String(said).includes('attached')) throw new Error(`strace cannot attach: ${said}`)
    await work()
  } finally {
    strace.kill('SIGINT') // strace detaches and the process continues
    await ended
  }
}

const STARTED = /^(\d+) +(\w+)\(\d+<([^>]*)>(.*)$/
const RESUMED = /^(\d+) +<\.\.\. \w+ resumed>/

function parse(trace: string): SystemCall[] {
  const calls: SystemCall[] = []
  const unfinished = new Map<string, SystemCall>()
  for (const [line, text] of trace.split('\n').entries()) {
    const resumed = RESUMED.exec(text)?.[1]
    if (resumed !== undefined) {
      const call = unfinished.get(resumed)
      if (call !== undefined) calls.push({ ...call, ended: line })
      unfinished.delete(resumed)
      continue
    }
    const [, thread = '', name = '', file = '', rest = ''] = STARTED.exec(text) ?? []
    if (name === '') continue
    const call = { name, file, text: rest, began: line, ended: line }
    if (rest.endsWith('<unfinished ...>')) unfinished.set(thread, call)
    else calls.push(call)
  }
  // A caller may receive its answer before the tracer sees the call return, and end the trace at that moment.
  return [...calls, ...[...unfinished.values()].map((call) => ({ ...call, ended: Number.POSITIVE_INFINITY }))]
}
