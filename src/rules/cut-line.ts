/** Cuts texts to a maximum length, without cutting a character in two. Pure. */

const CUT = '…'
const HALF_OF_PAIR = /[\uD800-\uDBFF]$/

/** Returns the start of a text. Both halves of a surrogate pair stay, or neither. */
export const sliceWhole = (text: string, maxCharacters: number): string =>
  text.length <= maxCharacters ? text : text.slice(0, maxCharacters).replace(HALF_OF_PAIR, '')

/** Returns the start of a text that fits into a number of bytes of UTF-8. Each character stays whole. */
export const sliceBytes = (text: string, maxBytes: number): string =>
  text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read)

/** Returns the text, or its start with a mark. Both halves of a surrogate pair stay, or neither. */
export function cutLine(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  return sliceWhole(text, maxCharacters - CUT.length).trimEnd() + CUT
}
