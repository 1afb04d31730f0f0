// Makes the spans of a request part of its caller's trace, which MCP carries in `_meta`.
import { context, propagation } from '@opentelemetry/api'

/** Names of W3C trace context and baggage, in `_meta` and in headers. */
const FIELDS = ['traceparent', 'tracestate', 'baggage'] as const

/** Runs work in the trace of the caller; without an OpenTelemetry SDK, only runs the work. */
export function withTrace<T>(meta: Readonly<Record<string, unknown>> | undefined, work: () => T): T {
  const carrier = Object.fromEntries(
    FIELDS.flatMap((field) => (typeof meta?.[field] === 'string' ? [[field, meta[field]]] : [])),
  )
  return context.with(propagation.extract(context.active(), carrier), work)
}
