/** Keeps the tool calls of a conversation: pending ones, completed ones, and the run of each call. */
import type { ToolCall } from '@langchain/core/messages/tool'
import { deepFreeze } from './snapshots.ts'

export class ToolCallLedger {
  #pending: ToolCall[] = deepFreeze([])
  #completed: ToolCall[] = deepFreeze([])
  readonly #running = new Map<string, ToolCall>()
  readonly #passedOver = new Set<ToolCall>()

  get pending(): ToolCall[] {
    return this.#pending
  }

  get completed(): ToolCall[] {
    return this.#completed
  }

  get isRunning(): boolean {
    return this.#running.size > 0
  }

  get isAwaited(): boolean {
    return this.#awaited.length > 0
  }

  /** Adds copies: the message of a call belongs to the chain, which may change it. */
  ask(calls: readonly ToolCall[]): void {
    if (calls.length > 0) this.#pending = deepFreeze([...this.#pending, ...structuredClone(calls)])
  }

  /**
   * Finds the pending call that a tool run answers, by its id. Without an id, LangChain gave only the tool's name, or not even
   * that: then it is the first in order, because loops run calls in the order of the request.
   */
  find(id: string | undefined, name: string | undefined): ToolCall | undefined {
    const running = new Set(this.#running.values())
    const free = this.#pending.filter((call) => !running.has(call))
    const byId = id === undefined ? undefined : free.find((call) => call.id === id)
    const byName = (call: ToolCall) => name === undefined || call.name === name
    return byId ?? free.find((call) => byName(call) && (id === undefined || call.id === undefined))
  }

  isAwaiting(call: ToolCall): boolean {
    return this.#awaited.some(({ id, name }) => id === call.id && name === call.name)
  }

  isCompleted(id: string): boolean {
    return this.#completed.some((call) => call.id === id)
  }

  start(run: string, call: ToolCall): void {
    this.#running.set(run, call)
  }

  /** @returns false if the run belongs to no call */
  stop(run: string, isDone: boolean): boolean {
    const call = this.#running.get(run)
    if (call === undefined) return false
    this.#running.delete(run)
    if (isDone) this.#complete((other) => other === call)
    return true
  }

  /**
   * Completes calls by their results. Tools may run without events of LangChain; then their results are the first sign of them.
   * The result of an abandoned tool counts, too, even if the tool still runs.
   */
  takeResults(ids: ReadonlySet<string>): boolean {
    const isDone = ({ id }: ToolCall): boolean => id !== undefined && ids.has(id)
    for (const [run, call] of this.#running) if (isDone(call)) this.#running.delete(run)
    return this.#complete(isDone)
  }

  /** Marks calls without results as skipped if the chain continued, as after `withStructuredOutput`: they block nothing. */
  passOver(): void {
    for (const call of this.#pending) this.#passedOver.add(call)
  }

  forgetRunning(): void {
    this.#running.clear()
  }

  get #awaited(): ToolCall[] {
    return this.#pending.filter((call) => !this.#passedOver.has(call))
  }

  #complete(isDone: (call: ToolCall) => boolean): boolean {
    const done = this.#pending.filter(isDone)
    if (done.length === 0) return false
    this.#pending = deepFreeze(this.#pending.filter((call) => !done.includes(call)))
    this.#completed = deepFreeze([...this.#completed, ...done])
    return true
  }
}
