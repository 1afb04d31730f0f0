// Limits the time of work on a graph, and runs work that would otherwise conflict one after the other.
import { TurngraphError } from '../core/errors.ts'
import { DEADLINE_MS, type Graph, type GraphSource, graphWith } from './port.ts'

/** The default deadline of work that starts now, as a value of performance.now(). */
export const deadlineFromNow = (): number => performance.now() + DEADLINE_MS

/** Returns the same graph with one deadline for all calls: a request may take several statements. */
export function withOneDeadline(graph: Graph): Graph {
  const deadline = deadlineFromNow()
  return withDeadlines(graph, () => deadline)
}

/** Returns the same graph. Each call gets its own deadline, a value of performance.now(). */
export const withDeadlines = (graph: Graph, deadline: () => number): Graph =>
  graphWith(graph, {
    read: (statement, params) => graph.read(statement, params, deadline()),
    write: (steps) => graph.write(steps, deadline()),
    transact: (work) => graph.transact(work, deadline()),
  })

/** Rejects at the deadline, or if `signal` is aborted. A server may look for late transactions only every two seconds. */
export function withDeadline<T>(
  deadline: number,
  work: () => Promise<T>,
  { abandon = () => {}, signal }: { abandon?: () => void; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  if (signal?.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const end = (reason: unknown) => {
      clearTimeout(timer) // the timer would keep the process alive if the work never settles
      abandon()
      reject(reason)
    }
    const onAbort = () => end(signal?.reason)
    const timer = setTimeout(() => end(notInTime()), Math.max(0, deadline - performance.now()))
    signal?.addEventListener('abort', onAbort, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      })
  })
}

const notInTime = (): TurngraphError =>
  new TurngraphError('timeout', 'The graph did not answer in time.', {
    hint: 'Try again: a repeated capture is stored once.',
  })

/** The newest work per source. A graph and all views of it share one source. */
const newestWork = new WeakMap<GraphSource, Map<string, Promise<unknown>>>()

/**
 * Runs work on one part of a graph after all work that this process started on that part before. Writes that
 * would conflict if they ran at the same time run in order. The checks in the statements handle conflicts
 * with other processes.
 *
 * @example
 * await serialize(graph, 'shop/FEAT-1/TASK-1', () => store(turn))
 */
export async function serialize<T>(graph: Graph, part: string, work: () => Promise<T>): Promise<T> {
  const last = newestWork.get(graph.source) ?? new Map<string, Promise<unknown>>()
  newestWork.set(graph.source, last)
  const mine = Promise.resolve(last.get(part)).then(work, work)
  last.set(part, mine)
  try {
    return await mine
  } finally {
    if (last.get(part) === mine) last.delete(part)
  }
}

/** Repeats work while it returns null because another writer came first. The deadline of the work bounds the retries. */
export const serializeRetries = <T>(graph: Graph, part: string, work: () => Promise<T | null>): Promise<T> =>
  serialize(graph, part, async () => {
    for (;;) {
      const done = await work()
      if (done !== null) return done
    }
  })
