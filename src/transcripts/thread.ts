/** Builds the turns of one thread of a transcript. */
import * as z from 'zod'
import { maskPath, splitSessionId } from '../core/keys.ts'
import type { TranscriptTurnKind } from '../rules/values.ts'
import {
  asInstant,
  asText,
  type Call,
  callKey,
  identifyResponse,
  isCompaction,
  isFinal,
  isSynthetic,
  listCalls,
  maskedName,
  readAgentId,
  readEffort,
  readPrompt,
} from './content.ts'
import { emptyState } from './empty-state.ts'
import type { TranscriptRecord } from './line-records.ts'
import { listResults, readOutcome } from './tool-result.ts'
import {
  isBefore,
  later,
  msBetween,
  type OpenTurn,
  openTurn,
  readTurn,
  type Step,
  type TranscriptTurn,
  transcriptTurn,
} from './turn.ts'
import { addUsage, newUsage, readUsage } from './usage.ts'

/** A start that counts only if the model answers. Commands such as `/clear` and `!ls` do not start a turn on their own. */
const unanswered = openTurn.pick({
  ...{ id: true, kind: true, promptId: true, startedAt: true, lastAt: true, toldMs: true, finished: true },
})
type Unanswered = z.output<typeof unanswered>

/** The state that a thread needs to continue later. Plain data, with a limited number of turns. */
export const threadState = z.object({
  sessionId: z.string(),
  sidechain: z.boolean(),
  nextIndex: z.number(),
  open: openTurn.nullable(),
  unanswered: unanswered.nullable(),
  /** Uuids of records that already changed the open turn, so that repeated records are ignored. */
  marks: z.array(z.string()),
  /** Uuids of starts that began no turn, so that repeated starts are ignored. */
  passed: z.array(z.string()),
  /** Closed turns with calls without a result, which may still come. */
  unsettled: z.array(openTurn),
  /** The first prompt of a sidechain. A sidechain that only warms up is not a session. */
  begins: z.enum(['prompt', 'warm-up']).nullable(),
  calls: z.number(),
  /** Turns of a sidechain that may turn out to be a warm-up. Stored under this name in the file's state. */
  held: z.array(readTurn),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  cwd: z.string().nullable(),
  version: z.string().nullable(),
})
export type ThreadState = z.output<typeof threadState>

const MAX_UNSETTLED = 100
const MAX_MARKS = 200

const scrubbedPath = (value: unknown): string | null => {
  const text = asText(value)
  return text === null ? null : maskPath(text)
}

const NOTHING_SINCE = { lastAt: null, toldMs: null, finished: false }

/** Adds the records after an unanswered command to the turn before it. */
const addUnanswered = (open: OpenTurn, { lastAt, toldMs, finished }: Unanswered): OpenTurn => ({
  ...open,
  lastAt: lastAt ?? open.lastAt,
  toldMs: toldMs ?? open.toldMs,
  finished: finished || open.finished,
})

export const newThread = (sessionId: string, sidechain: boolean): ThreadState => ({
  ...emptyState(threadState),
  sessionId,
  sidechain,
})

/**
 * Builds the turns of one thread, record by record, in the order of the file (contract: transcripts.md, "Turns"). A turn is
 * passed on when the next one begins, and again when a late result changes it.
 */
export class Thread {
  readonly state: ThreadState
  readonly #file: ThreadsOfFile

  constructor(state: ThreadState, file: ThreadsOfFile) {
    this.state = state
    this.#file = file
    for (const { id, steps } of state.held) {
      file.started.add(id)
      for (const step of steps) file.seen.add(callKey(step.response, step.id))
    }
    for (const turn of [...state.unsettled, ...(state.open === null ? [] : [state.open])]) {
      for (const step of turn.steps) {
        file.seen.add(callKey(step.response, step.id))
        if (step.status === 'pending') addPending(file, { thread: this, turn, step })
      }
    }
  }

  /** Checks whether the thread is a session. A sidechain that only warms up or compacts is not. */
  get counts(): boolean {
    const { sidechain, sessionId, calls, begins } = this.state
    if (!sidechain) return true
    const { session, agentId } = splitSessionId(sessionId)
    return !isCompaction(agentId ?? session) && (calls > 0 || begins === 'prompt')
  }

  read(record: TranscriptRecord): void {
    const at = asInstant(record.timestamp)
    const isReplayed = this.#isReplayed(at)
    this.#remember(record, at)
    const { unanswered } = this.state
    if (record.type === 'user') this.#user(record, at, isReplayed)
    else if (record.type === 'assistant') this.#assistant(record, at, isReplayed)
    else if (!isReplayed) this.#system(record)
    if (isReplayed || (unanswered !== null && unanswered.id === maskedName(record.uuid))) return
    // A start that is waiting for an answer does not belong to a turn yet.
    if (this.state.unanswered === null || this.state.unanswered === unanswered) this.#touch(at)
  }

