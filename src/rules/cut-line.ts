/** Cuts a text of one line to a maximum length. Pure. */

const CUT = '…'
const HALF_OF_PAIR = /[\uD800-\uDBFF]$/

/** Returns the text, or its start with a mark. Both halves of a surrogate pair stay, or neither. */
export function cutLine(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const start = text.slice(0, maxCharacters - CUT.length).replace(HALF_OF_PAIR, '')
  return start.trimEnd() + CUT
}
