// Rewords the errors of an engine: adds the place and the word, and removes rejected procedures. Pure.
import { splitTokens } from './cypher-lexer.ts'

/** Prefix of a query that is only planned. It is a separate line, so the columns of the query do not change. */
export const PLANNING = 'EXPLAIN\n'

type Said = {
  message: string
  /** The query as its author wrote it. */
  query: string
  /** True if the engine received `PLANNING` before the query. */
  isPlanned: boolean
}

/** Marks by their names in the embedded engine's parser. */
const MARKS: Readonly<Record<string, string>> = {
  LParen: '"("',
  RParen: '")"',
  LBracket: '"["',
  RBracket: '"]"',
  LBrace: '"{"',
  RBrace: '"}"',
  Eq: '"="',
  Colon: '":"',
  Comma: '","',
  Dot: '"."',
  Pipe: '"|"',
}

/**
 * @example
 * // Query error: GRAFEO-Q001: syntax error: [Cypher] Expected RParen\n  --> query:1:15 …
 * // syntax error: Expected ")" at line 1, column 15: RETURN
 */
export function rewordEmbedded({ message, query, isPlanned }: Said): string {
  const [first = '', ...below] = message.split('\n')
  const said = first
    .replace(/^Query error: (?:GRAFEO-\w+: )?/, '')
    .replace('[Cypher] ', '')
    .replace(/Expected (\w+)$/, (all, mark: string) =>
      MARKS[mark] === undefined ? all : `Expected ${MARKS[mark]}`,
    )
    .replace(/[;,.]? ?CALL [\w.]+\(\)[^;.]*/g, '')
  const place = /^ *--> query:(\d+):(\d+)$/m.exec(below.join('\n'))
  if (place === null) return said
  const [line, column] = [Number(place[1]) - (isPlanned ? 1 : 0), Number(place[2])]
  return `${said} at line ${line}, column ${column}: ${wordAt(query, line, column)}`
}

/** Neo4j itself names the place and the word. Both count from the beginning of the text that it received. */
export function rewordNeo4j({ message, isPlanned }: Said): string {
  const said = message.split('\n')[0] ?? ''
  if (!isPlanned) return said
  return said.replace(
    /\(line (\d+), column (\d+) \(offset: (\d+)\)\)/g,
    (_, line: string, column: string, offset: string) =>
      `(line ${Number(line) - 1}, column ${column} (offset: ${Number(offset) - PLANNING.length}))`,
  )
}

/** Returns the word or mark at a place. The column counts characters from 1. */
function wordAt(query: string, line: number, column: number): string {
  const lines = query.split('\n')
  const before = lines.slice(0, line - 1).reduce((length, each) => length + each.length + 1, 0)
  const at = before + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length
  const token = splitTokens(query).find((each) => each.at + each.text.length > at)
  return token === undefined ? 'the end of the statement' : token.text.slice(0, 100)
}
