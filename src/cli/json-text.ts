/**
 * Edits the text of a JSON file with comments. jsonc-parser finds the places; its own `modify` is not used, because it reformats
 * the neighbors of an edit, and deletes comments next to a removed item.
 */
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser'

export type Place = readonly (string | number)[]

export const itemsOf = (value: unknown): (string | number)[] =>
  Array.isArray(value)
    ? [...value.keys()]
    : typeof value === 'object' && value !== null
      ? Object.keys(value)
      : []

const COMMENTS = new Set([12, 13])
const TRIVIA = new Set([...COMMENTS, 14, 15])
const COMMA = 5
const END = 17

/** Maximum depth of nested JSON, because the parser is recursive. */
const MAX_DEPTH = 200

export class JsonText {
  #text: string
  #root: Node

  private constructor(text: string, root: Node) {
    this.#text = text
    this.#root = root
  }

  /** Parses JSON with comments and trailing commas; null for any other text. An empty text is an empty object. */
  static parse(given: string): JsonText | null {
    const text = given.replace(/^(\uFEFF?)\s*$/, '$1{}')
    const root = treeOf(text)
    return root === null ? null : new JsonText(text, root)
  }

  get text(): string {
    return this.#text
  }

  at(place: Place): unknown {
    const node = this.#nodeAt(place)
    return node && getNodeValue(node)
  }

  /** Checks that the list or object at a place has no items and no comments. */
  isBare(place: Place): boolean {
    const node = this.#nodeAt(place)
    return node?.children?.length === 0 && !this.hasComment(place)
  }

  hasComment(place: Place): boolean {
    const node = this.#nodeAt(place)
    if (node === undefined) return false
    const scanner = createScanner(this.#text)
    scanner.setPosition(node.offset)
    for (let kind = scanner.scan() as number; kind !== END; kind = scanner.scan() as number) {
      if (scanner.getTokenOffset() >= node.offset + node.length) return false
      if (COMMENTS.has(kind)) return true
    }
    return false
  }

  /** Appends an item to the list at a place. Makes the list, and the objects around it, if they do not exist. */
  append(place: Place, item: unknown): void {
    const list = this.#nodeAt(place)
    if (list === undefined) this.addProperty(place, [item])
    else this.#insert(list, null, item)
  }

  /** Adds a missing property, and the missing objects around it. */
  addProperty(place: Place, value: unknown): void {
    this.#openBareRoot()
    let depth = place.length - 1
    let inner = value
    while (this.#nodeAt(place.slice(0, depth)) === undefined) {
      inner = { [String(place[depth])]: inner }
      depth--
    }
    const parent = this.#nodeAt(place.slice(0, depth))
    if (parent !== undefined) this.#insert(parent, String(place[depth]), inner)
  }

  /** Removes the item of a list or the property of an object. Adjacent comments stay. */
  remove(place: Place): void {
    const found = this.#nodeAt(place)
    const item = found?.parent?.type === 'property' ? found.parent : found
    const siblings = item?.parent?.children
    if (item === undefined || siblings === undefined) return
    const [start, end] = [item.offset, item.offset + item.length]
    const before = siblings[siblings.indexOf(item) - 1]
    const comma = this.#commaAfter(end)
    if (comma !== null)
      this.#cut(
        [
          { start, end },
          { start: comma, end: comma + 1 },
        ],
        start,
      )
    else {
      const previous = before === undefined ? null : this.#commaAfter(before.offset + before.length)
      const cuts = previous === null ? [] : [{ start: previous, end: previous + 1 }]
      this.#cut([...cuts, { start, end }], start - cuts.length)
    }
  }

  /** Writes an empty file as an object on two lines, so that each property gets a line of its own. */
  #openBareRoot(): void {
    if (!this.isBare([]) || this.#format.unit !== '') return
    const mark = this.#text.startsWith('\uFEFF') ? '\uFEFF' : ''
    this.#replace(`${mark}{\n}\n`)
  }

