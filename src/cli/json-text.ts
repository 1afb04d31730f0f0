/** Edits JSON files of a user, such as the settings of a coding agent. Order, indentation and line ends stay. */
import { parseJson } from '../core/parse-json.ts'

const MARK = '\uFEFF'

/** Parses the text of a file; undefined if it is not JSON. An empty file is an empty object. */
export const readJsonText = (text: string): unknown =>
  text.trim() === '' ? {} : parseJson(text.replace(MARK, ''))

/** Writes a value in the form of the text that it replaces. */
export function writeJsonText(value: unknown, replaced: string): string {
  const isEmpty = ['', '{}'].includes(replaced.replace(/\s/g, ''))
  const isOneLine = !isEmpty && !replaced.trim().includes('\n')
  const indentation = isOneLine ? undefined : (/\n([ \t]+)\S/.exec(replaced)?.[1] ?? 2)
  const end = isEmpty ? '\n' : (/\s*$/.exec(replaced)?.[0] ?? '')
  const eol = replaced.includes('\r\n') ? '\r\n' : '\n'
  const mark = replaced.startsWith(MARK) ? MARK : ''
  return mark + JSON.stringify(value, null, indentation).replaceAll('\n', eol) + end
}
