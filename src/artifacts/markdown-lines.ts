/**
 * Reads the headings, list items, paragraphs and fences of a Markdown file, line by line, in time linear in its length. Pure.
 * Source of the rules: CommonMark 0.31, "Lists" and "Headings".
 */

/** Each block has the number of its first line, from 1. */
export type Heading = { kind: 'heading'; line: number; level: number; text: string }
/** An item of a list: its own lines as written, and its nested items. `mark` is `-` or `12.`. */
export type ListItem = { kind: 'item'; line: number; mark: string; lines: string[]; items: ListItem[] }
/** The lines of a paragraph or table, or of a fence with its marks, outside of lists. */
export type Text = { kind: 'paragraph' | 'fence'; line: number; lines: string[] }
export type Block = Heading | ListItem | Text

/** Maximum number of blocks and nested items of a text. A hostile file of 1 MiB can have half a million. */
const MAX_BLOCKS = 100_000

/** Error for a text with more than {@link MAX_BLOCKS} blocks. The message ends a sentence that begins with the text or its file. */
export class TooManyBlocks extends Error {
  constructor(message = `has more than ${MAX_BLOCKS} headings, items and paragraphs`) {
    super(message)
  }
}

/** Reads a part of a file. An error begins with `part`, such as `has the issue 7, which`. @throws {@link TooManyBlocks} */
export function readPart<T>(part: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof TooManyBlocks ? new TooManyBlocks(`${part} ${error.message}`) : error
  }
}

/**
 * @throws {@link TooManyBlocks}
 * @example
 * readBlocks('## Goal\n- one')
 * // [{ kind: 'heading', line: 1, level: 2, text: 'Goal' }, { kind: 'item', line: 2, mark: '-', lines: ['one'], items: [] }]
 */
export function readBlocks(source: string): Block[] {
  const reader = new Reader(new CommentFinder(source))
  let start = 0
  for (const line of source.split('\n')) {
    reader.read(line.endsWith('\r') ? line.slice(0, -1) : line, start)
    start += line.length + 1
  }
  return reader.blocks
}

/** Removes comments from a text, except those in code. An unclosed comment is text. */
export function removeComments(text: string): string {
  const kept: string[] = []
  let from = 0
  for (const { start, end } of new CommentFinder(text).listComments(0, text.length)) {
    kept.push(text.slice(from, start))
    from = end + COMMENT_END.length
  }
  return kept.join('') + text.slice(from)
}

const COMMENT_START = '<!--'
const COMMENT_END = '-->'
/** The mark of a code span or fence, or the start of a comment. */
const MARK = /`+|~{3,}|<!--/g
/** Matches the line break before an empty line, or before a line that can start a block. */
const END_OF_TEXT = /\n[ \t]*(?:[\r\n]|[-*+•◦●○▪>#|]|\d{1,9}[.)]|`{3}|~{3})/g

type Comment = { start: number; end: number }

/** Finds the lines that begin within a comment. Code spans end with their block, and comments do not. */
class CommentFinder {
  readonly #source: string
  readonly #lastEnd: number
  #comment: Comment = { start: 0, end: -COMMENT_END.length }
  /** The comments behind {@link #comment} that begin before {@link #textEnd}. */
  #following: Iterator<Comment> = [].values()
  #textEnd = 0

  constructor(source: string) {
    this.#source = source
    this.#lastEnd = source.lastIndexOf(COMMENT_END)
  }

  /** Finds the comments of the block of a line without code. The places must be ascending. */
  readLine(start: number): void {
    if (start < this.#textEnd) return
    END_OF_TEXT.lastIndex = start
    this.#textEnd = END_OF_TEXT.exec(this.#source)?.index ?? this.#source.length
    const from = Math.max(start, this.#comment.end + COMMENT_END.length)
    this.#following = this.listComments(from, this.#textEnd)
  }

  /** The lines before the place must have been read. The places must be ascending. */
  startsWithin(place: number): boolean {
    while (this.#comment.end < place) {
      const next = this.#following.next()
      if (next.done === true) return false
      this.#comment = next.value
    }
    return this.#comment.start < place
  }

  /** Lists the comments that begin in a part of the source. A comment or code span hides the marks in it. */
  *listComments(from: number, to: number): Generator<Comment, undefined> {
    const text = this.#source.slice(from, to)
    const lastPlaces = new Map<string, number>()
    for (const { 0: mark, index } of text.matchAll(MARK)) lastPlaces.set(mark, index)
    let code: string | null = null
    let behind = from
    for (const { 0: mark, index } of text.matchAll(MARK)) {
      const start = from + index
      if (start < behind) continue
      if (code !== null) code = mark === code ? null : code
      else if (mark !== COMMENT_START) code = lastPlaces.get(mark) === index ? null : mark
      else if (start + mark.length <= this.#lastEnd) {
        const end = this.#source.indexOf(COMMENT_END, start + mark.length)
        yield { start, end }
        behind = end + COMMENT_END.length
      }
    }
  }
}

/** Lists the content of each fenced block that begins in the first column or after spaces. The last one may be unclosed. */
export function listFencedBlocks(text: string): string[] {
  const blocks: string[][] = []
  let fence: string | null = null
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line.trim())?.[1]
    if (fence === null) {
      if (mark === undefined) continue
      fence = mark
      blocks.push([])
    } else if (mark?.startsWith(fence) && line.trim() === mark) fence = null
    else blocks.at(-1)?.push(line)
  }
  return blocks.map((lines) => lines.join('\n'))
}

