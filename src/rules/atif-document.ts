/** Builds a trajectory in the Agent Trajectory Interchange Format: structure and numbers, without any text. */
import type { TokenKind } from './turn-tokens.ts'

type Turn = {
  turnId: string
  kind: string
  status: string
  startedAt: string | null
  durationMs: number | null
  models: readonly string[]
  effort: string | null
} & Record<TokenKind, number | null>

type Step = { tool: string; status: string; parallelGroup: number | null; durationMs: number | null }

export type AtifTurn = { turn: Turn; steps: readonly Step[] }

export function atifDocument(sessionId: string, agent: string, turns: readonly AtifTurn[]): object {
  const steps: object[] = []
  const add = (step: object) => steps.push({ step_id: steps.length + 1, message: '', ...step })
  for (const [index, { turn, steps: calls }] of turns.entries()) {
    const { turnId, kind, status, durationMs, startedAt, models, effort } = turn
    const more = { turn_id: turnId, kind, status, duration_ms: durationMs }
    add({
      ...(startedAt !== null && { timestamp: startedAt }),
      source: 'user',
      extra: { turngraph: more },
    })
    for (const response of responsesOf(calls, index)) add(response)
    const metrics = metricsOf(turn)
    const model = models.length === 1 ? { model_name: models[0] } : {}
    const level = effort === null ? {} : { reasoning_effort: effort }
    if (metrics !== null) add({ source: 'agent', ...model, ...level, metrics })
  }
  const sum = (read: (turn: Turn) => number | null): number =>
    turns.reduce((total, { turn }) => total + (read(turn) ?? 0), 0)
  return {
    schema_version: 'ATIF-v1.7',
    session_id: sessionId,
    agent: { name: agent, version: 'unknown' },
    steps,
    notes:
      'Written by Turngraph: structure and numbers of the session. Texts, arguments and outputs are left out.',
    final_metrics: {
      total_prompt_tokens: sum(promptTokens),
      total_completion_tokens: sum(({ outputTokens }) => outputTokens),
      total_cached_tokens: sum(({ cacheReadTokens }) => cacheReadTokens),
      total_steps: steps.length,
    },
  }
}

function responsesOf(calls: readonly Step[], turn: number): object[] {
  const responses = new Map<string, { call: Step; id: string }[]>()
  for (const [place, call] of calls.entries()) {
    const key = call.parallelGroup === null ? `call ${place}` : `group ${call.parallelGroup}`
    responses.set(key, [...(responses.get(key) ?? []), { call, id: `${turn}.${place}` }])
  }
  return [...responses.values()].map((made) => ({
    source: 'agent',
    tool_calls: made.map(({ call, id }) => ({ tool_call_id: id, function_name: call.tool, arguments: {} })),
    observation: {
      results: made
        .filter(({ call }) => call.status !== 'pending')
        .map(({ id }) => ({ source_call_id: id, content: null })),
    },
    extra: { turngraph: { statuses: Object.fromEntries(made.map(({ call, id }) => [id, call.status])) } },
  }))
}

/** Returns all input tokens, because the format includes the cached ones. */
const promptTokens = ({ inputTokens, cacheReadTokens, cacheCreationTokens }: Turn): number | null =>
  inputTokens === null ? null : inputTokens + (cacheReadTokens ?? 0) + (cacheCreationTokens ?? 0)

function metricsOf(turn: Turn): object | null {
  const prompt = promptTokens(turn)
  if (prompt === null) return null
  return {
    prompt_tokens: prompt,
    completion_tokens: turn.outputTokens ?? 0,
    cached_tokens: turn.cacheReadTokens ?? 0,
    extra: { cache_creation_input_tokens: turn.cacheCreationTokens ?? 0 },
  }
}
