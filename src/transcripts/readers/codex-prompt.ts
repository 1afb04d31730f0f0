/** Distinguishes prompts from messages that Codex adds in the name of the user. */
import { asText } from '../content.ts'
import { asObject } from '../line-records.ts'

const ADDED = /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|INSTRUCTIONS)>)/
const FIRST_TAG = /^\s*<([A-Za-z][\w-]{0,60})(?: [^<>]{0,300})?>/

/** Checks for a message without words of a person: each of its texts is a block that Codex wrote. */
export function isInjected(content: unknown): boolean {
  if (typeof content === 'string') return isBlock(content)
  if (!Array.isArray(content)) return true
  const parts = content.map(asObject).filter((part) => part !== null)
  if (parts.some(({ type }) => type === 'input_image')) return false
  return parts.every(({ text }) => isBlock(asText(text) ?? ''))
}

function isBlock(text: string): boolean {
  if (text.trim() === '' || ADDED.test(text)) return true
  const tag = FIRST_TAG.exec(text)?.[1]
  return tag !== undefined && text.trimEnd().endsWith(`</${tag}>`)
}
