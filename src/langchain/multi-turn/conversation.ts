/** Derives the states of a conversation from the starts and ends of the runs of models and tools. */
import type { ToolCall } from '@langchain/core/messages/tool'
import type { MultiTurnState, TerminationReason } from '../../autobuild/state/multi-turn-state.ts'
import { nextStreamingState } from '../../autobuild/state/streaming-state.ts'
import { TurngraphError } from '../../core/errors.ts'
import { isInterrupt, toMessage, toTerminationReason } from './messages.ts'
import { neverStarted, ongoing, Snapshots, terminated } from './snapshots.ts'
import { steps } from './steps.ts'
import { ToolCallLedger } from './tool-call-ledger.ts'

export type ConversationOptions = {
  agentId: string
  /** Maximum number of model calls of a conversation: one more ends it as `max_iterations`. */
  totalIterations: number
  /** Replaces the id of LangChain's root run in the state. */
  runId?: string | undefined
  /** Time limit from the start: a model or tool that runs later ends the conversation as `timeout`. */
  timeoutMs?: number | undefined
  now?: (() => number) | undefined
}

/** Consecutive conversations, as `MultiTurnState`, derived from the starts and ends of the runs of models and tools. */
export class Conversation {
  readonly #options: ConversationOptions
  readonly #snapshots: Snapshots
  /** The running models, each with a controller that is aborted when the run ends. */
  readonly #models = new Map<string, AbortController>()
  #calls = new ToolCallLedger()
  #isOver = true
  /** The abort that a tool reported, until a model starts: LangGraph turns it into an error without the cause. */
  #toolAbort: Pick<MultiTurnState, 'terminationReason' | 'error'> | null = null
  /** True if its calls were returned for the caller to run, and none of them has run yet. */
  #isHandedOut = false

  constructor(options: ConversationOptions) {
    const { agentId, totalIterations, runId = '' } = options
    if (!(totalIterations >= 1)) {
      throw new TurngraphError(
        'invalid_request',
        `totalIterations must be 1 or more, not ${totalIterations}.`,
      )
    }
    this.#options = options
    this.#snapshots = new Snapshots(neverStarted(agentId, runId, totalIterations))
  }

  get state(): Readonly<MultiTurnState> {
    return this.#snapshots.current
  }

  changes(): Iterable<Readonly<MultiTurnState>> {
    return this.#snapshots.changes()
  }

  get isRunning(): boolean {
    return this.state.status === 'running'
  }

  /** True if further events are ignored. After a failed model, a conversation is over only when its chain is. */
  get isOver(): boolean {
    return this.#isOver
  }

  begin(runId: string): void {
    const at = this.#now()
    this.#isOver = false
    this.#stopModels()
    this.#toolAbort = null
    this.#calls = new ToolCallLedger()
    const times = { startTime: at, lastIterationTime: at }
    this.#replace({ ...ongoing(this.state), ...times, runId: this.#options.runId ?? runId, iteration: 0 })
  }

