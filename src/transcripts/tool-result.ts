/** Reads what came of a call from the result of its tool (contract: transcripts.md, "Turns"). Its words are looked at, never stored. */
import type { StepStatus } from '../rules/values.ts'
import { asText, type Block, listBlocks } from './content.ts'
import { asObject, type TranscriptRecord } from './line-records.ts'

/** The answers to calls that a record brings. */
export const listResults = (record: TranscriptRecord): Block[] =>
  listBlocks(record).filter(({ type }) => type === 'tool_result')

/** `is_error` alone does not tell a failure from a refusal. */
const STOPPED =
  /^(?:Exit code -?\d+\n)?\[Request interrupted by user|^The user doesn't want to take this action right now/
const REFUSED =
  /^(?:The user doesn't want to proceed with this tool use|Permission to use |Claude requested permissions |This command requires approval|This Bash command contains multiple operations\. The following part)/

export type Outcome = {
  status: Exclude<StepStatus, 'pending'>
  /** What went wrong, for `error` alone: as it stands there, so it must be scrubbed. */
  message: string | null
}

export function readOutcome(record: TranscriptRecord, result: Block): Outcome {
  if (result.is_error !== true) return { status: 'ok', message: null }
  const { toolUseResult, toolDenialKind } = record
  const text = (resultText(result.content) || (asText(toolUseResult) ?? '')).replace(/^Error: /, '')
  if (STOPPED.test(text)) return { status: 'interrupted', message: null }
  const denied =
    REFUSED.test(text) ||
    (typeof toolUseResult === 'string' && toolUseResult.startsWith('User rejected')) ||
    (toolDenialKind !== undefined && toolDenialKind !== null)
  if (denied) return { status: 'denied', message: null }
  return { status: 'error', message: text === '' ? null : text }
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block) => (typeof block === 'string' ? block : asText(asObject(block)?.text)))
    .filter((text) => text !== null)
    .join('\n')
}
