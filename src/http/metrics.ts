// Collects the metrics of the service for Prometheus.
import type { RequestHandler } from 'express'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ErrorCode } from '../core/errors.ts'
import type { OperationName, OperationOutput } from '../operations/table.ts'

/** Histogram buckets in seconds: a statement takes 1 to 5 ms, a context of a long world 50 ms, an import's batch a second. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * Metrics of a service at `/metrics`; docs/operations.md explains each. Labels contain only names from the code (routes,
 * operations, statements) and never a value of a caller, so that their number is bounded.
 */
export class Metrics {
  readonly registry = new Registry()
  readonly requests = this.#histogram(
    'turngraph_http_request_duration_seconds',
    'Requests, by route and status',
    ['method', 'route', 'status'],
  )
  readonly #operations = this.#counter(
    'turngraph_operations_total',
    'Operations over REST and MCP; the outcome is ok or the code of the error',
    ['operation', 'outcome'],
  )
  readonly statements = this.#histogram(
    'turngraph_store_statement_duration_seconds',
    'Round trips to the graph, by statement; the outcome is ok or the code of the error',
    ['statement', 'outcome'],
  )
  readonly #captures = this.#counter('turngraph_captures_total', 'Turns that were captured', ['outcome'])
  readonly #contexts = this.#counter('turngraph_contexts_total', 'Continuation contexts', ['role', 'status'])
  readonly #redactions = this.#counter('turngraph_redactions_total', 'Secrets that were masked', [])
  readonly runsEnded = this.#counter('turngraph_turn_runs_ended_total', 'Turn runs that ended here', [
    'status',
  ])
  readonly leasesLost = this.#counter(
    'turngraph_leases_lost_total',
    'Leases that passed to somebody else',
    [],
  )
  readonly #imported = this.#counter(
    'turngraph_transcripts_imported_total',
    'What uploads of transcripts brought in',
    ['what'],
  )

  readonly eventLag = this.#histogram(
    'turngraph_event_lag_seconds',
    "From a change, by the database's clock, to the look that found it for the readers of events",
    [],
  )

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }

  /** @param now functions that return the current number of runs and readers */
  watch(now: { runs: () => number; readers: () => number }): void {
    this.#gauge(
      'turngraph_turn_runs_held',
      'Turn runs and single attempts that this process executes',
      now.runs,
    )
    this.#gauge('turngraph_event_readers', 'Readers of events', now.readers)
  }

  answered(operation: OperationName, answer: unknown): void {
    this.#operations.inc({ operation, outcome: 'ok' })
    if (operation === 'captureTurnState' || operation === 'captureReports')
      this.#countCapture(answer as OperationOutput<'captureTurnState'>)
    if (operation === 'loadTurnContinuationContext') {
      const { role, status } = answer as OperationOutput<'loadTurnContinuationContext'>
      this.#contexts.inc({ role, status })
    }
  }

  refused(operation: OperationName, code: ErrorCode): void {
    this.#operations.inc({ operation, outcome: code })
    if (code === 'lease_lost') this.leasesLost.inc()
  }

  imported({ bytes, badLines }: { bytes: number; badLines: number }): void {
    this.#imported.inc({ what: 'bytes' }, bytes)
    this.#imported.inc({ what: 'bad_lines' }, badLines)
  }

  #countCapture({ created, superseded, redactions }: OperationOutput<'captureTurnState'>): void {
    this.#captures.inc({ outcome: superseded ? 'superseded' : created ? 'created' : 'repeated' })
    this.#redactions.inc(redactions)
  }

  #gauge(name: string, help: string, now: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(now())
      },
    })
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #histogram(name: string, help: string, labelNames: string[]): Histogram {
    return new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [this.registry] })
  }
}

/** Measures every request by the route that answered it, never by its address. */
export function measureRequests(metrics: Metrics): RequestHandler {
  return (req, res, next) => {
    const began = performance.now()
    res.once('finish', () => {
      const path: unknown = req.route?.path
      const route = typeof path === 'string' ? path : 'none'
      const labels = { method: req.method, route, status: String(res.statusCode) }
      metrics.requests.observe(labels, (performance.now() - began) / 1000)
    })
    next()
  }
}

/** `GET /metrics`, in the format of Prometheus. */
export function metricsHandler({ registry }: Metrics): RequestHandler {
  return async (_req, res) => {
    const text = await registry.metrics()
    res.setHeader('Content-Type', registry.contentType)
    res.setHeader('Cache-Control', 'no-store')
    res.end(text)
  }
}
