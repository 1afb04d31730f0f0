/** Reads the parts of a record that turns need (contract: transcripts.md, "Turns"). Texts are inspected, but never stored. */
import { maskName } from '../core/keys.ts'
import type { TranscriptTurnKind } from '../rules/values.ts'
import { asObject, type TranscriptRecord } from './line-records.ts'

export type Block = TranscriptRecord

export const asText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** Reads a name or an id. It comes from other programs and may contain a secret, so it is masked. */
export const maskedName = (value: unknown): string | null => {
  const text = asText(value)
  return text === null ? null : maskName(text)
}

/** Form of a reasoning effort: a word such as `high`, or the number of a level. */
const EFFORT = /^[\w.-]{1,32}$/

export function readEffort({ effort }: TranscriptRecord): string | null {
  const name = typeof effort === 'number' ? String(effort) : maskedName(effort)
  return name !== null && EFFORT.test(name) ? name : null
}

export const asInstant = (value: unknown): string | null => {
  const text = asText(value)
  return text === null || Number.isNaN(Date.parse(text)) ? null : text
}

/** Checks for an agent that only compacts a conversation. */
export const isCompaction = (agentId: string): boolean => agentId.startsWith('acompact')

const readMessage = (record: TranscriptRecord): Block => asObject(record.message) ?? {}

const readContent = (record: TranscriptRecord): unknown => readMessage(record).content

/** Returns the blocks of a message. A message that is a plain text has no blocks. */
export function listBlocks(record: TranscriptRecord): Block[] {
  const content = readContent(record)
  if (!Array.isArray(content)) return []
  return content.map(asObject).filter((block) => block !== null)
}

/** Matches texts that the editor and Claude Code add to a prompt. */
const ADDED = /^\s*<(?:ide_|system-reminder>)/

/** Matches texts that are not prompts: the output of a command, a note of the program. */
const NO_PROMPT =
  /^\s*(?:<local-command-(?:stdout|stderr|caveat)>|<bash-(?:stdout|stderr)>|Caveat:|Operation stopped by hook)/

const INTERRUPTED = /^\s*\[Request interrupted/

const TAGS: readonly (readonly [RegExp, TranscriptTurnKind])[] = [
  [/^\s*<command-message>/, 'skill'],
  [/^\s*<command-name>/, 'command'],
  [/^\s*<bash-input>/, 'bash'],
  [/^\s*<task-notification>/, 'task_notification'],
  [/^\s*<teammate-message\b/, 'teammate'],
]

/** The effect of a `user` record on its thread, apart from results of calls. */
type Prompt = { is: 'start'; kind: TranscriptTurnKind; warmUp: boolean } | { is: 'interruption' | 'nothing' }

export function readPrompt(record: TranscriptRecord, answers: boolean, sidechain: boolean): Prompt {
  const { text, shows } = promptText(record)
  if (INTERRUPTED.test(text)) return { is: 'interruption' }
  const isNote = record.isMeta === true || record.isCompactSummary === true || NO_PROMPT.test(text)
  if (answers || isNote || (text.trim() === '' && !shows)) return { is: 'nothing' }
  const tagged = TAGS.find(([begins]) => begins.test(text))?.[1]
  const kind = tagged ?? readOrigin(record) ?? (sidechain ? 'subagent' : 'human')
  return { is: 'start', kind, warmUp: text.trim() === 'Warmup' }
}

const MAX_ORIGIN_CHARACTERS = 64

function readOrigin(record: TranscriptRecord): TranscriptTurnKind | null {
  const kind = maskedName(asObject(record.origin)?.kind)
  if (kind === null || kind === 'human') return null
  return kind
    .toWellFormed()
    .replace(/[-\s\0]+/g, '_')
    .slice(0, MAX_ORIGIN_CHARACTERS)
}

function promptText(record: TranscriptRecord): { text: string; shows: boolean } {
  const content = readContent(record)
  if (typeof content === 'string') return { text: content, shows: false }
  const blocks = listBlocks(record)
  const texts = blocks.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' && !ADDED.test(text) ? [text] : [],
  )
  return {
    text: texts.find((text) => text.trim() !== '') ?? '',
    shows: blocks.some(({ type }) => type === 'image' || type === 'document'),
  }
}

export type Call = { id: string; tool: string }

export const listCalls = (record: TranscriptRecord): Call[] =>
  listBlocks(record).flatMap(({ type, id, name }) =>
    type === 'tool_use' && typeof id === 'string'
      ? [{ id: maskName(id), tool: maskedName(name) ?? '(no name)' }]
      : [],
  )

/** Returns the key that groups the records of a response, because a response of four blocks is written as four records. */
export const identifyResponse = (record: TranscriptRecord): string =>
  maskedName(readMessage(record).id) ?? maskedName(record.requestId) ?? maskedName(record.uuid) ?? ''

/** Returns a unique key of a call, because ids may repeat in every response (`call_0`, `Read:0`). A copy has the same response. */
export const callKey = (response: string, id: string): string => `${response}\n${id}`

/** Checks whether Claude Code, not the model, wrote the record. */
export const isSynthetic = (record: TranscriptRecord): boolean => readMessage(record).model === '<synthetic>'

export const isFinal = (record: TranscriptRecord): boolean => {
  const { stop_reason: reason } = readMessage(record)
  return reason === 'end_turn' || reason === 'stop_sequence'
}

export const readAgentId = (record: TranscriptRecord): string | null =>
  maskedName(asObject(record.toolUseResult)?.agentId)
