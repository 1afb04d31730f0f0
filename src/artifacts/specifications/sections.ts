/** Reads a Markdown file as a list of sections, each below a heading or a line that acts as one. Pure. */
import { plural } from '../../core/plural.ts'
import { type ListItem, readBlocks, type Text } from '../markdown-lines.ts'
import { type FrontMatter, namesOf, splitFrontMatter } from './front-matter.ts'
import { cleanText, type StatedList } from './stated.ts'

export type Section = {
  /** Heading; empty for the text above the first heading. */
  title: string
  level: number
  line: number
  /** The sections that contain this one, outermost first. */
  parents: readonly Section[]
  items: ListItem[]
  texts: Text[]
}

export type Document = FrontMatter & {
  taskId: string | null
  featureId: string | null
  sections: Section[]
}

export function readDocument(source: string): Document {
  const front = splitFrontMatter(source)
  return { ...front, ...namesOf(front), sections: readSections(front.body, front.offset) }
}

/** A bold line alone acts as a heading below all real ones: `**Acceptance Scenarios**:`. */
export const BOLD_LEVEL = 7
/** A line with a colon that names criteria: `Acceptance criteria:`. */
const COLON_LEVEL = 8
const BOLD_LINE = /^(\*\*|__)((?:(?!\1).)+)\1$/
/** Matches the bold start of a heading: `### **Scenario:** Login`. */
const BOLD_START = /^\*\*(.+?)\*\*/
const COLON_LINE = /^[^*_|].{0,80}[:：][ \t]*$/

export function readSections(body: string, offset = 0): Section[] {
  const sections: Section[] = []
  let open: Section[] = []
  const start = (title: string, level: number, line: number): void => {
    open = open.filter((section) => section.level < level)
    const section = { title, level, line: line + offset, parents: open, items: [], texts: [] }
    sections.push(section)
    open = [...open, section]
  }
  start('', 0, 1)
  for (const block of readBlocks(body)) {
    const section = sections.at(-1)
    if (block.kind === 'heading') start(block.text.replace(BOLD_START, '$1'), block.level, block.line)
    else if (block.kind === 'item') section?.items.push(moveDown(block, offset))
    else if (block.kind === 'fence') section?.texts.push({ ...block, line: block.line + offset })
    else addParagraph(block)
  }
  return sections

  function addParagraph({ kind, line, lines }: Text): void {
    let text: Text | null = null
    for (const [i, each] of lines.entries()) {
      const title = readTitle(each.trim())
      if (title !== null) {
        start(title.text, title.level, line + i)
        text = null
      } else if (text === null) {
        text = { kind, line: line + i + offset, lines: [each] }
        sections.at(-1)?.texts.push(text)
      } else text.lines.push(each)
    }
  }
}

function readTitle(line: string): { text: string; level: number } | null {
  const bold = BOLD_LINE.exec(withoutColon(line))?.[2]
  if (bold !== undefined) return { text: withoutColon(bold), level: BOLD_LEVEL }
  return COLON_LINE.test(line) && NAMES_CRITERIA.test(line)
    ? { text: withoutColon(line), level: COLON_LEVEL }
    : null
}

function withoutColon(text: string): string {
  const trimmed = text.trim()
  return /[:：]$/.test(trimmed) ? trimmed.slice(0, -1).trim() : trimmed
}

const moveDown = (item: ListItem, offset: number): ListItem =>
  offset === 0
    ? item
    : { ...item, line: item.line + offset, items: item.items.map((each) => moveDown(each, offset)) }

export const NAMES_CRITERIA = /acceptance\s+criteria/i

/** Matches a heading that may introduce criteria, in several languages. */
const LOOKS_LIKE_CRITERIA =
  /acceptance|acceptatie|acceptatiecriteria|criteri|critère|criterio|critério|kryteri|akzeptanz|kriterien|критери|критері|приемк|приёмк|受け入れ|受入|验收|驗收|수락|인수|definition of done|done when|must haves?/i

/** Joins the words of an item and its nested items, without check boxes. With `nested`, each item is a separate text. */
export function collectTexts(item: ListItem, nested = false): { text: string; line: number }[] {
  const texts = listItems(item).map(({ line, lines }) => ({ text: lines.join('\n'), line }))
  if (nested) return texts
  const [own = '', ...below] = texts.map(({ text }) => text)
  return [{ text: [own, ...below.map(cleanText)].join('\n'), line: item.line }]
}

export const listParts = ({ items, texts }: Pick<Section, 'items' | 'texts'>, nested = false) => [
  ...items.flatMap((item) => collectTexts(item, nested)),
  ...texts.map(({ line, lines }) => ({ line, text: lines.join('\n') })),
]

const listItems = (item: ListItem): ListItem[] => [item, ...item.items.flatMap(listItems)]

export function warnOfUnread(
  sections: readonly Section[],
  wasRead: (section: Section) => boolean,
  list: StatedList,
): void {
  for (const section of sections) {
    if (wasRead(section)) continue
    const found = LOOKS_LIKE_CRITERIA.test(section.title) ? describeContent(section) : null
    if (found !== null) list.warn(section.line, `${quoteTitle(section)} is not read: it has ${found}`)
    for (const { line, lines } of section.texts)
      for (const [i, text] of lines.entries())
        if (INLINE_CRITERIA.test(text)) list.warn(line + i, 'a paragraph of acceptance criteria is not read')
  }
}

/** Matches `**Acceptance criteria:** The user logs in`. */
const INLINE_CRITERIA = /^[ \t*_>]*acceptance[ \t]+criteria[*_]*[:：]/i

/** Splits lines at those that begin with a label. Lines above the first one are left out. */
export function splitAtLabels(
  lines: readonly string[],
  first: number,
  split: (line: string) => { label: string | null; text: string },
): { label: string; text: string; line: number }[] {
  const found: { label: string; text: string; line: number }[] = []
  for (const [i, each] of lines.entries()) {
    const { label, text } = split(each)
    const last = found.at(-1)
    if (label !== null) found.push({ label, text, line: first + i })
    else if (last !== undefined) last.text += `\n${each}`
  }
  return found
}

export const quoteTitle = ({ title }: Section): string => JSON.stringify(title.slice(0, 80))

export function describeContent({ items, texts }: Section): string | null {
  const parts = [
    countNoun(items.length, 'item'),
    countNoun(texts.filter(isTable).length, 'table'),
    countNoun(texts.filter(({ kind }) => kind === 'fence').length, 'fenced block'),
    countNoun(texts.filter((text) => text.kind === 'paragraph' && !isTable(text)).length, 'paragraph'),
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(', ')
}

export const countNoun = (count: number, noun: string): string | null =>
  count === 0 ? null : plural(count, noun)

export const isTable = ({ kind, lines }: Text): boolean =>
  kind === 'paragraph' && lines.some((line) => line.trimStart().startsWith('|'))
