/**
 * Turngraph for LangChain programs: the memory as a retriever and as tools, the state of a multi-turn agent, and the
 * Player/Coach loop itself.
 *
 * @example
 * const client = createTurngraphClient({ store: 'embedded:.turngraph' })
 * const world = { featureId: 'FEAT-1', taskId: 'TASK-1' }
 * for await (const event of runAutobuild({ client, world, task, player, coach, maxTurns: 5 })) console.log(event.type)
 */
export type { Agent, CoachInput, PlayerInput } from '../autobuild/agents.ts'
export { type AutobuildExecutorOptions, autobuildExecutor } from '../autobuild/autobuild-executor.ts'
export type {
  AutobuildEvent,
  ContextStatus,
  GivenContext,
  Outcome,
  RoundEvent,
} from '../autobuild/events.ts'
export type { CoachHalf, PlayerHalf, RoundRecord } from '../autobuild/fields-by-role.ts'
export { runAutobuild } from '../autobuild/run-autobuild.ts'
export type { AutobuildOptions } from '../autobuild/settings.ts'
export type {
  AgentExecutionState,
  MultiTurnState,
  TerminationReason,
} from '../autobuild/state/multi-turn-state.ts'
export type { StreamingState } from '../autobuild/state/streaming-state.ts'
export {
  nextStreamingState,
  STREAMING_EVENTS,
  type StreamingEvent,
} from '../autobuild/state/streaming-state.ts'
export type { TurngraphClient } from '../client/client.ts'
export { isSpooled } from '../client/client-errors.ts'
export {
  createTurngraphClient,
  type HttpTurngraphOptions,
  type StoreTurngraphOptions,
} from '../client/create.ts'
export { TurngraphError } from '../core/errors.ts'
export { MultiTurnStateTracker, type MultiTurnStateTrackerOptions } from './multi-turn-state-tracker.ts'
export { TurngraphRetriever, type TurngraphRetrieverFields } from './retriever.ts'
export type { SectionMetadata } from './sections.ts'
export { createTurngraphTools } from './tools.ts'
