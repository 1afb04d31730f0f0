// Splits a Cypher statement into tokens, so that words in strings and comments are not mistaken for clauses.
import { invalidQuery } from './reader.ts'

export type Token = {
  /** `word`: a bare word; `quoted`: a name in backticks, here without them; `mark`: one character. */
  kind: 'word' | 'quoted' | 'literal' | 'mark'
  text: string
  /** Index of its first character, from 0. */
  at: number
}

const PIECES: readonly { kind: Token['kind'] | null; form: RegExp }[] = [
  { kind: null, form: /[ \t\n\r]+/y },
  { kind: null, form: /\/\/[^\n\r]*/y },
  { kind: null, form: /\/\*[\s\S]*?\*\//y },
  { kind: 'literal', form: /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y },
  { kind: 'quoted', form: /`(?:[^`]|``)*`/y },
  { kind: 'literal', form: /\$(?:[\p{L}\p{N}_]+|`(?:[^`]|``)*`)/uy },
  { kind: 'literal', form: /\d[\p{L}\p{N}_]*/uy },
  { kind: 'word', form: /[\p{L}_][\p{L}\p{N}_]*/uy },
  { kind: 'mark', form: /[!#-&(-/:-@[\]^{|}~]/y },
]

/** Invisible characters. Some are a space to one engine and part of a word to the other. Strings with them are rejected, too. */
const AMBIGUOUS = /(?![\t\n\r ])[\p{C}\p{Z}]/u

/** Grafeo's own limit. Neo4j 5.26 has none: 1,000 nested brackets exhaust its planner's stack, and its connection never answers. */
const MAX_DEPTH = 64

/**
 * Splits Cypher in the way on which both engines agree: strings, names in backticks and comments can neither
 * hide nor create a word.
 *
 * @throws `invalid_request` if the engines may disagree: `\u` escapes (Neo4j replaces them before it parses),
 * invisible characters, a string or comment without an end, brackets that are nested too deeply
 */
export function splitTokens(query: string): Token[] {
  const escaped = /\\u/i.exec(query)
  if (escaped !== null)
    throw invalidQuery(`has a \\u escape at ${escaped.index}`, 'Write the character itself.')
  const ambiguous = AMBIGUOUS.exec(query)
  if (ambiguous !== null) {
    const code = (ambiguous[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    throw invalidQuery(`has U+${code} at ${ambiguous.index}`, 'Send such characters in a parameter.')
  }
  const tokens: Token[] = []
  let depth = 0
  let at = 0
  while (at < query.length) {
    const piece = pieceAt(query, at)
    if (piece === null) {
      throw invalidQuery(
        `cannot be read at ${at}: ${JSON.stringify(query.slice(at, at + 20))}`,
        'Strings, names in backticks and comments must be terminated; other characters are only allowed in a string.',
      )
    }
    if (piece.kind === 'mark') {
      if ('([{'.includes(piece.text)) depth++
      else if (')]}'.includes(piece.text)) depth--
      if (depth > MAX_DEPTH) {
        throw invalidQuery(
          `nests brackets more than ${MAX_DEPTH} deep at ${at}`,
          'Send deep values in a parameter.',
        )
      }
    }
    if (piece.kind !== null) tokens.push({ kind: piece.kind, text: piece.text, at })
    at += piece.length
  }
  return tokens
}

function pieceAt(
  query: string,
  at: number,
): { kind: Token['kind'] | null; text: string; length: number } | null {
  // `/` is also a mark, but the start of an unterminated comment is not.
  if (query.startsWith('/*', at) && query.indexOf('*/', at + 2) === -1) return null
  for (const { kind, form } of PIECES) {
    form.lastIndex = at
    const found = form.exec(query)?.[0]
    if (found === undefined) continue
    const text = kind === 'quoted' ? found.slice(1, -1).replaceAll('``', '`') : found
    return { kind, text, length: found.length }
  }
  return null
}
