// Finds names in a query that the graph does not have.
import * as z from 'zod'
import { nearNames } from '../../core/near-names.ts'
import { splitTokens, type Token } from './cypher-lexer.ts'

export const unknownName = z.object({
  unknown: z.string().describe('a label, relationship type or property that the graph does not have'),
  near: z.array(z.string()).describe('names of the graph with a similar spelling, the nearest first'),
})
export type UnknownName = z.output<typeof unknownName>

/** Labels, relationship types and properties that a graph has. */
export type GraphNames = {
  labels: ReadonlySet<string>
  types: ReadonlySet<string>
  nodeProperties: ReadonlySet<string>
  relationshipProperties: ReadonlySet<string>
}

type Kind = 'node' | 'relationship' | 'path'
type NameKind = 'label' | 'type' | 'labelOrType' | 'property'
type Use = { token: Token; as: NameKind; of: Kind | undefined }

/** Maximum number of warnings of one query. */
const MAX_WARNINGS = 20

const CLAUSES = new Set(
  'CALL FILTER LET LIMIT MATCH OFFSET ORDER RETURN SKIP UNION UNWIND WHERE WITH YIELD'.split(' '),
)
/** Functions that return a node, a relationship or a list of them, if their arguments do. */
const ENTITY_FUNCTIONS = new Map<string, Kind | 'same'>([
  ['head', 'same'],
  ['last', 'same'],
  ['tail', 'same'],
  ['reverse', 'same'],
  ['collect', 'same'],
  ['distinct', 'same'],
  ['coalesce', 'same'],
  ['properties', 'same'],
  ['nodes', 'node'],
  ['startnode', 'node'],
  ['endnode', 'node'],
  ['relationships', 'relationship'],
])

/**
 * Lists each name of a query that the graph does not have, in the order of the query. A property is checked only if its owner is
 * surely a node or a relationship: keys of maps, parameters and parts of dates are not properties of the graph.
 */
export function findUnknownNames(query: string, names: GraphNames): UnknownName[] {
  const warnings = new Map<string, UnknownName>()
  for (const { token, as, of } of new NameScan(splitTokens(query)).uses()) {
    const known = knownNames(names, as, of)
    if (known.some((set) => set.has(token.text)) || warnings.has(token.text)) continue
    if (warnings.size === MAX_WARNINGS) break
    warnings.set(token.text, {
      unknown: token.text,
      near: nearNames(
        token.text,
        known.flatMap((set) => [...set]),
      ),
    })
  }
  return [...warnings.values()]
}

function knownNames(names: GraphNames, as: NameKind, of: Kind | undefined): ReadonlySet<string>[] {
  switch (as) {
    case 'label':
      return [names.labels]
    case 'type':
      return [names.types]
    case 'labelOrType':
      return [names.labels, names.types]
    case 'property':
      if (of === 'node') return [names.nodeProperties]
      if (of === 'relationship') return [names.relationshipProperties]
      return [names.nodeProperties, names.relationshipProperties]
  }
}

