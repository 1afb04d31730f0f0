/** Keeps the tool calls of a conversation: which are pending, which are done, and which run is which call. */
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

  /** Copies: the message that a call comes from belongs to the chain, which may change it. */
  ask(calls: readonly ToolCall[]): void {
    if (calls.length > 0) this.#pending = deepFreeze([...this.#pending, ...structuredClone(calls)])
  }

  /**
   * The pending call that a tool run answers. Its id decides. Without one, LangChain has told only the tool's name,
   * or not even that: then it is the first in order, since loops run calls in the order asked.
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

  /** @returns false where the run belongs to no call */
  stop(run: string, isDone: boolean): boolean {
    const call = this.#running.get(run)
    if (call === undefined) return false
    this.#running.delete(run)
    if (isDone) this.#complete((other) => other === call)
    return true
  }

  /**
   * Tools may run where LangChain sees nothing; then their results are the first that is heard of it. A tool that was
   * given up may run on: what the model was shown in its place is the result.
   */
  takeResults(ids: ReadonlySet<string>): boolean {
    const isDone = ({ id }: ToolCall): boolean => id !== undefined && ids.has(id)
    for (const [run, call] of this.#running) if (isDone(call)) this.#running.delete(run)
    return this.#complete(isDone)
  }

  /** The chain went on without their results, as after `withStructuredOutput`: nothing waits for these any more. */
  passOver(): void {
    for (const call of this.#pending) this.#passedOver.add(call)
  }

  /** What still runs is not heard of again. */
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