  /** Checks whether a record is older than the open turn: a compaction repeats its history, which must not change the turn. */
  #isReplayed(at: string | null): boolean {
    const { unanswered, open, endedAt } = this.state
    const start = unanswered ?? open
    return isBefore(at, start === null ? endedAt : start.startedAt)
  }

  /** Checks whether a record applies to the open turn for the first time. */
  #isFirst(record: TranscriptRecord): boolean {
    const uuid = maskedName(record.uuid)
    const { marks } = this.state
    if (uuid === null) return true
    if (marks.includes(uuid)) return false
    marks.push(uuid)
    if (marks.length > MAX_MARKS) marks.shift()
    return true
  }

  #pass(uuid: string): void {
    const { passed } = this.state
    if (!passed.includes(uuid)) passed.push(uuid)
    if (passed.length > MAX_MARKS) passed.shift()
  }

  openTurn(): TranscriptTurn | null {
    const { open, unanswered } = this.state
    if (open === null || isNone(open)) return null
    // The command is not answered yet, so the records after it belong to this turn.
    return transcriptTurn(unanswered === null ? open : addUnanswered(open, unanswered), false)
  }

  settle({ turn, step }: Pending, record: TranscriptRecord, result: Readonly<Record<string, unknown>>): void {
    const { status, message } = readOutcome(step.tool, record, result)
    step.status = status
    step.error = message
    step.durationMs = msBetween(step.startedAt, asInstant(record.timestamp))
    step.agentId = readAgentId(record)
    if (turn === this.state.open) return
    this.state.unsettled = this.state.unsettled.filter((other) => other !== turn || hasPending(other))
    this.#file.onTurn(this, transcriptTurn(turn, true))
  }

  #remember({ cwd, version }: TranscriptRecord, at: string | null): void {
    const { state } = this
    if (state.cwd === null) state.cwd = scrubbedPath(cwd)
    if (state.version === null) state.version = maskedName(version)
    state.startedAt ??= at
    state.endedAt = later(state.endedAt, at)
  }

  #touch(at: string | null): void {
    const { unanswered, open } = this.state
    if (at === null) return
    if (unanswered !== null) unanswered.lastAt = later(unanswered.lastAt, at)
    else if (open !== null) open.lastAt = later(open.lastAt, at)
  }

  #user(record: TranscriptRecord, at: string | null, isReplayed: boolean): void {
    const results = listResults(record)
    for (const result of results) {
      const pending = takePending(this.#file, maskedName(result.tool_use_id) ?? '', this, record)
      pending?.thread.settle(pending, record, result)
    }
    const prompt = readPrompt(record, results.length > 0, this.state.sidechain)
    if (prompt.is === 'interruption') {
      if (!isReplayed) this.#interrupt(at)
    } else if (prompt.is === 'start') {
      this.state.begins ??= prompt.warmUp ? 'warm-up' : 'prompt'
      this.#start(record, prompt.kind, at)
    }
  }

  #start(record: TranscriptRecord, kind: TranscriptTurnKind, at: string | null): void {
    const { open, unanswered, passed } = this.state
    const id = maskedName(record.uuid)
    const promptId = maskedName(record.promptId)
    if (id === null || id === open?.id || id === unanswered?.id) return
    if (this.#file.started.has(id) || passed.includes(id)) return
    if (promptId !== null && promptId === open?.promptId && kind !== 'skill') {
      this.#pass(id)
      return
    }
    this.#forgetUnanswered()
    const start = { ...NOTHING_SINCE, id, kind, promptId, startedAt: at }
    if (kind === 'command' || kind === 'bash') this.state.unanswered = start
    else {
      this.state.marks = []
      this.#open(start)
    }
  }

  #assistant(record: TranscriptRecord, at: string | null, isReplayed: boolean): void {
    const synthetic = isSynthetic(record)
    const response = identifyResponse(record)
    const isKnown = ({ id }: Call) => this.#file.seen.has(callKey(response, id))
    if (isReplayed && listCalls(record).every(isKnown)) return
    if (!synthetic) this.#answer(record, at)
    const { open } = this.state
    if (open === null) return
    const usage = synthetic ? null : readUsage(record)
    if (usage !== null) addUsage(open.usage, usage)
    if (!synthetic) open.effort = readEffort(record) ?? open.effort
    const calls = listCalls(record).filter(({ id }) => this.#isNew(response, id))
    const isFirstEnd = !synthetic && isFinal(record) && this.#isFirst(record)
    if (calls.length > 0) open.finished = false
    else if (isFirstEnd) open.finished = true
    for (const { id, tool } of calls) {
      const uuid = maskedName(record.uuid)
      const step: Step = {
        status: 'pending',
        durationMs: null,
        error: null,
        agentId: null,
        id,
        tool,
        response,
        record: uuid,
        startedAt: at,
      }
      open.steps.push(step)
      addPending(this.#file, { thread: this, turn: open, step })
      this.state.calls++
    }
  }

  #isNew(response: string, id: string): boolean {
    const key = callKey(response, id)
    const isNew = !this.#file.seen.has(key)
    this.#file.seen.add(key)
    return isNew
  }

  /** Starts a turn at the model's answer: the turn of the waiting command, or a continuation if no turn is open. */
  #answer(record: TranscriptRecord, at: string | null): void {
    const { unanswered, open } = this.state
    if (unanswered !== null) {
      this.state.unanswered = null
      this.#open(unanswered)
      return
    }
    const id = maskedName(record.uuid)
    if (open === null && id !== null)
      this.#open({ id, kind: 'continuation', promptId: null, startedAt: at, ...NOTHING_SINCE })
  }

  #system(record: TranscriptRecord): void {
    const { subtype, durationMs } = record
    const turn = this.state.unanswered ?? this.state.open
    if (turn === null || !this.#isFirst(record)) return
    const isDuration = typeof durationMs === 'number' && Number.isFinite(durationMs) && durationMs >= 0
    if (subtype === 'turn_duration' && isDuration) turn.toldMs = durationMs
    if (subtype === 'turn_duration' || subtype === 'stop_hook_summary') turn.finished = true
  }

  #interrupt(at: string | null): void {
    this.#forgetUnanswered()
    const { open } = this.state
    if (open === null) return
    open.interrupted = true
    open.lastAt = later(open.lastAt, at)
    this.#close()
  }

  /** Drops an unanswered start. The records after it belong to the previous turn. */
  #forgetUnanswered(): void {
    const { unanswered, open } = this.state
    this.state.unanswered = null
    if (unanswered !== null) this.#pass(unanswered.id)
    if (unanswered !== null && open !== null) Object.assign(open, addUnanswered(open, unanswered))
  }

  #open(start: Unanswered): void {
    this.#close()
    const { nextIndex: index } = this.state
    const lastAt = start.lastAt ?? start.startedAt
    this.state.open = {
      ...start,
      index,
      lastAt,
      interrupted: false,
      steps: [],
      usage: newUsage(),
      effort: null,
    }
  }

  #close(): void {
    const { open, unsettled } = this.state
    this.state.open = null
    if (open === null || isNone(open)) return
    this.state.nextIndex = open.index + 1
    this.#file.started.add(open.id)
    if (hasPending(open)) {
      unsettled.push(open)
      for (const { steps } of unsettled.splice(0, Math.max(0, unsettled.length - MAX_UNSETTLED))) {
        for (const step of steps) dropPending(this.#file, step)
      }
    }
    this.#file.onTurn(this, transcriptTurn(open, true))
  }
}

