/** Tracks the state of a conversation from LangChain callbacks. */
import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import type { Serialized } from '@langchain/core/load/serializable'
import type { BaseMessage } from '@langchain/core/messages'
import type { LLMResult } from '@langchain/core/outputs'
import type { MultiTurnState, TerminationReason } from '../autobuild/state/multi-turn-state.ts'
import { Conversation, type ConversationOptions } from './multi-turn/conversation.ts'
import { ConversationRuns } from './multi-turn/conversation-runs.ts'
import { field, resultIdsIn, toolCallsIn, toolCallsReturned } from './multi-turn/messages.ts'

export type MultiTurnStateTrackerOptions = ConversationOptions & {
  /** Called after every change, in order. */
  onChange?: ((state: MultiTurnState) => void) | undefined
}

/**
 * Keeps the `MultiTurnState` of one conversation at a time, from LangChain's own events.
 * - A conversation begins with a root run, and ends when that run returns or fails. If the root is a model, it ends when the
 * model answers without tool calls. A root that returns calls that have not run (`model.invoke` or `prompt.pipe(model)` in the
 * caller's own loop, a graph that waits for a human) leaves the conversation open. The next root continues it, or begins another
 * one if its model receives none of the results.
 * - A failed tool does not end a conversation. A failed model does, unless a retry or a fallback resumes the conversation.
 * - Runs inside a tool or a retriever do not belong to the conversation, and neither does a tool run that answers no call of the
 * model. Other roots are ignored while one is running: give each conversation its own tracker.
 * - After its end, events of a conversation are ignored; the next root begins another one.
 * The tracker only observes: pass `signal` or `timeout` to the run itself. Use `terminate` for an end without an event: a stream
 * that is left early, or aborted while no model is running; a loop that gives up.
 * The state is correct when `invoke` has returned. An event that the state machine forbids changes nothing and throws. LangChain
 * reports that error on the console, and also the errors of `onChange`. The tracker itself logs nothing.
 * @example
 * const tracker = new MultiTurnStateTracker({ agentId: 'player', totalIterations: 10 })
 * await agent.invoke(input, { callbacks: [tracker] })
 * tracker.state.terminationReason // 'natural_completion'
 */
export class MultiTurnStateTracker extends BaseCallbackHandler {
  readonly name = 'turngraph_multi_turn_state_tracker'
  readonly #conversation: Conversation
  readonly #runs = new ConversationRuns()
  readonly #onChange: (state: MultiTurnState) => void
  /** Signal of the newest model call. LangChain passes no signal with the events of tools and chains. */
  #signal: AbortSignal | undefined

  constructor({ onChange = () => {}, ...options }: MultiTurnStateTrackerOptions) {
    // Background handlers, LangChain's default, could still be running when `invoke` has returned.
    super({ _awaitHandler: true })
    this.#conversation = new Conversation(options)
    this.#onChange = onChange
  }

  /** A snapshot, frozen at every depth. */
  get state(): Readonly<MultiTurnState> {
    return this.#conversation.state
  }

  /** Ends the conversation. Does nothing if it has ended already: the first reason stays. */
  terminate(reason: TerminationReason, error?: string): void {
    this.#on(() => this.#conversation.end(reason, error))
  }

  /** Returns the same tracker: a copy would miss the beginning of a running conversation. */
  override copy(): this {
    return this
  }

  /** LangChain 1.4 declares the parent's id as the eighth argument but passes it as the fourth. */
  override handleChainStart(
    _chain: Serialized,
    _inputs: unknown,
    runId: string,
    fourth?: string,
    _tags?: string[],
    _metadata?: Record<string, unknown>,
    _seventh?: string,
    eighth?: string,
  ): void {
    const parent = [fourth, eighth].find((id) => !this.#runs.isAlone(id))
    this.#on(() => this.#enter(runId, parent))
  }

  override handleChainEnd(outputs: unknown, runId: string): void {
    this.#on(() => {
      if (this.#leave(runId)) this.#conversation.return(toolCallsReturned(outputs))
    })
  }