  #nodeAt(place: Place): Node | undefined {
    return place.length === 0 ? this.#root : findNodeAtLocation(this.#root, [...place])
  }

  #insert(container: Node, key: string | null, value: unknown): void {
    const text = this.#text
    const close = container.offset + container.length - 1
    const closeLine = text.lastIndexOf('\n', close - 1) + 1
    const indent = /^[ \t]*/.exec(text.slice(closeLine))?.[0] ?? ''
    const { eol, unit } = this.#format
    const inner = `${indent}${unit}`
    const lines = inner + this.#render(key, value, unit).replaceAll('\n', `${eol}${inner}`)
    const inLine = (unit === '' ? '' : ' ') + this.#render(key, value, '')
    const last = container.children?.at(-1)
    const end = last === undefined ? container.offset + 1 : last.offset + last.length
    const comma = last === undefined ? null : this.#commaAfter(end)
    const needsComma = last !== undefined && comma === null
    if (closeLine > end && text.slice(closeLine, close).trim() === '') {
      const line = `${lines}${comma === null ? '' : ','}${eol}`
      this.#add([...(needsComma ? [{ at: end, text: ',' }] : []), { at: closeLine, text: line }])
    } else if (last === undefined) {
      this.#add([{ at: close, text: unit === '' ? inLine : `${eol}${lines}${eol}${indent}` }])
    } else {
      this.#add([
        needsComma ? { at: end, text: `,${inLine}` } : { at: (comma ?? end) + 1, text: `${inLine},` },
      ])
    }
  }

  /** Line ends and indentation of the text; no indentation if the text is one line. */
  get #format(): { eol: string; unit: string } {
    const isOneLine = !this.#text.trimEnd().includes('\n')
    return {
      eol: this.#text.includes('\r\n') ? '\r\n' : '\n',
      unit: isOneLine ? '' : (/\n([ \t]+)\S/.exec(this.#text)?.[1] ?? '  '),
    }
  }

  #render(key: string | null, value: unknown, unit: string): string {
    const name = key === null ? '' : `${JSON.stringify(key)}:${this.#format.unit === '' ? '' : ' '}`
    return `${name}${JSON.stringify(value, null, unit)}`
  }

  #add(inserts: readonly { at: number; text: string }[]): void {
    this.#replace(
      inserts.reduceRight((now, { at, text }) => now.slice(0, at) + text + now.slice(at), this.#text),
    )
  }

  /** Removes ranges of the text, and the line of `at` if only white space remains. */
  #cut(ranges: readonly { start: number; end: number }[], at: number): void {
    const rest = ranges.reduceRight((now, { start, end }) => now.slice(0, start) + now.slice(end), this.#text)
    const lineStart = rest.lastIndexOf('\n', at - 1) + 1
    const newline = rest.indexOf('\n', at)
    const lineEnd = newline < 0 ? rest.length : newline + 1
    const left = rest.slice(lineStart, at)
    if (lineStart > 0 && left.trim() === '' && rest.slice(at, lineEnd).trim() === '') {
      this.#replace(rest.slice(0, lineStart) + rest.slice(lineEnd))
      return
    }
    const [before, after] = [rest.slice(0, at), rest.slice(at)]
    this.#replace(
      /(^|[[{])[ \t]*$/.test(left)
        ? before + after.replace(/^[ \t]+/, '')
        : before.replace(/[ \t]+$/, '') + after,
    )
  }

  #commaAfter(offset: number): number | null {
    const scanner = createScanner(this.#text)
    scanner.setPosition(offset)
    let kind = scanner.scan() as number
    while (TRIVIA.has(kind)) kind = scanner.scan() as number
    return kind === COMMA ? scanner.getTokenOffset() : null
  }

  #replace(text: string): void {
    const root = treeOf(text)
    if (root === null) throw new Error('an edit of JSON broke it')
    this.#text = text
    this.#root = root
  }
}

function treeOf(text: string): Node | null {
  if (depthOf(text) > MAX_DEPTH) return null
  const errors: ParseError[] = []
  const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true })
  return errors.length === 0 ? (root ?? null) : null
}

/** Returns an upper bound of the nesting depth of lists and objects. It also counts brackets in texts. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const character of text) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth)
    else if (character === ']' || character === '}') depth--
  }
  return deepest
}
