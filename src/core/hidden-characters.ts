/** Characters that a reader does not see. A name with one is invalid. Texts of agents are shown without them. */

/** Scripts that write with a joiner or a non-joiner between their letters. */
const JOINING_SCRIPTS = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('')

/** Excludes characters that are removed themselves. */
const INK = '(?!\\p{Default_Ignorable_Code_Point})'

/** Invisible characters that change how other characters look: parts of emoji, and joiners of scripts that need them. */
const VISIBLE_USE = [
  '(?<=\\u{1F3F4})[\\u{E0020}-\\u{E007E}]{1,6}\\u{E007F}',
  `(?<=\\p{Emoji}\\uFE0F|${INK}[\\p{Extended_Pictographic}\\p{Emoji_Modifier}${JOINING_SCRIPTS}])[\\u200C\\u200D](?=${INK}[\\p{Extended_Pictographic}${JOINING_SCRIPTS}])`,
  '(?<=(?![\\d#*])\\p{Emoji})[\\uFE0E\\uFE0F]|(?<=[\\d#*])\\uFE0F(?=\\u20E3)',
  '(?<=\\p{Script=Han})[\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}]',
].join('|')

/** Control characters except tabs and line feeds, bidirectional controls, and characters without a width. */
export const HIDDEN_CHARACTER =
  '(?![\\t\\n])\\p{Cc}|[\\p{Default_Ignorable_Code_Point}\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069\\uFFF9-\\uFFFB]'

/** Matches each character without a shape of its own. Group 1 is set if the character changes how a neighbor looks. */
export const HIDDEN = new RegExp(`(${VISIBLE_USE})|${HIDDEN_CHARACTER}`, 'gu')

const HIDDEN_IN_NAMES = new RegExp(`${HIDDEN.source}|[\\t\\n\\u2028\\u2029]`, 'gu')

/** Returns the first hidden character of a name, or its first line break or tab; undefined if it has none. */
export function findHidden(name: string): string | undefined {
  for (const [found, visible] of name.matchAll(HIDDEN_IN_NAMES)) if (visible === undefined) return found
  return undefined
}
