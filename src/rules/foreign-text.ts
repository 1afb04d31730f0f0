/** Writes text from outside so that it cannot imitate a line of Turngraph, in linear time. Pure. */
import { HIDDEN, HIDDEN_CHARACTER } from '../core/hidden-characters.ts'

/** Indents the lines of a text below its first. Turngraph's own lines have 0, 2 or 6 spaces. */
const INDENTATION = '    '

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g

/** Matches commands to a terminal: CSI, then OSC and DCS with their end in the same line, then short ones. */
const ESCAPE_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals read these characters as commands
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f\n]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g

export const removeHidden = (text: string): string =>
  text
    .replace(LINE_BREAK, '\n')
    .replace(ESCAPE_SEQUENCE, '')
    .replace(HIDDEN, (_, visible: string | undefined) => visible ?? '')

/** Writes a text of several lines below each other: every line but the first is indented. */
export function toBlock(text: string): string {
  const clean = removeHidden(text)
  if (!clean.includes('\n')) return clean
  const lines = clean.split('\n')
  const isBlank = (line: string | undefined) => line?.trim() === ''
  let [start, end] = [0, lines.length]
  while (start < end && isBlank(lines[start])) start++
  while (end > start && isBlank(lines[end - 1])) end--
  return lines.slice(start, end).map(indent).join('\n')
}

function indent(line: string, place: number): string {
  if (place === 0) return line
  const ink = line.trimStart()
  // Our own line for a suggestion is indented, too: a foreign one stays at the indentation of foreign text.
  return INDENTATION + (ink.startsWith('Suggestion:') ? ink : line)
}

/** Writes a text as one line, with single spaces between its words. */
export const toOneLine = (text: string): string => removeHidden(text).replace(/\s+/gu, ' ').trim()

const ESCAPED = new RegExp(`${HIDDEN_CHARACTER}|[\\u2028\\u2029]`, 'gu')

/** Writes the hidden characters and line breaks within JSON as escapes, so that they stay and are seen. */
export const escapeHidden = (json: string): string =>
  json.replace(ESCAPED, (character) =>
    [...Array(character.length).keys()]
      .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  )
