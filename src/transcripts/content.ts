/** Reads from a record what turns need (contract: transcripts.md, "Turns"). Its words are looked at, never stored. */
import { maskName } from '../core/keys.ts'
import type { TranscriptTurnKind } from '../rules/values.ts'
import { asObject, type TranscriptRecord } from './line-records.ts'

export type Block = TranscriptRecord

export const asText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** A name or an id: other people write them, so they may hold a secret. */
export const maskedName = (value: unknown): string | null => {
  const text = asText(value)
  return text === null ? null : maskName(text)
}

/** A timestamp as it stands there; null where it is not an instant. */
export const asInstant = (value: unknown): string | null => {
  const text = asText(value)
  return text === null || Number.isNaN(Date.parse(text)) ? null : text
}

/** Agents that only compact a conversation. */
export const isCompaction = (agentId: string): boolean => agentId.startsWith('acompact')

const readMessage = (record: TranscriptRecord): Block => asObject(record.message) ?? {}

const readContent = (record: TranscriptRecord): unknown => readMessage(record).content

/** The blocks of a message; a message that is one text has none. */
export function listBlocks(record: TranscriptRecord): Block[] {
  const content = readContent(record)
  if (!Array.isArray(content)) return []
  return content.map(asObject).filter((block) => block !== null)
}

/** What the editor and Claude Code add to a prompt. */
const ADDED = /^\s*<(?:ide_|system-reminder>)/

/** Texts that are no prompt: the output of a command, a note of the program. */
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

/** What a `user` record does to its thread besides answering calls. */
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

/** Returns the kind of sender that the record names; null for a human, or if it names none. */
function readOrigin(record: TranscriptRecord): TranscriptTurnKind | null {
  const kind = maskedName(asObject(record.origin)?.kind)
  if (kind === null || kind === 'human') return null
  return kind
    .toWellFormed()
    .replace(/[-\s\0]+/g, '_')
    .slice(0, MAX_ORIGIN_CHARACTERS)
}

/** The first text that was written, and whether an image or a document came along. */
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

/** A call that an assistant's record holds. */
export type Call = { id: string; tool: string }

export const listCalls = (record: TranscriptRecord): Call[] =>
  listBlocks(record).flatMap(({ type, id, name }) =>
    type === 'tool_use' && typeof id === 'string' && id !== ''
      ? [{ id: maskName(id), tool: maskedName(name) ?? '(no name)' }]
      : [],
  )

/** What groups the records of one response: an API answer of four blocks is four records. */
export const identifyResponse = (record: TranscriptRecord): string =>
  maskedName(readMessage(record).id) ?? maskedName(record.requestId) ?? maskedName(record.uuid) ?? ''

/** What tells a call apart: ids alone may start again in every response (`call_0`, `Read:0`). A copy has the same response. */
export const callKey = (response: string, id: string): string => `${response}\n${id}`

/** Whether Claude Code wrote the record in the model's place. */
export const isSynthetic = (record: TranscriptRecord): boolean => readMessage(record).model === '<synthetic>'

export const isFinal = (record: TranscriptRecord): boolean => {
  const { stop_reason: reason } = readMessage(record)
  return reason === 'end_turn' || reason === 'stop_sequence'
}

/** The agent whose work a call's result brings. */
export const readAgentId = (record: TranscriptRecord): string | null =>
  maskedName(asObject(record.toolUseResult)?.agentId)
