import { instant, type Written } from './written-transcript.ts'

/** Rollouts for tests, in the forms of Codex. `placed` gives each line its time, one second after the one before. */

/** Makes ids in the form of Codex. */
export const rolloutId = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`

const line = (type: string, payload: Written): Written => ({ type, payload })
export const item = (type: string, more: Written = {}): Written => line('response_item', { type, ...more })
export const event = (type: string, more: Written = {}): Written => line('event_msg', { type, ...more })

export const meta = (id: string, more: Written = {}): Written =>
  line('session_meta', {
    id,
    timestamp: instant(0),
    cwd: '/srv/app',
    originator: 'codex_cli_rs',
    cli_version: '0.98.0',
    instructions: null,
    source: 'cli',
    model_provider: 'openai',
    ...more,
  })

export const context = (turnId: string | null, more: Written = {}): Written =>
  line('turn_context', {
    ...(turnId !== null && { turn_id: turnId }),
    cwd: '/srv/app',
    approval_policy: 'on-request',
    sandbox_policy: { mode: 'workspace-write' },
    model: 'gpt-x-codex',
    effort: 'high',
    summary: 'auto',
    ...more,
  })

export const message = (role: string, ...texts: string[]): Written =>
  item('message', {
    role,
    content: texts.map((text) => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text })),
  })

/** Makes the two records of a prompt. */
export const prompt = (text: string): Written[] => [
  message('user', text),
  event('user_message', { message: text, images: [], local_images: [], text_elements: [] }),
]

export const shell = (callId: string, name = 'exec_command'): Written =>
  item('function_call', { name, arguments: '{"cmd":"ls"}', call_id: callId })

export const output = (callId: string, given: unknown): Written =>
  item('function_call_output', { call_id: callId, output: given })

/** Makes the output of a command in the form of the unified shell tool. */
export const exited = (code: number, text = 'done'): string =>
  `Chunk ID: a1b2c3\nWall time: 0.0512 seconds\nProcess exited with code ${code}\nOriginal token count: 4\nOutput:\n${text}`

/** Makes a record of tokens: the total so far, and those of the newest response. */
export const tokens = (total: readonly number[], last: readonly number[]): Written => {
  const usage = ([input = 0, cached = 0, written = 0]: readonly number[]) => ({
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: written,
    reasoning_output_tokens: 0,
    total_tokens: input + written,
  })
  return event('token_count', {
    info: { total_token_usage: usage(total), last_token_usage: usage(last), model_context_window: 258_400 },
    rate_limits: null,
  })
}

export const placed = (lines: readonly Written[], from = 0): Written[] =>
  lines.map((record, i) => ({ timestamp: instant(from + i), ...record }))
