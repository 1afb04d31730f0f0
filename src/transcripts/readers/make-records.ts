/** Makes records in the form of Claude Code from those of other agents. */
import type { TranscriptRecord } from '../line-records.ts'
import type { CodexOutcome } from './codex-output.ts'

/** The text by which turns and calls are recognized as interrupted. */
export const INTERRUPTION = '[Request interrupted by user]'

/** Message of a user without its words. An image without text counts as a prompt. */
export const PROMPT = { content: [{ type: 'image' }] }

/** @param denialKind kind of the denial, for a denied call */
export const makeResult = (
  callId: string,
  { status, text }: CodexOutcome,
  agentId: string | null,
  denialKind: string,
): TranscriptRecord => ({
  type: 'user',
  message: {
    content: [
      {
        type: 'tool_result',
        tool_use_id: callId,
        is_error: status !== 'ok',
        content: status === 'interrupted' ? INTERRUPTION : (text ?? ''),
      },
    ],
  },
  toolUseResult: agentId === null ? {} : { agentId },
  ...(status === 'denied' && { toolDenialKind: denialKind }),
})

/** Makes the usage of a response whose input tokens include the cached ones. Values that are not numbers count as 0. */
export function makeUsage(given: { input: unknown; cached: unknown; created: unknown; output: unknown }) {
  const count = (value: unknown): number => (typeof value === 'number' ? value : 0)
  const [cached, created] = [count(given.cached), count(given.created)]
  return {
    input_tokens: Math.max(0, count(given.input) - cached - created),
    output_tokens: count(given.output),
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: created,
  }
}