  override handleChainError(thrown: unknown, runId: string): void {
    this.#on(() => {
      if (this.#leave(runId)) this.#conversation.fail(this.#nameAbort(thrown))
    })
  }

  override handleRetrieverStart(_retriever: Serialized, _query: string, runId: string): void {
    this.#runs.setAside(runId)
  }

  override handleLLMStart(
    llm: Serialized,
    _prompts: string[],
    runId: string,
    parentRunId?: string,
    extra?: Record<string, unknown>,
  ): void {
    this.handleChatModelStart(llm, [], runId, parentRunId, extra)
  }

  override handleChatModelStart(
    _llm: Serialized,
    messages: BaseMessage[][],
    runId: string,
    parentRunId?: string,
    extra?: Record<string, unknown>,
  ): void {
    this.#on(() => {
      const root = this.#enter(runId, parentRunId)
      if (root === null) return
      const over = this.#conversation.beginModel(runId, root, resultIdsIn(messages.flat()))
      // A stream that is aborted while its reader processes a chunk ends without an event.
      const signal = field(extra?.options, 'signal')
      if (!(signal instanceof AbortSignal)) return
      this.#signal = signal
      if (over === null) return
      signal.addEventListener('abort', () => this.#abort(runId, signal.reason), { signal: over })
    })
  }

  override handleLLMNewToken(_token: string, _indices: unknown, runId: string): void {
    this.#on(() => this.#conversation.beat(runId))
  }

  override handleLLMEnd(output: LLMResult, runId: string): void {
    this.#on(() => {
      const calls = toolCallsIn(output)
      this.#conversation.endModel(runId, calls)
      if (this.#leave(runId)) this.#conversation.return(calls)
    })
  }

  override handleLLMError(thrown: unknown, runId: string): void {
    this.#on(() => {
      if (this.#leave(runId)) this.#conversation.fail(thrown)
      else this.#conversation.failModel(runId, thrown)
    })
  }

  override handleToolStart(
    tool: Serialized,
    _input: string,
    runId: string,
    parentRunId?: string,
    _tags?: string[],
    _metadata?: Record<string, unknown>,
    runName?: string,
    toolCallId?: string,
  ): void {
    const isOurs = this.#runs.isAlone(parentRunId) || this.#runs.isPart(parentRunId)
    this.#runs.setAside(runId)
    this.#on(() => {
      if (isOurs) this.#conversation.beginTool(runId, toolCallId, runName ?? tool.name)
    })
  }

  override handleToolEnd(_output: unknown, runId: string): void {
    this.#on(() => this.#conversation.endTool(runId))
  }

  override handleToolError(thrown: unknown, runId: string): void {
    this.#on(() => this.#conversation.failTool(runId, this.#nameAbort(thrown)))
  }

  /** Converts the error of an abort whose reason is a text to an `AbortError`. LangChain throws a plain error with this text. */
  #nameAbort(thrown: unknown): unknown {
    const { aborted = false, reason } = this.#signal ?? {}
    const isAbort = aborted && typeof reason === 'string' && field(thrown, 'message') === reason
    return isAbort ? new DOMException(reason, 'AbortError') : thrown
  }

  /** Registers a run: as a root if none is running, otherwise below its parent. Returns its root; null if it is outside. */
  #enter(runId: string, parent: string | undefined): string | null {
    const { isRunning } = this.#conversation
    if (this.#runs.isAlone(parent) && (this.#runs.root === null || !isRunning)) {
      this.#runs.plant(runId)
      if (!isRunning) this.#conversation.begin(runId)
    } else {
      this.#runs.add(runId, parent)
    }
    return this.#runs.isPart(runId) && !this.#conversation.isOver ? this.#runs.root : null
  }

  #leave(runId: string): boolean {
    if (runId !== this.#runs.root) return false
    this.#runs.uproot()
    return true
  }

  #abort(runId: string, cause: unknown): void {
    try {
      this.#on(() => this.#conversation.abortModel(runId, cause))
    } catch (error) {
      // Reports the error like LangChain does for a handler. Thrown from a listener, it would end the process.
      console.warn(`Error in handler ${this.constructor.name}, abort: ${error}`)
    }
  }

  /** Reports changes after an event was processed, because the observer may throw or call `terminate`. */
  #on(event: () => void): void {
    try {
      event()
    } finally {
      for (const state of this.#conversation.changes()) this.#onChange(state)
    }
  }
}