  /** @returns a signal that is aborted when the run is over, or `null` if the conversation is over */
  beginModel(run: string, root: string, results: ReadonlySet<string>): AbortSignal | null {
    const isAnswer = this.#calls.takeResults(results)
    if (this.#isHandedOut && !isAnswer) {
      this.end('cancelled')
      this.begin(root)
    }
    this.#isHandedOut = false
    this.#toolAbort = null
    this.#calls.passOver()
    const { iteration, totalIterations } = this.state
    if (this.#endWhenLate()) return null
    if (iteration >= totalIterations) {
      this.end('max_iterations', `All ${totalIterations} model calls are used up.`)
      return null
    }
    const atWork = new AbortController()
    this.#models.set(run, atWork)
    this.#replace(ongoing(this.state))
    this.#settle({ iteration: iteration + 1, lastIterationTime: this.#now() })
    return atWork.signal
  }

  /** Handles a sign of life of a running model: ends the conversation if its time limit has passed. */
  beat(run: string): void {
    if (this.#models.has(run)) this.#endWhenLate()
  }

  endModel(run: string, calls: readonly ToolCall[]): void {
    if (!this.#stopModel(run)) return
    this.#calls.ask(calls)
    this.#settle()
  }

  /** Ends the conversation provisionally: a retry or a fallback may start another model. */
  failModel(run: string, thrown: unknown): void {
    if (this.#stopModel(run) && this.isRunning) this.#terminate(this.#findReason(thrown), toMessage(thrown))
  }

  /** Does the same for a model that may send no further event: an aborted stream is no longer read. */
  abortModel(run: string, cause: unknown): void {
    if (!this.#models.has(run) || !this.isRunning) return
    const reason = this.#findReason(cause)
    this.#terminate(reason === 'timeout' ? reason : 'cancelled', toMessage(cause))
  }

  /** Starts a run of a tool. LangChain does not always give the id of its call. */
  beginTool(run: string, id: string | undefined, tool: string | undefined): void {
    if (this.#isOver && this.state.terminationReason !== undefined) return
    const call = this.#calls.find(id, tool)
    if (call === undefined) this.#refuseUnasked(id)
    if (call === undefined || this.#endWhenLate()) return
    this.#isHandedOut = false
    this.#calls.start(run, call)
    this.#replace(ongoing(this.state))
    this.#settle()
  }

  endTool(run: string): void {
    if (this.#calls.stop(run, true) && !this.#endWhenLate()) this.#settle()
  }

  failTool(run: string, thrown: unknown): void {
    if (!this.#calls.stop(run, !isInterrupt(thrown))) return
    const terminationReason = this.#findReason(thrown)
    if (isAbort(terminationReason)) this.#toolAbort = { terminationReason, error: toMessage(thrown) }
    if (!this.#endWhenLate()) this.#settle()
  }

  /** Handles the calls that the root returned. If they are pending, the caller runs them and the conversation continues. */
  return(calls: readonly ToolCall[]): void {
    if (this.isRunning && calls.some((call) => this.#calls.isAwaiting(call))) this.#isHandedOut = true
    else this.end('natural_completion')
  }

  /** Ends the conversation with an error. An abort that a chain has turned into another error is still an abort. */
  fail(thrown: unknown): void {
    const { terminationReason: before, error } = this.#toolAbort ?? this.state
    const reason = this.#findReason(thrown)
    if (isAbort(before) && (reason === 'error' || reason === 'cancelled')) this.end(before, error)
    else this.end(reason, toMessage(thrown))
  }

  end(reason: TerminationReason, error?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isHandedOut = false
    this.#stopModels()
    this.#calls.forgetRunning()
    this.#terminate(reason, error)
  }

  /** Throws if the state machine allows no tool to run: no known model made this call. */
  #refuseUnasked(id: string | undefined): void {
    const { streamingState } = this.state
    if (id === undefined || streamingState === 'tool_execution' || this.#calls.isCompleted(id)) return
    nextStreamingState(streamingState, 'execute_tools')
  }

  #terminate(reason: TerminationReason, error: string | undefined): void {
    this.#replace(terminated(this.state, reason, error))
    this.#snapshots.note()
  }

  /** Moves to the state that matches the running work. Applies `onArrival` only to that last state. */
  #settle(onArrival: Partial<MultiTurnState> = {}): void {
    this.#replace(this.state)
    if (!this.isRunning) return
    const [models, tools] = [this.#models.size > 0, this.#calls.isRunning]
    const passed = steps(this.state.streamingState, { models, tools, waitingCalls: this.#calls.isAwaited })
    const target = passed.pop() ?? this.state.streamingState
    for (const streamingState of passed) {
      this.#replace({ ...this.state, streamingState })
      this.#snapshots.note()
    }
    this.#replace({ ...this.state, ...onArrival, streamingState: target })
  }

  #replace(state: MultiTurnState): void {
    const calls = { pendingToolCalls: this.#calls.pending, completedToolCalls: this.#calls.completed }
    this.#snapshots.replace({ ...state, ...calls })
  }

  #stopModel(run: string): boolean {
    this.#models.get(run)?.abort()
    return this.#models.delete(run)
  }

  #stopModels(): void {
    for (const run of this.#models.keys()) this.#stopModel(run)
  }

  /** Treats an abort after the time limit as a time-out: the owner of the limit aborts the run. */
  #findReason(thrown: unknown): TerminationReason {
    const reason = toTerminationReason(thrown)
    return reason === 'cancelled' && this.#isLate() ? 'timeout' : reason
  }

  #endWhenLate(): boolean {
    if (!this.isRunning || !this.#isLate()) return false
    this.end('timeout', `The conversation took longer than ${this.#options.timeoutMs} ms.`)
    return true
  }

  #isLate(): boolean {
    const { timeoutMs } = this.#options
    return timeoutMs !== undefined && this.#now() - this.state.startTime > timeoutMs
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }
}

const isAbort = (reason: TerminationReason | undefined) => reason === 'cancelled' || reason === 'timeout'
