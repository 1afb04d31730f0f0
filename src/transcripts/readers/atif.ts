/**
 * Reads trajectories in the Agent Trajectory Interchange Format (ATIF 1.0 to 1.7). A document is one line. Passes on structure,
 * numbers and the output of failed commands, and no other text.
 */
import { asInstant, asText } from '../content.ts'
import { asObject, readObjects, type TranscriptRecord } from '../line-records.ts'
import type { ReadingCounts } from '../reading-counts.ts'
import { type CodexOutcome, readCodexOutput } from './codex-output.ts'
import { makeResult, makeUsage, PROMPT } from './make-records.ts'
import type { LineReader, ReaderState } from './reader.ts'

const VERSION = /^ATIF-v/
const START = /^\s*\{[^{}[\]]{0,400}"schema_version"\s*:\s*"ATIF-v/
const SESSION = /"session_id"\s*:\s*"([^"\\]{1,256})"/

/** The format of a reader's state. The agent may have any name. */
export const ATIF = 'atif'

const MAX_DEPTH = 8

export const isAtifDocument = ({ schema_version: version }: TranscriptRecord): boolean =>
  VERSION.test(asText(version) ?? '')

export const isAtif = (start: string): boolean => START.test(start)

export const atifSession = (start: string): string | null => {
  const found = SESSION.exec(start.split('"steps"', 1)[0] ?? '')?.[1]
  // Copies the name, because a part of a text keeps the whole text in memory.
  return found === undefined ? null : Buffer.from(found).toString()
}

type OnRecord = (record: TranscriptRecord) => void

/** The thread of a trajectory: its id, its default model, and the fields of each of its records. */
type Thread = { id: string; model: string | null; fields: object }

export class AtifReader implements LineReader {
  #agent: string

  constructor(agent = ATIF) {
    this.#agent = agent
  }

  get agent(): string {
    return this.#agent
  }

  state(): ReaderState {
    return { format: ATIF }
  }

  readLine(bytes: Buffer, start: number, end: number, counts: ReadingCounts, onRecord: OnRecord): void {
    readObjects(bytes, start, end, counts, (document) => {
      if (!isAtifDocument(document)) return counts.unknown.add('(no trajectory)')
      this.#agent = asText(asObject(document.agent)?.name) ?? this.#agent
      readTrajectory(document, {}, 0, onRecord)
    })
  }
}

function readTrajectory(document: TranscriptRecord, fields: object, depth: number, onRecord: OnRecord): void {
  const id = asText(document.trajectory_id) ?? asText(document.session_id) ?? ''
  const agent = asObject(document.agent)
  const thread = { id, model: asText(agent?.model_name), fields }
  const steps = listObjects(document.steps)
  onRecord({ type: 'system', timestamp: timeOf(steps[0]), version: agent?.version, ...fields })
  // A continued trajectory repeats the steps of the one before.
  for (const step of steps) if (step.is_copied_context !== true) readStep(step, thread, onRecord)
  if (depth === MAX_DEPTH) return
  for (const [i, part] of listObjects(document.subagent_trajectories).entries()) {
    const agentId = asText(part.trajectory_id) ?? `${id}:${i}`
    readTrajectory(part, { isSidechain: true, agentId }, depth + 1, onRecord)
  }
}

const timeOf = (step: TranscriptRecord | undefined): string | null => asInstant(step?.timestamp)

const listObjects = (value: unknown): TranscriptRecord[] =>
  Array.isArray(value) ? value.map(asObject).filter((item) => item !== null) : []

function readStep(step: TranscriptRecord, { id, model, fields }: Thread, onRecord: OnRecord): void {
  const uuid = `${id}:${String(step.step_id)}`
  const common = { timestamp: timeOf(step), ...fields }
  if (step.source === 'user') onRecord({ type: 'user', uuid, message: PROMPT, ...common })
  else if (step.source === 'agent') readAgentStep(step, { uuid, model, common }, onRecord)
  else onRecord({ type: 'system', ...common })
}

function readAgentStep(
  step: TranscriptRecord,
  { uuid, model, common }: { uuid: string; model: string | null; common: object },
  onRecord: OnRecord,
): void {
  const calls = listObjects(step.tool_calls)
  const modelName = asText(step.model_name) ?? model
  onRecord({
    type: 'assistant',
    uuid,
    effort: step.reasoning_effort,
    message: {
      id: uuid,
      content: calls.map((call) => ({ type: 'tool_use', id: call.tool_call_id, name: call.function_name })),
      ...(modelName !== null && { model: modelName }),
      ...(calls.length === 0 && { stop_reason: 'end_turn' }),
      ...usageOf(step),
    },
    ...common,
  })
  const statuses = asObject(asObject(asObject(step.extra)?.turngraph)?.statuses)
  for (const result of listObjects(asObject(step.observation)?.results)) {
    const callId = asText(result.source_call_id)
    if (callId === null) continue
    const outcome = readStatus(statuses?.[callId]) ?? readCodexOutput(result.content)
    const started = listObjects(result.subagent_trajectory_ref)[0]
    const agentId = asText(started?.trajectory_id) ?? asText(started?.session_id)
    onRecord({ ...makeResult(callId, outcome, agentId, ATIF), ...common })
  }
}

const readStatus = (status: unknown): CodexOutcome | null =>
  status === 'ok' || status === 'error' || status === 'denied' || status === 'interrupted'
    ? { status, text: null }
    : null

/** Reads the tokens of a step. Its prompt tokens include the cached ones. */
function usageOf({ metrics: given }: TranscriptRecord): object {
  const metrics = asObject(given)
  if (metrics === null) return {}
  const { prompt_tokens: input, completion_tokens: output, cached_tokens: cached } = metrics
  const created = asObject(metrics.extra)?.cache_creation_input_tokens
  return { usage: makeUsage({ input, cached, created, output }) }
}
