/**
 * Library entry of Turngraph: exports everything that a program needs, and nothing internal.
 *
 * @example
 * const client = createTurngraphClient({ store: 'embedded:.turngraph', project: 'shop' })
 * await client.captureTurnState({ featureId: 'FEAT-1', taskId: 'TASK-1', turnNumber: 1, playerSummary: 'Built it' })
 * await client.close()
 */

export type { ImportTarget } from './artifacts/existing-worlds.ts'
export { type ImportOptions, type ImportProgress, importAutobuild } from './artifacts/import.ts'
export { type ImportReport, importReport } from './artifacts/import-report.ts'
export type { CallOptions, Replayed, Spool, TurngraphClient } from './client/client.ts'
export { isSpooled } from './client/client-errors.ts'
export {
  createTurngraphClient,
  type HttpTurngraphOptions,
  type StoreTurngraphOptions,
} from './client/create.ts'
export { type HttpClientOptions, httpClient } from './client/http.ts'
export { inProcessClient } from './client/in-process.ts'
export type { SpoolOptions, WaitingCapture as Kept } from './client/spool.ts'
export { ERRORS, type ErrorBody, type ErrorCode, TurngraphError } from './core/errors.ts'
export { migrate } from './graph/migrations.ts'
export { openGraph } from './graph/open.ts'
export type { Graph } from './graph/port.ts'
export { type Captured, captureTurnState } from './memory/capture/capture.ts'
export { loadTurnContinuationContext } from './memory/context/context.ts'
export {
  type ContextRequest,
  type ContinuationContext,
  contextRequest,
  continuationContext,
} from './memory/context/continuation.ts'
export { explainTurn, type WhyView, whyView } from './memory/context/why.ts'
export {
  type CriteriaRequest,
  type CriteriaView,
  criteriaView,
  listCriteria,
} from './memory/criteria/criteria.ts'
export { recoverPromises } from './memory/criteria/promises.ts'
export { loadStall } from './memory/criteria/stall-analysis.ts'
export {
  type PromisesView,
  promisesView,
  type Stall,
  type StallView,
  stallView,
} from './memory/criteria/views.ts'
export {
  type CaptureRequest,
  captureRequest,
  type Issue,
  type TurnPromise,
  type TurnState,
  turnState,
  type Verification,
} from './memory/record/record.ts'
export { type WorldProgress, worldProgress } from './memory/worlds/world-progress.ts'
export { type CreateWorldRequest, createWorldRequest, type World, world } from './memory/worlds/worlds.ts'
export type { Store } from './platform/config.ts'
export type { AttemptOutcome, AttemptTask, Executor } from './runs/executor.ts'
export { Executors, loadExecutors } from './runs/executors.ts'
export type { Attempt, TurnRun } from './runs/record.ts'
export { TurnRunStore } from './runs/turn-run-store.ts'
export { TurnRuns } from './runs/turn-runs.ts'
