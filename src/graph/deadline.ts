// Bounds the time that work on a graph may take, and puts work that would refuse each other in order.
import { TurngraphError } from '../core/errors.ts'
import { DEADLINE_MS, type Graph, type GraphSource, graphWith } from './port.ts'

/** In terms of performance.now(). */
export const deadlineFromNow = (): number => performance.now() + DEADLINE_MS

/** The same graph, where all that is asked of it shares one deadline: a request may take several statements. */
export function withOneDeadline(graph: Graph): Graph {
  const deadline = deadlineFromNow()
  return graphWith(graph, {
    read: (statement, params) => graph.read(statement, params, deadline),
    write: (steps) => graph.write(steps, deadline),
    transact: (work) => graph.transact(work, deadline),
  })
}

/**
 * Answers `work`, a `timeout` error at `deadline` (of performance.now()), or the reason of a signal that is aborted before: a
 * server may look for transactions that are over their time only every two seconds, so the client keeps the time itself.
 */
export function withDeadline<T>(
  deadline: number,
  work: () => Promise<T>,
  { abandon = () => {}, signal }: { abandon?: () => void; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  if (signal?.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const end = (reason: unknown) => {
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

/** By the source, which a graph and all views of it share. */
const newestWork = new WeakMap<GraphSource, Map<string, Promise<unknown>>>()

/**
 * Runs work on one part of a graph after all that this process began there before. What would only refuse each other, when
 * it is written at once, goes in order; other processes are met by the checks of the statements.
 *
 * @example
 * await oneByOne(graph, 'shop/FEAT-1/TASK-1', () => store(turn))
 */
export async function oneByOne<T>(graph: Graph, part: string, work: () => Promise<T>): Promise<T> {
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
