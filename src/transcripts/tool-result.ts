/** Reads the outcome of a call from its result (contract: transcripts.md, "Turns"). Texts are inspected, but never stored. */
import { keepProgramText, looksPrinted } from '../rules/tool-error.ts'
import type { StepStatus } from '../rules/values.ts'
import { asText, type Block, listBlocks } from './content.ts'
import { asObject, type TranscriptRecord } from './line-records.ts'

export const listResults = (record: TranscriptRecord): Block[] =>
  listBlocks(record).filter(({ type }) => type === 'tool_result')

/** Matches interruptions and refusals, because `is_error` is also true for them. */
const STOPPED =
  /^(?:Exit code -?\d+\n)?\[Request interrupted by user|^The user doesn't want to take this action right now/
const REFUSED =
  /^(?:<tool_use_error>)?(?:The user doesn't want to proceed with this tool use|Permission to use |Claude requested permissions |This command requires approval|This Bash command contains multiple operations\. The following part)/
const REJECTED = /^(?:Error: )?(?:User rejected|The user doesn't want to proceed)/

export type Outcome = {
  status: Exclude<StepStatus, 'pending'>
  /** The output of a program, only for `error`. It must be scrubbed before it is stored. */
  message: string | null
}

export function readOutcome(tool: string, record: TranscriptRecord, result: Block): Outcome {
  if (result.is_error !== true) return { status: 'ok', message: null }
  const { toolUseResult, toolDenialKind } = record
  const text = (resultText(result.content) || (asText(toolUseResult) ?? '')).replace(/^Error: /, '')
  if (STOPPED.test(text)) return { status: 'interrupted', message: null }
  const isDenied =
    REFUSED.test(text) ||
    (typeof toolUseResult === 'string' && REJECTED.test(toolUseResult)) ||
    (toolDenialKind !== undefined && toolDenialKind !== null)
  if (isDenied) return { status: 'denied', message: null }
  const message = keepProgramText(tool, text)
  return { status: message !== null || hasRun(text, toolUseResult) ? 'error' : 'denied', message }
}

/** Checks whether the tool ran: it returns an object or prints lines, unlike a sentence typed at a permission prompt. */
const hasRun = (text: string, toolUseResult: unknown): boolean =>
  text.trim() === '' ||
  (typeof toolUseResult === 'object' && toolUseResult !== null) ||
  text.startsWith('Exit code ') ||
  looksPrinted(text)

function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block) => (typeof block === 'string' ? block : asText(asObject(block)?.text)))
    .filter((text) => text !== null)
    .join('\n')
}
