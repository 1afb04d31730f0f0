// Reports memory operations as spans and verifications as events, after OpenTelemetry's conventions for GenAI.
import { type Attributes, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { asTurngraphError } from '../core/errors.ts'
import { scrubText } from '../core/scrub/scrub.ts'
import { normalizeTurn } from '../memory/record/normalize.ts'
import type { CaptureRequest } from '../memory/record/record.ts'
import type { OperationName, OperationOutput } from '../operations/table.ts'
import { listVerifications } from '../rules/turn-entries.ts'

/**
 * `gen_ai.operation.name` of each operation on the memory: a world is a memory store, and a turn is a record in it. Source:
 * semantic-conventions-genai, "Memory" and `gen_ai.evaluation.result`, both in development.
 */
const MEMORY_OPERATIONS: Partial<Record<OperationName, string>> = {
  captureTurnState: 'create_memory',
  captureReports: 'create_memory',
  commitAttempt: 'create_memory',
  declareCriteria: 'upsert_memory',
  loadTurnContinuationContext: 'search_memory',
  listCriteria: 'search_memory',
  getCriterionHistory: 'search_memory',
  recoverPromises: 'search_memory',
  loadStall: 'search_memory',
  listIssues: 'search_memory',
  explainTurn: 'search_memory',
  listTurns: 'search_memory',
  getTurn: 'search_memory',
  createWorld: 'create_memory_store',
  deleteWorld: 'delete_memory_store',
  forget: 'delete_memory',
  rollbackWorld: 'update_memory',
  addVerifications: 'update_memory',
}

type Verification = { criterionId: string; status: string; source: string }

/**
 * Spans of a service (TURNGRAPH_GENAI_SPANS). They use the OpenTelemetry API and have no effect without a loaded SDK. They
 * contain no text of a turn, neither evidence nor feedback, because traces are sent to other systems.
 */
export class GenAiSpans {
  readonly #tracer = trace.getTracer('turngraph')

  /** Runs an operation, within a span if it is an operation on the memory. */
  around(operation: OperationName, input: object, run: () => Promise<unknown>): Promise<unknown> {
    const name = MEMORY_OPERATIONS[operation]
    if (name === undefined) return run()
    const options = {
      kind: SpanKind.INTERNAL,
      attributes: { 'gen_ai.operation.name': name, ...storeIn(input) },
    }
    return this.#tracer.startActiveSpan(name, options, async (span) => {
      try {
        const answer = await run()
        span.setAttributes(toAttributes(operation, answer))
        if (isCapture(operation)) addCaptured(span, answer as OperationOutput<'captureTurnState'>)
        return answer
      } catch (error) {
        const { code } = asTurngraphError(error)
        span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR, message: code })
        throw error
      } finally {
        span.end()
      }
    })
  }

  /** Reports a committed turn: in the span of its commit, or in a new span if a run executed the attempt in this process. */
  turnCommitted(request: CaptureRequest): void {
    const verifications = listVerifications(normalizeTurn(request, new Date().toISOString()))
    const active = trace.getActiveSpan()
    if (active?.isRecording()) {
      addEvaluations(active, verifications)
      return
    }
    const attributes = { 'gen_ai.operation.name': 'create_memory', ...storeIn(request) }
    const span = this.#tracer.startSpan('create_memory', { kind: SpanKind.INTERNAL, attributes })
    addEvaluations(span, verifications)
    span.end()
  }
}

const isCapture = (operation: OperationName): boolean =>
  operation === 'captureTurnState' || operation === 'captureReports'

/** Adds the evaluations of a new record. A repeated capture stores nothing. */
function addCaptured(span: Span, captured: OperationOutput<'captureTurnState'>): void {
  if (captured.created) addEvaluations(span, listVerifications(captured))
}

const SCORES: Partial<Record<string, number>> = { verified: 1, rejected: 0 }

function addEvaluations(span: Span, verifications: readonly Verification[]): void {
  for (const { criterionId, status, source } of verifications) {
    const score = SCORES[status]
    span.addEvent('gen_ai.evaluation.result', {
      'gen_ai.evaluation.name': scrubText(criterionId),
      'gen_ai.evaluation.score.label': status,
      ...(score !== undefined && { 'gen_ai.evaluation.score.value': score }),
      'turngraph.verification.source': source,
    })
  }
}

const storeIn = (fields: object): Attributes =>
  'worldSlug' in fields && typeof fields.worldSlug === 'string'
    ? { 'gen_ai.memory.store.id': fields.worldSlug }
    : {}

/** Builds the attributes of an answer: the turn is the record, and its world comes from the request or the answer. */
function toAttributes(operation: OperationName, answer: unknown): Attributes {
  if (typeof answer !== 'object' || answer === null) return {}
  const items = 'items' in answer && Array.isArray(answer.items) ? answer.items.length : null
  const isRecord = isCapture(operation) || operation === 'getTurn'
  return {
    ...storeIn(answer),
    ...(isRecord &&
      'key' in answer &&
      typeof answer.key === 'string' && { 'gen_ai.memory.record.id': answer.key }),
    ...(isRecord
      ? { 'gen_ai.memory.record.count': 1 }
      : items !== null && { 'gen_ai.memory.record.count': items }),
  }
}
