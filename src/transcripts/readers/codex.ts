/**
 * Reads rollouts of Codex, `rollout-*.jsonl` (contract: doors.md, section 4). Passes on structure, numbers and the output of
 * failed commands, and no other text.
 */

import { CODEX } from '../../rules/agents.ts'
import { asInstant, asText } from '../content.ts'
import { asObject, readObjects, type TranscriptRecord } from '../line-records.ts'
import type { ReadingCounts } from '../reading-counts.ts'
import { isSkipped, KNOWN_EVENTS, KNOWN_ITEMS, SKIPPED_TYPES } from './codex-names.ts'
import { type CodexOutcome, exitedWith, readCodexOutput, readMcpResult } from './codex-output.ts'
import { isInjected } from './codex-prompt.ts'
import { type CodexSession, readCodexSession } from './codex-session.ts'
import { type CodexState, NEW_CODEX_STATE } from './codex-state.ts'
import { INTERRUPTION, makeResult, makeUsage, PROMPT } from './make-records.ts'
import type { LineReader } from './reader.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Time after the beginning of a fork during which its records repeat the other session. */
const REPEAT_MS = 2_000

/** Maximum number of open calls that are remembered. */
const MAX_OPEN_CALLS = 64

type Payload = TranscriptRecord
type OnRecord = (record: TranscriptRecord) => void

export class CodexReader implements LineReader {
  readonly agent = CODEX
  readonly #state: CodexState
  #onRecord: OnRecord = () => {}
  #at: string | null = null

  constructor(state: CodexState = NEW_CODEX_STATE) {
    this.#state = { ...state }
  }

  state(): CodexState {
    return { ...this.#state }
  }

  readLine(bytes: Buffer, start: number, end: number, counts: ReadingCounts, onRecord: OnRecord): void {
    if (isSkipped(bytes, start, end)) return
    this.#onRecord = onRecord
    readObjects(bytes, start, end, counts, (record) => this.#line(record, counts))
  }

  #line(record: TranscriptRecord, counts: ReadingCounts): void {
    const { type, payload: given, record_type: recordType } = record
    const session = readCodexSession(record)
    const payload = asObject(given)
    const name = typeof type === 'string' ? type : '(no type)'
    this.#at = asInstant(record.timestamp)
    if (session !== null) this.#session(session)
    // Before version 0.32 a line was the item itself.
    else if (payload === null && KNOWN_ITEMS.has(name)) this.#item(record, counts)
    else if (payload !== null && name === 'turn_context') this.#turnContext(payload)
    else if (payload !== null && name === 'response_item') this.#item(payload, counts)
    else if (payload !== null && name === 'event_msg') this.#event(payload, counts)
    else if (!SKIPPED_TYPES.has(name) && recordType === undefined) counts.unknown.add(name)
  }

  /** The first session is that of the file. Another one is the session whose history a fork repeats. */
  #session(session: CodexSession): void {
    const { sessionId } = this.#state
    if (sessionId !== null) {
      if (session.id !== sessionId && this.#state.repeats === null)
        this.#state.repeats = { sessionId: session.id, until: this.#at }
      return
    }
    this.#state.sessionId = session.id
    this.#state.isSubagent = session.isSubagent
    const { cwd, version, startedAt } = session
    this.#onRecord({ type: 'system', timestamp: asInstant(startedAt) ?? this.#at, cwd, version })
  }

  #turnContext({ turn_id: turnId, model, effort, cwd }: Payload): void {
    this.#turn(turnId, false)
    this.#state.model = asText(model) ?? this.#state.model
    this.#state.effort = asText(effort)
    this.#onRecord({ type: 'system', timestamp: this.#at, cwd })
  }

  #turn(turnId: unknown, isStart: boolean): void {
    const id = asText(turnId)
    if (id === null || (id === this.#state.turnId && !isStart)) return
    this.#state.turnId = id
    this.#state.promptsOfTurn = 0
  }

  #item(item: Payload, counts: ReadingCounts): void {
    const { type, role, phase } = item
    if (type === 'message' && role === 'user') {
      if (!isInjected(item.content)) this.#prompt('item')
      return
    }
    const isAnswer = type === 'reasoning' || (type === 'message' && role === 'assistant')
    const call = readCall(item)
    if (isAnswer || call !== null || isOutput(item)) this.#state.promptRecords = []
    if (isAnswer) this.#assistant([], type === 'message' && phase !== 'commentary')
    else if (call !== null) this.#call(item, call)
    else if (isOutput(item)) {
      this.#state.openCalls = this.#state.openCalls.filter((id) => id !== item.call_id)
      this.#result(item.call_id, readCodexOutput(item.output), startedAgent(item))
    } else if (!KNOWN_ITEMS.has(String(type))) counts.unknownSubtypes.add(`response_item ${type}`)
  }

