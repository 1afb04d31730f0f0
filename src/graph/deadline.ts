import { TurngraphError } from '../core/errors.ts'
import { DEADLINE_MS, type Graph } from './port.ts'

/** In terms of performance.now(). */
export const deadlineFromNow = (): number => performance.now() + DEADLINE_MS

/** The same graph, where all that is asked of it shares one deadline: a request may take several statements. */
export function withOneDeadline(graph: Graph): Graph {
  const deadline = deadlineFromNow()
  return {
    engine: graph.engine,
    source: graph.source,
    read: (statement, params) => graph.read(statement, params, deadline),
    write: (steps) => graph.write(steps, deadline),
    transact: (work) => graph.transact(work, deadline),
    schema: (command) => graph.schema(command),
    health: () => graph.health(),
    close: () => graph.close(),
  }
}

/**
 * Answers `work`, or a `timeout` error at `deadline` (of performance.now()): a server may look for
 * transactions that are over their time only every two seconds, so the client keeps the time itself.
 */
export function withDeadline<T>(
  deadline: number,
  work: () => Promise<T>,
  onTimeout: () => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => {
        onTimeout()
        reject(
          new TurngraphError('timeout', 'The graph did not answer in time.', {
            hint: 'Try again: a repeated capture is stored once.',
          }),
        )
      },
      Math.max(0, deadline - performance.now()),
    )
    work()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
