// Reports every statement on a graph to an OpenTelemetry span and to an observer.
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { TurngraphError } from '../core/errors.ts'
import type { Graph, GraphHealth, GraphSource, Params, ReadLimits, Row, Run, Step } from './port.ts'
import type { Statement } from './statements.ts'

/** Called for every round trip. `outcome` is `ok`, or the code of the error. */
export type StatementObserver = (seen: {
  statement: string
  outcome: string
  seconds: number
  error: unknown
}) => void

/** Reports each statement to an observer, and as a span to a tracer (only `@opentelemetry/api`, without an exporter). */
export class ObservedGraph implements Graph {
  readonly #graph: Graph
  readonly #observe: StatementObserver
  readonly #onFailure: (error: unknown) => void
  readonly #tracer = trace.getTracer('turngraph')

  /** @param onFailure called for each failed transaction; a failure at the commit is not a failure of a statement */
  constructor(graph: Graph, observe: StatementObserver, onFailure: (error: unknown) => void = () => {}) {
    this.#graph = graph
    this.#observe = observe
    this.#onFailure = onFailure
  }

  get engine(): Graph['engine'] {
    return this.#graph.engine
  }

  get source(): GraphSource {
    return this.#graph.source
  }

  read(statement: Statement, params: Params, deadline?: number): Promise<Row[]> {
    return this.#trace(statement.name, () => this.#graph.read(statement, params, deadline))
  }

  readLong(statement: Statement, params: Params, limits: ReadLimits): Promise<Row[]> {
    return this.#trace(statement.name, () => this.#graph.readLong(statement, params, limits))
  }

  write(steps: readonly [Step, ...Step[]], deadline?: number): Promise<Row[][] | null> {
    // The engine does not distinguish the statements of one transaction.
    const names = new Set(steps.map(({ statement }) => statement.name))
    return this.#trace([...names].join('+'), () => this.#graph.write(steps, deadline))
  }

  async transact<T>(work: (run: Run) => Promise<T | null>, deadline?: number): Promise<T | null> {
    const traced =
      (run: Run): Run =>
      (step) =>
        this.#trace(step.statement.name, () => run(step))
    try {
      return await this.#graph.transact((run) => work(traced(run)), deadline)
    } catch (error) {
      this.#onFailure(error)
      throw error
    }
  }

  schema(commands: readonly string[]): Promise<void> {
    return this.#graph.schema(commands)
  }

  health(): Promise<GraphHealth> {
    return this.#graph.health()
  }

  close(): Promise<void> {
    return this.#graph.close()
  }

  #trace<T>(statement: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    const attributes = { 'db.system.name': this.engine, 'db.operation.name': statement }
    return this.#tracer.startActiveSpan(statement, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      let outcome = 'ok'
      let failure: unknown = null
      try {
        return await work()
      } catch (error) {
        failure = error
        outcome = error instanceof TurngraphError ? error.code : 'internal'
        span.setStatus({ code: SpanStatusCode.ERROR, message: outcome })
        throw error
      } finally {
        span.end()
        this.#observe({ statement, outcome, seconds: (performance.now() - began) / 1000, error: failure })
      }
    })
  }
}
