/** Recognizes summaries that do not describe the work. Pure. */
import { trimEnd } from '../core/trim-end.ts'

/** The sentence that GuardKit writes if it delegated the work. */
const DELEGATION = /^implementation via task-work delegation\b/i

/** The summary that the orchestrator's capture writes if no report has the key that it looks for: 368 of 368 turn states. */
export const DEFAULT_SUMMARY = 'Implementation attempt'

export const isDelegation = (summary: string): boolean => DELEGATION.test(summary.trim())

/** Checks whether a summary describes the work of its turn. */
export function isInformative(summary: string): boolean {
  const text = trimEnd(summary.trim(), (character) => '.!'.includes(character))
  return /[\p{L}\p{N}]/u.test(text) && !isDelegation(text) && text !== DEFAULT_SUMMARY
}
