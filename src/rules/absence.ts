/**
 * Tells evidence from its absence (contract: truth.md, "Evidence and absence"): a rejection has evidence of its own only if its
 * text speaks about the work. Pure.
 */

/** How a text begins that says only that nothing was found, or repeats the Player. */
const ABSENCE_TEXTS: readonly RegExp[] = [
  /^promise status\s*:/i,
  /^no completion promise for\b/i,
  /^not found in player requirements_met\b/i,
  /^\[text fallback\]/i,
  /^matched in player requirements_met\b/i,
]

export const isSubstantiated = (evidence: string | null): boolean => {
  const text = evidence?.normalize('NFKC').trim() ?? ''
  return text !== '' && !ABSENCE_TEXTS.some((form) => form.test(text))
}
