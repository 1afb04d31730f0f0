/** Writes and reads the `:param` lines before a statement, in the form of Neo4j Browser. */
import { TurngraphError } from '../core/errors.ts'
import { parseJson } from '../core/parse-json.ts'

export const paramLine = (name: string, value: string | number): string =>
  `:param ${name} => ${typeof value === 'number' ? value : quotedText(value)};`

const quotedText = (text: string): string => `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`

const PARAM = /^:param\s+(\w+)\s*=>\s*(.*?)\s*;?\s*$/s
const QUOTED = /^'((?:[^\\']|\\[\\'n])*)'$/

/**
 * Separates the `:param` lines from the beginning of a statement. Comments between them stay.
 * @example readParamLines(":param task => 'T1';\nRETURN $task") // { query: 'RETURN $task', params: { task: 'T1' } }
 */
export function readParamLines(text: string): { query: string; params: Record<string, unknown> } {
  const lines = text.split('\n')
  const params: Record<string, unknown> = {}
  const comments: string[] = []
  let read = 0
  for (const line of lines) {
    const [, name, value] = PARAM.exec(line) ?? []
    if (name !== undefined && value !== undefined) params[name] = parseValue(name, value)
    else if (/^\s*(?:\/\/.*)?$/.test(line)) comments.push(line)
    else break
    read++
  }
  if (Object.keys(params).length === 0) return { query: text, params }
  return { query: [...comments, ...lines.slice(read)].join('\n'), params }
}

function parseValue(name: string, text: string): unknown {
  const [, inner] = QUOTED.exec(text) ?? []
  if (inner !== undefined) return inner.replace(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign))
  const value = parseJson(text)
  if (value !== undefined) return value
  throw new TurngraphError(
    'invalid_request',
    `:param ${name}: its value must be JSON, or a text in single quotes.`,
  )
}