  #call(item: Payload, { tool, isDone }: CodexCall): void {
    const id =
      asText(item.call_id) ?? asText(item.id) ?? `${this.#key()}/${tool}:${this.#state.unnamedCalls++}`
    // The service makes such a call within its response, one after the other.
    if (isDone) this.#state.isAnswered = true
    else this.#state.openCalls = [...this.#state.openCalls.slice(1 - MAX_OPEN_CALLS), id]
    this.#assistant([{ type: 'tool_use', id, name: tool }], false)
    if (isDone) this.#result(id, { status: item.status === 'failed' ? 'error' : 'ok', text: null }, null)
  }

  #event(event: Payload, counts: ReadingCounts): void {
    const type = String(event.type)
    const outcome = readEndOfCall(event)
    if (outcome !== null) this.#result(event.call_id, outcome, null)
    else if (type === 'item_completed') this.#completed(asObject(event.item) ?? {})
    else if (type === 'user_message') this.#prompt('event')
    else if (type === 'token_count') this.#tokens(asObject(event.info))
    else if (type === 'task_started' || type === 'turn_started') this.#turn(event.turn_id, true)
    else if (type === 'task_complete' || type === 'turn_complete') this.#ended(event)
    else if (type === 'turn_aborted') {
      this.#ended(event)
      this.#onRecord({
        type: 'user',
        timestamp: this.#at,
        message: { content: [{ type: 'text', text: INTERRUPTION }] },
      })
    } else if (!KNOWN_EVENTS.has(type)) counts.unknownSubtypes.add(`event_msg ${type}`)
  }

  /**
   * Reads an item, which newer versions write instead of other events. A command that a script ran has no call of its own, so a
   * failure of the command is a failure of the newest open call.
   */
  #completed(item: Payload): void {
    if (item.type === 'UserMessage') this.#prompt('event')
    const outcome = readEndOfCall(item)
    if (outcome === null) return
    const { openCalls } = this.#state
    const isCall = openCalls.some((id) => id === item.id)
    if (isCall || outcome.status !== 'ok') this.#result(isCall ? item.id : openCalls.at(-1), outcome, null)
  }

  #prompt(kind: 'item' | 'event'): void {
    const state = this.#state
    if (state.promptRecords.length === 1 && !state.promptRecords.includes(kind)) {
      state.promptRecords = [...state.promptRecords, kind]
      return
    }
    state.promptRecords = [kind]
    state.key = this.#nextTurnId()
    state.records = 0
    state.unnamedCalls = 0
    state.openCalls = []
    state.responses = 0
    state.isAnswered = false
    const origin = state.isSubagent ? { origin: { kind: 'subagent' } } : {}
    this.#onRecord({
      type: 'user',
      uuid: state.key,
      timestamp: this.#at,
      message: PROMPT,
      ...origin,
    })
  }

  /** Returns the id of the turn that a prompt begins. A fork repeats the turns of its session with their ids. */
  #nextTurnId(): string {
    const state = this.#state
    const { turnId } = state
    const session = this.#isRepeated() ? state.repeats?.sessionId : state.sessionId
    if (turnId === null) return `${session ?? ''}:${++state.prompts}`
    const id = UUID.test(turnId) ? turnId : `${session ?? ''}:${turnId}`
    return ++state.promptsOfTurn === 1 ? id : `${id}:${state.promptsOfTurn}`
  }

  #isRepeated(): boolean {
    const { repeats } = this.#state
    if (repeats === null || repeats.until === null || this.#at === null) return repeats !== null
    return Date.parse(this.#at) <= Date.parse(repeats.until) + REPEAT_MS
  }

  /** Returns the beginning of the ids of records. Records before the first prompt belong to the turn of Codex. */
  #key(): string {
    const { sessionId, turnId } = this.#state
    this.#state.key ??= `${sessionId ?? ''}:${turnId ?? 0}`
    return this.#state.key
  }

  #assistant(content: readonly object[], isFinal: boolean): void {
    const state = this.#state
    if (state.isAnswered) state.responses++
    state.isAnswered = false
    this.#message({ id: `r${state.responses}`, content, ...(isFinal && { stop_reason: 'end_turn' }) })
  }

  /** @param message a message with an id that is unique among the messages of the prompt */
  #message({ id, ...message }: { id: string; content: readonly object[] } & Payload): void {
    const { model, effort } = this.#state
    this.#onRecord({
      type: 'assistant',
      uuid: `${this.#key()}/${this.#state.records++}`,
      timestamp: this.#at,
      effort,
      message: { id: `${this.#key()}/${id}`, ...message, ...(model !== null && { model }) },
    })
  }

  #result(id: unknown, outcome: CodexOutcome, agentId: string | null): void {
    const callId = asText(id)
    if (callId === null) return
    this.#state.isAnswered = true
    this.#onRecord({ timestamp: this.#at, ...makeResult(callId, outcome, agentId, CODEX) })
  }

  #ended({ duration_ms: durationMs }: Payload): void {
    this.#state.promptRecords = []
    const isKnown = typeof durationMs === 'number'
    this.#onRecord({
      type: 'system',
      timestamp: this.#at,
      ...(isKnown ? { subtype: 'turn_duration', durationMs } : { subtype: 'stop_hook_summary' }),
    })
  }

  /** Counts the tokens of a response. Codex repeats the record: the last one with the same total counts. */
  #tokens(info: Payload | null): void {
    const state = this.#state
    const total = asObject(info?.total_token_usage)
    const last = asObject(info?.last_token_usage) ?? (state.total === null ? total : null)
    const sum = total === null ? null : JSON.stringify(TOTALS.map((name) => total[name] ?? 0))
    const isRepeated = sum !== null && sum === state.total
    if (last === null || (isRepeated && state.totalKey !== this.#key())) return
    state.total = sum
    state.totalKey = this.#key()
    const [input, cached, created, output] = TOTALS.map((name) => last[name])
    const usage = makeUsage({ input, cached, created, output })
    this.#message({ id: `t${sum ?? state.records + 1}`, content: [], usage })
  }
}