/**
 * Finds the call of a result. If several calls have the id, returns the one in the record that the result names, otherwise the
 * newest one of the thread.
 */
function takePending(
  file: ThreadsOfFile,
  id: string,
  thread: Thread,
  record: TranscriptRecord,
): Pending | undefined {
  const at = asInstant(record.timestamp)
  const named = [record.sourceToolAssistantUUID, record.parentUuid].map(maskedName)
  const namesNone = named.every((uuid) => uuid === null)
  // A result that is older than a call belongs to another call with the same id, unless it names the call's
  // record or no record: a clock may be set back.
  const open = (file.pending.get(id) ?? [])
    .filter(({ step }) => namesNone || named.includes(step.record) || !isBefore(at, step.startedAt))
    .sort((a, b) => msBetween(b.step.startedAt, a.step.startedAt) ?? 0)
  const found =
    open.findLast(({ step }) => step.record !== null && named.includes(step.record)) ??
    open.findLast((pending) => pending.thread === thread) ??
    open.at(-1)
  if (found !== undefined) dropPending(file, found.step)
  return found
}

function addPending(file: ThreadsOfFile, pending: Pending): void {
  const { id } = pending.step
  file.pending.set(id, [...(file.pending.get(id) ?? []), pending])
}

function dropPending(file: ThreadsOfFile, step: Step): void {
  const left = (file.pending.get(step.id) ?? []).filter((other) => other.step !== step)
  if (left.length > 0) file.pending.set(step.id, left)
  else file.pending.delete(step.id)
}

type Pending = { thread: Thread; turn: OpenTurn; step: Step }

export type ThreadsOfFile = {
  pending: Map<string, Pending[]>
  /** All calls so far, by {@link callKey}. A repeated call is a copy. */
  seen: Set<string>
  /** Ids of all turns so far. A repeated start is a copy and starts no turn. */
  started: Set<string>
  onTurn: (thread: Thread, turn: TranscriptTurn) => void
}

const hasPending = ({ steps }: OpenTurn): boolean => steps.some(({ status }) => status === 'pending')

/** Checks for a continuation without a call, which is discarded. */
const isNone = ({ kind, steps }: OpenTurn): boolean => kind === 'continuation' && steps.length === 0
