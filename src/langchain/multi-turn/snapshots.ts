/** Keeps the state of a conversation as frozen snapshots, with those that were not reported to observers yet. */
import type {
  AgentExecutionState,
  MultiTurnState,
  TerminationReason,
} from '../../autobuild/state/multi-turn-state.ts'
import { nextStreamingState } from '../../autobuild/state/streaming-state.ts'

type Snapshot = Readonly<MultiTurnState>

export class Snapshots {
  #current: Snapshot
  #noted: Snapshot
  readonly #changes: Snapshot[] = []

  constructor(first: MultiTurnState) {
    this.#current = this.#noted = deepFreeze(first)
  }

  get current(): Snapshot {
    return this.#current
  }

  /** Replaces the current state. Observers receive it only if it is noted. */
  replace(state: MultiTurnState): void {
    if (!isSame(state, this.#current)) this.#current = deepFreeze(state)
  }

  note(): void {
    if (this.#noted === this.#current) return
    this.#noted = this.#current
    this.#changes.push(this.#current)
  }

  *changes(): Generator<Snapshot> {
    this.note()
    for (let next = this.#changes.shift(); next !== undefined; next = this.#changes.shift()) yield next
  }
}

export const neverStarted = (agentId: string, runId: string, totalIterations: number): MultiTurnState => ({
  agentId,
  runId,
  status: 'idle',
  iteration: 0,
  totalIterations,
  startTime: 0,
  lastIterationTime: 0,
  streamingState: 'idle',
  pendingToolCalls: [],
  completedToolCalls: [],
})

export function ongoing(state: Snapshot): MultiTurnState {
  const { error: _error, terminationReason: _reason, ...rest } = state
  return { ...rest, status: 'running' }
}

/** Ends a conversation. Only a failed one has an error. */
export function terminated(
  state: Snapshot,
  reason: TerminationReason,
  error: string | undefined,
): MultiTurnState {
  const { error: _error, ...rest } = state
  const status = STATUS_AFTER[reason]
  return {
    ...rest,
    status,
    streamingState: nextStreamingState(state.streamingState, 'terminate'),
    terminationReason: reason,
    ...(status === 'failed' && error !== undefined ? { error } : {}),
  }
}

/** A conversation succeeded only if it ended with an answer of the model. */
const STATUS_AFTER: Readonly<Record<TerminationReason, AgentExecutionState['status']>> = {
  natural_completion: 'completed',
  max_iterations: 'failed',
  timeout: 'failed',
  cancelled: 'cancelled',
  error: 'failed',
}

function isSame(a: Snapshot, b: Snapshot): boolean {
  const values = new Map<string, unknown>(Object.entries(a))
  const others = Object.entries(b)
  return others.length === values.size && others.every(([key, value]) => values.get(key) === value)
}

/** Freezes a value at every depth and returns it. Does not visit values that are already frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
  return value
}