const TOTALS = ['input_tokens', 'cached_input_tokens', 'cache_write_input_tokens', 'output_tokens'] as const

const OUTPUTS: ReadonlySet<unknown> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
  'tool_search_output',
])

const isOutput = ({ type }: Payload): boolean => OUTPUTS.has(type)

/** Tools whose calls have a type of their own. `isDone`: the record is also the result. */
const OWN_TYPES: ReadonlyMap<unknown, { tool: string; isDone: boolean }> = new Map([
  ['local_shell_call', { tool: 'local_shell', isDone: false }],
  ['tool_search_call', { tool: 'tool_search', isDone: false }],
  ['web_search_call', { tool: 'web_search', isDone: true }],
  ['image_generation_call', { tool: 'image_generation', isDone: true }],
])

type CodexCall = { tool: string; isDone: boolean }

function readCall({ type, name, namespace }: Payload): CodexCall | null {
  if (type !== 'function_call' && type !== 'custom_tool_call') return OWN_TYPES.get(type) ?? null
  const prefix = asText(namespace)
  const tool = asText(name) ?? '(no name)'
  if (prefix === null) return { tool, isDone: false }
  return { tool: `${prefix}${prefix.endsWith('__') ? '' : '__'}${tool}`, isDone: false }
}

const startedAgent = ({ output }: Payload): string | null =>
  AGENT_ID.exec(asText(output)?.slice(0, MAX_AGENT_ID_CHARACTERS) ?? '')?.[1] ?? null

const AGENT_ID = /^\s*\{\s*"agent_id"\s*:\s*"([0-9a-f-]{36})"/i
const MAX_AGENT_ID_CHARACTERS = 200

/** Events and items that end a call or a command. */
const ENDS: ReadonlySet<unknown> = new Set([
  'exec_command_end',
  'patch_apply_end',
  'CommandExecution',
  'FileChange',
  'McpToolCall',
])

/** Returns the outcome of a call whose end is a separate event or item; null for any other event or item. */
function readEndOfCall(ended: Payload): CodexOutcome | null {
  const { type, status, success, result, exit_code: code, aggregated_output: output } = ended
  if (type === 'mcp_tool_call_end') return readMcpResult(result)
  if (!ENDS.has(type)) return null
  if (status === 'declined') return { status: 'denied', text: null }
  if (typeof code === 'number') return exitedWith(code, asText(output) ?? '')
  const hasFailed = type === 'exec_command_end' || success === false || status === 'failed'
  return hasFailed ? { status: 'error', text: null } : null
}