/** Reads the tokens of a query from left to right and remembers which variables are nodes and relationships. */
class NameScan {
  readonly #tokens: readonly Token[]
  /** Index of the closing bracket by the index of the opening one, and the reverse. */
  readonly #partner = new Map<number, number>()
  readonly #variables = new Map<string, Kind | null>()
  readonly #uses: Use[] = []

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
    const open: number[] = []
    tokens.forEach((_, at) => {
      if (this.#isMark(at, '([{')) open.push(at)
      if (!this.#isMark(at, ')]}')) return
      const opening = open.pop()
      if (opening === undefined) return
      this.#partner.set(opening, at)
      this.#partner.set(at, opening)
    })
  }

  uses(): readonly Use[] {
    let clause = ''
    const outer: { clause: string; at: number }[] = []
    for (let at = 0; at < this.#tokens.length; at++) {
      const word = this.#keyword(at)
      if (CLAUSES.has(word)) clause = word
      if (this.#isMark(at, '([{')) {
        if (this.#isMark(at, '(')) this.#readNodePattern(at, clause)
        else if (this.#isMark(at, '[') && this.#isMark(at - 1, '-')) this.#readPattern(at, 'relationship')
        outer.push({ clause, at })
      } else if (this.#isMark(at, ')]}')) clause = outer.pop()?.clause ?? clause
      else if (this.#isMark(at, ':')) this.#readLabels(at, outer.at(-1)?.at ?? -1)
      else if (this.#isMark(at, '.')) this.#readProperty(at)
      else if (this.#isMark(at, '=') && clause === 'MATCH') this.#bindPath(at)
      else if (word === 'AS' && this.#isName(at + 1)) this.#bindAlias(at)
      else if (word === 'IN' && this.#isMark(at - 2, '([') && this.#isName(at - 1)) this.#bindElement(at)
    }
    return this.#uses
  }

  /** `(n:Turn {number: 1})`, but not `(1 + 2)` or `f(n)`. */
  #readNodePattern(open: number, clause: string): void {
    const close = this.#partner.get(open)
    if (close === undefined) return
    const isLinked =
      (this.#isMark(open - 1, '->') && this.#isMark(open - 2, '-]<')) ||
      (this.#isMark(close + 1, '-<') && this.#isMark(close + 2, '[-'))
    const isFunction =
      this.#isName(open - 1) && !/^(?:MATCH|SHORTEST|PATHS?|GROUPS?)$/i.test(this.#text(open - 1))
    if (isLinked || (clause === 'MATCH' && !isFunction)) this.#readPattern(open, 'node')
  }

  /** Binds the variable of a pattern and reads the keys of its map. */
  #readPattern(open: number, kind: 'node' | 'relationship'): void {
    const close = this.#partner.get(open)
    if (close === undefined) return
    let at = open + 1
    if (this.#isName(at) && this.#keyword(at) !== 'WHERE') {
      const after = at + 1
      if (after !== close && !this.#isMark(after, ':{*') && !/^(?:WHERE|IS)$/.test(this.#keyword(after)))
        return
      this.#variables.set(this.#text(at), kind)
      at++
    }
    while (at < close && !this.#isMark(at, '{') && this.#keyword(at) !== 'WHERE')
      at = (this.#partner.get(at) ?? at) + 1
    if (!this.#isMark(at, '{')) return
    const end = this.#partner.get(at) ?? at
    for (let key = at + 1; key < end; key = this.#skipTo(key, end, ',') + 1)
      if (this.#isName(key) && this.#isMark(key + 1, ':')) this.#add(key, 'property', kind)
  }

  /** Reads the labels or types after a colon, unless the colon belongs to a key of a map or to `IS :: TYPE`. */
  #readLabels(colon: number, open: number): void {
    if (this.#isMark(colon - 1, ':') || this.#isMark(colon + 1, ':')) return
    const isKey =
      this.#isMark(open, '{') &&
      this.#isName(colon - 1) &&
      (colon - 2 === open || this.#isMark(colon - 2, ','))
    if (isKey) return
    const as = this.#labelKind(colon, open)
    const mayBeOr = !this.#isMark(open, '[') || as === 'type'
    for (let at = colon + 1; ; at++) {
      while (this.#isMark(at, '!(')) at++
      if (!this.#isName(at) && !this.#isMark(at, '%')) return
      if (this.#isName(at)) this.#add(at, as)
      while (this.#isMark(at + 1, ')') && (this.#partner.get(at + 1) ?? -1) > colon) at++
      if (!this.#isMark(at + 1, '&') && !(mayBeOr && this.#isMark(at + 1, '|'))) return
      at++
      if (this.#isMark(at + 1, ':')) return // the next colon is read separately
    }
  }

  #labelKind(colon: number, open: number): NameKind {
    if (this.#isMark(open, '[') && this.#isMark(open - 1, '-') && !this.#hasWhere(open, colon)) return 'type'
    const owner = this.#isName(colon - 1) ? this.#variables.get(this.#text(colon - 1)) : 'node'
    if (owner === 'node') return 'label'
    return owner === 'relationship' ? 'type' : 'labelOrType'
  }

  /** True if there is a WHERE between the two tokens. */
  #hasWhere(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (this.#keyword(at) === 'WHERE') return true
    return false
  }

  #readProperty(dot: number): void {
    if (!this.#isName(dot + 1) || this.#isMark(dot + 2, '(')) return
    const brace = this.#projectionAt(dot)
    const end = brace === null ? dot - 1 : brace - 1
    const kind = this.#kindOf(this.#startOfOperand(end), end)
    if (kind === 'node' || kind === 'relationship') this.#add(dot + 1, 'property', kind)
  }

  /** Index of the brace of `n {.slug, .turns}` in which the dot selects a property. */
  #projectionAt(dot: number): number | null {
    if (!this.#isMark(dot - 1, '{,')) return null
    for (let at = dot - 1; at >= 0; at--) {
      if (this.#isMark(at, '{')) return at
      if (this.#isMark(at, ')]}')) at = this.#partner.get(at) ?? 0
      else if (this.#isMark(at, '([')) return null
    }
    return null
  }

  /** Index of the first token of `head(nodes(p))`, `turns[0]` or `t`, whose last token is at `end`. */
  #startOfOperand(end: number): number {
    let at = end
    while (this.#isMark(at, ']')) at = (this.#partner.get(at) ?? 0) - 1
    if (this.#isMark(at, ')')) {
      at = this.#partner.get(at) ?? 0
      if (this.#isName(at - 1)) at--
    }
    return at
  }

  /** Returns the kind of an expression if its variables and functions keep their kind, or null if it is not certain. */
  #kindOf(from: number, to: number): Kind | null {
    let kind: Kind | null = null
    let made: Kind | null = null
    for (let at = from; at <= to; at++) {
      if (this.#isMark(at, '[')) at = this.#partner.get(at) ?? to
      else if (this.#isName(at)) {
        const name = this.#text(at)
        const called = ENTITY_FUNCTIONS.get(name.toLowerCase())
        if (this.#isMark(at + 1, '(')) {
          if (called === undefined) return null
          if (called !== 'same') made ??= called
        } else if (this.#keyword(at) !== 'DISTINCT') {
          const variable = this.#variables.get(name) ?? null
          if (variable === null || (kind !== null && kind !== variable)) return null
          kind = variable
        }
      } else if (!this.#isMark(at, '(),')) return null
    }
    return kind === null ? null : (made ?? kind)
  }

  #bindPath(equals: number): void {
    if (this.#isName(equals - 1) && (this.#isMark(equals + 1, '(') || this.#isMark(equals + 2, '(')))
      if (!this.#isMark(equals - 2, '.')) this.#variables.set(this.#text(equals - 1), 'path')
  }

  /** `expression AS name`: the name is of the expression's kind. */
  #bindAlias(as: number): void {
    let from = as - 1
    while (from > 0 && !this.#isMark(from, ',([{') && !CLAUSES.has(this.#keyword(from)))
      from = this.#isMark(from, ')]}') ? (this.#partner.get(from) ?? 0) - 1 : from - 1
    this.#variables.set(this.#text(as + 1), this.#kindOf(from + 1, as - 1))
  }

  /** `[x IN nodes(p) …]`: the element is of the list's kind. */
  #bindElement(inAt: number): void {
    const end = this.#partner.get(inAt - 2) ?? inAt
    let to = inAt + 1
    while (to < end && !this.#isMark(to, '|') && this.#keyword(to) !== 'WHERE')
      to = (this.#closing(to) ?? to) + 1
    this.#variables.set(this.#text(inAt - 1), this.#kindOf(inAt + 1, to - 1))
  }

  #closing = (at: number): number | undefined => (this.#isMark(at, '([{') ? this.#partner.get(at) : undefined)

  /** Index of the next mark on this level, or the end. */
  #skipTo(from: number, end: number, mark: string): number {
    let at = from
    while (at < end && !this.#isMark(at, mark)) at = (this.#closing(at) ?? at) + 1
    return at
  }

  #add(at: number, as: NameKind, of?: Kind): void {
    this.#uses.push({ token: this.#tokens[at] as Token, as, of })
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

  /** Upper-case text of a word that is neither a property, a label nor a key. */
  #keyword(at: number): string {
    if (this.#tokens[at]?.kind !== 'word' || this.#isMark(at - 1, '.:') || this.#isMark(at + 1, ':'))
      return ''
    return this.#text(at).toUpperCase()
  }
}
