/**
 * Turngraph as a library: everything a program needs, and nothing else, comes from here.
 *
 * @example
 * const client = createTurngraphClient({ store: 'embedded:.turngraph', project: 'shop' })
 * await client.captureTurnState({ featureId: 'FEAT-1', taskId: 'TASK-1', turnNumber: 1, playerSummary: 'Built it' })
 * await client.close()
 */
export { type ImportOptions, type ImportProgress, importAutobuild } from './autobuild/import.ts'
export { type ImportReport, importReport } from './autobuild/import-report.ts'
export type { ImportTarget } from './autobuild/import-target.ts'
export type { CallOptions, TurngraphClient } from './client/client.ts'
export {
  createTurngraphClient,
  type HttpTurngraphOptions,
  type StoreTurngraphOptions,
} from './client/create.ts'
export { type HttpClientOptions, httpClient } from './client/http.ts'
export { inProcessClient } from './client/in-process.ts'
export { isSpooled } from './client/is-spooled.ts'
export type { Kept, Replayed, Spool, SpoolOptions } from './client/spool.ts'
export type { Store } from './config.ts'
export { type CriteriaRequest, type CriteriaView, criteriaView, listCriteria } from './criteria/criteria.ts'
export { recoverPromises } from './criteria/promises.ts'
export { type PromisesView, promisesView, type StallView, stallView } from './criteria/shown.ts'
export type { Stall } from './criteria/stall.ts'
export { loadStall } from './criteria/stall-analysis.ts'
export { ERRORS, type ErrorBody, type ErrorCode, TurngraphError } from './errors.ts'
export { migrate } from './graph/migrations.ts'
export { openGraph } from './graph/open.ts'
export type { Graph } from './graph/port.ts'
export type { AttemptOutcome, AttemptTask, Executor } from './runs/executor.ts'
export { Executors, loadExecutors } from './runs/executors.ts'
export type { Attempt, TurnRun } from './runs/record.ts'
export { TurnRunStore } from './runs/turn-run-store.ts'
export { TurnRuns } from './runs/turn-runs.ts'
export { type Captured, captureTurnState } from './turns/capture.ts'
export { loadTurnContinuationContext } from './turns/context.ts'
export {
  type ContextRequest,
  type ContinuationContext,
  contextRequest,
  continuationContext,
} from './turns/continuation.ts'
export {
  type CaptureRequest,
  captureRequest,
  type Issue,
  type TurnPromise,
  type TurnState,
  turnState,
  type Verification,
} from './turns/record.ts'
export { explainTurn, type WhyView, whyView } from './turns/why.ts'
export { type WorldProgress, worldProgress } from './turns/world-progress.ts'
export { type CreateWorldRequest, createWorldRequest, type World, world } from './turns/worlds.ts'
