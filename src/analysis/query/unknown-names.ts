// Finds names in a query that the graph does not have.
import * as z from 'zod'
import { nearNames } from '../../core/near-names.ts'
import { splitTokens, type Token } from './cypher-lexer.ts'

export const unknownName = z.object({
  unknown: z.string().describe('a label, relationship type or property that the graph does not have'),
  near: z.array(z.string()).describe('names of the graph with a similar spelling, the nearest first'),
})
export type UnknownName = z.output<typeof unknownName>

export type GraphNames = { labelsAndTypes: ReadonlySet<string>; properties: ReadonlySet<string> }

const MAX_WARNINGS = 20

/**
 * Lists each name of a query that the graph does not have, in the order of the query. A property is checked only in a pattern with a
 * label, and after a variable of such a pattern: keys of maps, parameters and parts of dates are not properties of the graph.
 */
export function findUnknownNames(query: string, names: GraphNames): UnknownName[] {
  const warnings = new Map<string, UnknownName>()
  for (const { token, kind } of new NameScan(splitTokens(query)).uses()) {
    const known = names[kind]
    if (known.has(token.text) || warnings.has(token.text)) continue
    if (warnings.size === MAX_WARNINGS) break
    warnings.set(token.text, { unknown: token.text, near: nearNames(token.text, [...known]) })
  }
  return [...warnings.values()]
}

type Use = { token: Token; kind: keyof GraphNames }

/** Reads the tokens of a query from left to right and remembers which variables are nodes and relationships. */
class NameScan {
  readonly #tokens: readonly Token[]
  readonly #open: number[] = []
  /** Variables of patterns with a label or a type. */
  readonly #variables = new Set<string>()
  /** Indexes of the labels and types. */
  readonly #labels = new Set<number>()
  readonly #uses: Use[] = []

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  uses(): readonly Use[] {
    for (let at = 0; at < this.#tokens.length; at++) {
      if (this.#isMark(at, '([{')) this.#open.push(at)
      else if (this.#isMark(at, ')]}')) this.#open.pop()
      else if (this.#isMark(at, ':')) this.#readColon(at)
      else if (this.#isMark(at, '.')) this.#readDot(at)
      else if (this.#text(at).toUpperCase() === 'AS' && this.#isName(at + 1)) this.#bindAlias(at)
    }
    return this.#uses
  }

  /** Reads the label or type after a colon, or the key before it. A colon of `IS :: TYPE` has neither. */
  #readColon(colon: number): void {
    if (this.#isMark(colon - 1, ':') || this.#isMark(colon + 1, ':')) return
    const open = this.#open.at(-1) ?? -1
    const isKey = this.#isMark(open, '{') && (colon - 2 === open || this.#isMark(colon - 2, ','))
    if (!isKey) {
      if (colon - 2 === open && this.#isName(colon - 1)) this.#variables.add(this.#text(colon - 1))
      this.#readLabels(colon + 1, this.#isMark(open, '(') || this.#isMark(open - 1, '-'))
    } else if (this.#labels.has(open - 1)) this.#add(colon - 1, 'properties')
  }

  /** @param hasBars true if a bar separates labels; in a list comprehension a bar comes before the result */
  #readLabels(from: number, hasBars: boolean): void {
    for (let at = from; ; at += 2) {
      while (this.#isMark(at, '!(')) at++
      if (!this.#isName(at)) return
      this.#labels.add(at)
      this.#add(at, 'labelsAndTypes')
      if (!this.#isMark(at + 1, '&') && !(hasBars && this.#isMark(at + 1, '|'))) return
    }
  }

  /** Reads the property of `turn.number` or `turn {.number}`. */
  #readDot(dot: number): void {
    const open = this.#open.at(-1) ?? -1
    const isProjected = this.#isMark(open, '{') && this.#isMark(dot - 1, '{,')
    const owner = isProjected ? open - 1 : dot - 1
    if (this.#isVariable(owner) && this.#isName(dot + 1)) this.#add(dot + 1, 'properties')
  }

  /** Binds the name after AS if it only renames a variable. Any other expression hides a variable of that name. */
  #bindAlias(as: number): void {
    if (this.#isVariable(as - 1)) this.#variables.add(this.#text(as + 1))
    else this.#variables.delete(this.#text(as + 1))
  }

  #isVariable = (at: number): boolean =>
    this.#isName(at) && this.#variables.has(this.#text(at)) && !this.#isMark(at - 1, '.:')

  #add(at: number, kind: Use['kind']): void {
    this.#uses.push({ token: this.#tokens[at] as Token, kind })
  }

  #text = (at: number): string => this.#tokens[at]?.text ?? ''

  #isMark(at: number, marks: string): boolean {
    const token = this.#tokens[at]
    return token?.kind === 'mark' && marks.includes(token.text)
  }

  #isName(at: number): boolean {
    const kind = this.#tokens[at]?.kind
    return kind === 'word' || kind === 'quoted'
  }
}