type OpenItem = { item: ListItem; content: number }

const BREAK = /^([-*_])[ \t]*(?:\1[ \t]*){2,}$/
/** Matches the mark of a list item. A list that was copied from a word processor has other bullets at each level. */
const ITEM = /^([-*+•◦●○▪]|\d{1,9}[.)])([ \t]+|$)/
/** The space may be missing after two or more marks, because people and agents leave it out. */
const HEADING = /^(#{1,6})(?:[ \t]|$|(?<=##)(?=[^#]))/
/** Tag that begins or ends a folded part. It ends a list. */
const FOLD = /^<\/?(?:details|summary)\b/i
/** The tags of folded parts, and the title between those of a summary, say nothing of their own. */
const FOLD_TAGS = /<summary\b[^<>]*>[^<>]*<\/summary>|<\/?(?:details|summary)\b[^<>]*>/gi
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/
const UNDERLINE = /^(?:=+|-+)$/

class Reader {
  readonly blocks: Block[] = []
  readonly #comments: CommentFinder
  readonly #open: OpenItem[] = []
  #count = 0
  #line = 0
  /** The open paragraph outside of lists. A following line of `=` or `-` makes it a heading. */
  #paragraph: Text | null = null
  /** `text` is the block of a fence outside of lists. */
  #fence: { mark: string; content: number; text: Text | null } | null = null
  #isAfterBlank = true

  constructor(comments: CommentFinder) {
    this.#comments = comments
  }

  read(line: string, start: number): void {
    this.#line++
    const { indent, rest } = measureIndent(line)
    // A fence ends with its list item.
    if (rest !== '' && indent < (this.#fence?.content ?? 0)) this.#endFence()
    if (this.#fence !== null) return void this.#readFenced(this.#fence.mark, rest)
    if (rest === '') return void this.#readBlank()
    if (this.#comments.startsWithin(start)) this.#append(rest)
    else if (this.#isCode(indent)) return
    else if (indent - (this.#enclosing(indent)?.content ?? 0) > 3) this.#readText(indent, rest)
    else if (FENCE.test(rest)) return void this.#openFence(indent, rest)
    else this.#readBlock(indent, rest)
    this.#comments.readLine(start)
  }

  #isCode(indent: number): boolean {
    return this.#open.length === 0 && this.#paragraph === null && indent > 3
  }

  #readBlock(indent: number, rest: string): void {
    const isInItem = this.#enclosing(indent) !== undefined
    const isInParagraph = this.#paragraph !== null
    const level = HEADING.exec(rest)?.[1]?.length
    const item = ITEM.exec(rest)
    if (isInParagraph && UNDERLINE.test(rest.trimEnd())) this.#readUnderline(rest)
    else if (BREAK.test(rest)) this.#close(indent)
    else if (level !== undefined && !isInItem) this.#readHeading(level, rest)
    else if (item !== null && (!isInParagraph || startsList(item[1] ?? '', rest)))
      this.#readItem(indent, item[0], item[1] ?? '', rest)
    else if (rest.startsWith('>') && !isInItem) this.#close(0)
    else if (FOLD.test(rest)) this.#readFold(indent, rest)
    else this.#readText(indent, rest)
  }

  /**
   * Returns the innermost item whose text begins at or left of a column. Starts at the outermost item: any number of items can be
   * open, but only as many can match as the line has columns of indentation.
   */
  #enclosing(indent: number): OpenItem | undefined {
    let found: OpenItem | undefined
    for (const each of this.#open) {
      if (each.content > indent) break
      found = each
    }
    return found
  }

  #readBlank(): void {
    this.#isAfterBlank = true
    this.#paragraph = null
  }

  #readFenced(mark: string, rest: string): void {
    this.#append(rest)
    const isEnd = rest.startsWith(mark) && [...rest.trimEnd()].every((character) => character === mark[0])
    if (isEnd) this.#endFence()
  }

  #endFence(): void {
    this.#fence = null
    this.#paragraph = null
    this.#isAfterBlank = true
  }

  #openFence(indent: number, rest: string): void {
    this.#close(indent)
    const inner = this.#open.at(-1)
    const text = inner === undefined ? this.#startText('fence') : null
    this.#fence = { mark: FENCE.exec(rest)?.[0] ?? '', content: inner?.content ?? 0, text }
    this.#append(rest)
  }

  #readHeading(level: number, rest: string): void {
    this.#close(0)
    this.#countBlock()
    const text = withoutClosingMarks(rest.slice(level).trim())
    this.blocks.push({ kind: 'heading', line: this.#line, level, text })
  }

  #readUnderline(rest: string): void {
    const { line = this.#line, lines = [] } = this.#paragraph ?? {}
    this.#close(0)
    this.blocks.pop()
    this.blocks.push({ kind: 'heading', line, level: rest.startsWith('=') ? 1 : 2, text: lines.join('\n') })
  }

  #readItem(indent: number, start: string, mark: string, rest: string): void {
    this.#close(indent)
    const text = rest.slice(start.length)
    const width = columnsOf(start, indent)
    const isCode = text === '' || width - mark.length > 4
    this.#countBlock()
    const item: ListItem = { kind: 'item', line: this.#line, mark, lines: [], items: [] }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.blocks.push(item)
    else parent.item.items.push(item)
    this.#open.push({ item, content: indent + (isCode ? mark.length + 1 : width) })
    this.#append(text)
  }

  #readText(indent: number, rest: string): void {
    const hasText = this.#open.at(-1)?.item.lines.some((line) => line !== '') === true
    // A line without indentation continues the paragraph above it.
    if (this.#open.length > 0 && (this.#isAfterBlank || !hasText)) this.#close(indent)
    this.#append(rest)
  }

  #readFold(indent: number, rest: string): void {
    this.#close(indent)
    const text = rest.replace(FOLD_TAGS, '').trim()
    if (text !== '') this.#append(text)
    this.#paragraph = null
  }

  #append(text: string): void {
    const inner = this.#open.at(-1)?.item ?? this.#fence?.text ?? this.#paragraph
    if (inner === null) this.#paragraph = this.#startText('paragraph')
    ;(inner ?? this.#paragraph)?.lines.push(text)
    this.#isAfterBlank = false
  }

  #startText(kind: Text['kind']): Text {
    this.#countBlock()
    const text: Text = { kind, line: this.#line, lines: [] }
    this.blocks.push(text)
    return text
  }

  #countBlock(): void {
    if (++this.#count > MAX_BLOCKS) throw new TooManyBlocks()
  }

  #close(indent: number): void {
    while ((this.#open.at(-1)?.content ?? 0) > indent) this.#open.pop()
    this.#paragraph = null
  }
}

/** Within a paragraph, only a bullet with a text, or the number 1, starts a list. */
const startsList = (mark: string, rest: string): boolean =>
  rest.trimEnd() !== mark && (!/^\d/.test(mark) || mark.slice(0, -1) === '1')

function measureIndent(line: string): { indent: number; rest: string } {
  let start = 0
  let indent = 0
  for (; line[start] === ' ' || line[start] === '\t'; start++)
    indent += line[start] === '\t' ? 4 - (indent % 4) : 1
  const rest = line.slice(start)
  return { indent, rest: rest.trim() === '' ? '' : rest }
}

/** Counts the columns of a text. A tab ends at a multiple of four. */
function columnsOf(text: string, from: number): number {
  let column = from
  for (const character of text) column += character === '\t' ? 4 - (column % 4) : 1
  return column - from
}

/** Removes closing marks: `## Goal ##` is the heading `Goal`. */
function withoutClosingMarks(text: string): string {
  let end = text.length
  while (text[end - 1] === '#') end--
  if (end === 0) return ''
  return end < text.length && /[ \t]/.test(text[end - 1] ?? '') ? text.slice(0, end).trimEnd() : text
}
