const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b

/**
 * The `type` of the object in `bytes[start, end)`, where it stands before the first nested value: without parsing, so
 * that what is not needed costs next to nothing. Only the top level decides: tool inputs hold the same words.
 *
 * @returns null where it must be parsed to know
 */
export function topLevelType(bytes: Buffer, start: number, end: number): string | null {
  if (bytes[start] !== OPEN_BRACE) return null
  for (let i = start + 1; i < end; i++) {
    i = pastBlanks(bytes, i, end)
    if (bytes[i] !== QUOTE) return null
    const keyStart = i + 1
    const keyEnd = closingQuote(bytes, keyStart, end)
    i = pastBlanks(bytes, keyEnd + 1, end)
    if (bytes[i] !== COLON) return null
    i = pastBlanks(bytes, i + 1, end)
    if (bytes[i] === QUOTE) {
      const valueEnd = closingQuote(bytes, i + 1, end)
      if (valueEnd >= end) return null
      if (isType(bytes, keyStart, keyEnd)) {
        const type = bytes.toString('utf8', i + 1, valueEnd)
        return type.includes('\\') ? null : type
      }
      i = pastBlanks(bytes, valueEnd + 1, end)
    } else if (bytes[i] === OPEN_BRACE || bytes[i] === OPEN_BRACKET) return null
    else while (i < end && bytes[i] !== COMMA && bytes[i] !== CLOSE_BRACE) i++
    if (bytes[i] !== COMMA) return null
  }
  return null
}

const isType = (bytes: Buffer, start: number, end: number): boolean =>
  end - start === 4 &&
  bytes[start] === 0x74 &&
  bytes[start + 1] === 0x79 &&
  bytes[start + 2] === 0x70 &&
  bytes[start + 3] === 0x65

/** Where the string ends that began before `i`; at or beyond `end` where it does not. */
function closingQuote(bytes: Buffer, i: number, end: number): number {
  let at = i
  while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

function pastBlanks(bytes: Buffer, i: number, end: number): number {
  let at = i
  while (at < end && (bytes[at] === 0x20 || bytes[at] === 0x09)) at++
  return at
}
