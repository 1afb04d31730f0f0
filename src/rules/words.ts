/** How a criterion's text is compared (contract: criteria.md, "Normalized text", "Words"). */

const LIST_MARK = /^\s*(?:[-+*•]|\d+[.)])\s+/u
const CHECK_BOX = /^\s*\[[ xX]?\]\s*/u

export function normalizeText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(LIST_MARK, '')
    .replace(CHECK_BOX, '')
    .replace(/[`*_#[\]]/g, '')
    .replace(/\s+/gu, ' ')
    .trim()
    .toLowerCase()
    .replace(/[.;:, ]+$/u, '')
}

/** Runs of letters and digits (a combining mark belongs to its letter). Empty: the text says nothing. */
export const splitWords = (text: string): string[] => normalizeText(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** Two texts with equal words are one criterion. */
export const joinedWords = (text: string): string => splitWords(text).join(' ')

/** Whether one list of words begins with all of the other. */
export function oneBeginsWithTheOther(a: readonly string[], b: readonly string[]): boolean {
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a]
  return shorter.every((word, i) => word === longer[i])
}

/** How much of the shorter text's distinct words the other one has: 0 to 1. */
export function sharedShare(a: readonly string[], b: readonly string[]): number {
  const [shorter, longer] = [new Set(a), new Set(b)].sort((x, y) => x.size - y.size)
  if (shorter === undefined || longer === undefined || shorter.size === 0) return 0
  return [...shorter].filter((word) => longer.has(word)).length / shorter.size
}
