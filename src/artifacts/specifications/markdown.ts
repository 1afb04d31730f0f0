/** Reads any Markdown file: the items of every section "Acceptance Criteria" (contract: doors.md, 3). Pure. */
import type { ListItem } from '../markdown-lines.ts'
import {
  collectTexts,
  describeContent,
  isTable,
  NAMES_CRITERIA,
  quoteTitle,
  readDocument,
  type Section,
  warnOfUnread,
} from './sections.ts'
import { type ReadOptions, type Stated, StatedList } from './stated.ts'

/**
 * @example
 * readMarkdown('# Retry\n## Acceptance criteria\n- [ ] AC-1: An unknown host is retried', { path: 'TASK-1.md' })
 */
export function readMarkdown(source: string, { nested = false }: ReadOptions): Stated {
  const { taskId, featureId, sections } = readDocument(source)
  const { list, none } = readCriteriaSections(sections, nested)
  return list.toStated({ taskId, featureId }, none)
}

/** Reads the sections of acceptance criteria of a document. */
export function readCriteriaSections(
  sections: readonly Section[],
  nested: boolean,
): { list: StatedList; none: string } {
  const list = new StatedList()
  const prefixes = new Map<Section, string>()
  const tops = new Set<Section>()
  for (const section of sections) {
    const top = findCriteriaSection(section)
    if (top === null) {
      for (const item of section.items) readNestedSection(item, list, nested)
      continue
    }
    tops.add(top)
    const prefix = prefixes.get(top) ?? choosePrefix(top, prefixes.size + 1)
    prefixes.set(top, prefix)
    for (const item of section.items)
      for (const each of collectTexts(item, nested)) list.add({ ...each, section: prefix })
    const others = describeContent({ ...section, items: [], texts: section.texts.filter(looksLikeCriteria) })
    if (others !== null) list.warn(section.line, `${quoteTitle(section)} has ${others} that is not read`)
  }
  const wasRead = (section: Section) => findCriteriaSection(section) !== null
  warnOfUnread(sections, wasRead, list)
  return { list, none: explainNone(sections, tops, list) }
}

/** The outermost section of criteria that contains a section, or is it. */
const findCriteriaSection = (section: Section): Section | null =>
  [...section.parents, section].find(({ title }) => NAMES_CRITERIA.test(title)) ?? null

/** Reads `- **Acceptance Criteria**:` with its nested items. */
function readNestedSection(item: ListItem, list: StatedList, nested: boolean): void {
  const own = item.lines.join(' ')
  const isTitle =
    own.length < 80 && NAMES_CRITERIA.test(own) && /^[\s*_]*acceptance\s+criteria[\s*_:：]*$/i.test(own)
  for (const below of item.items)
    if (!isTitle) readNestedSection(below, list, nested)
    else for (const each of collectTexts(below, nested)) list.add(each)
}

/** The label of the heading above, such as `R1` of "Requirement 1", or the place of the section. */
function choosePrefix({ parents }: Section, place: number): string {
  for (const { title } of parents.toReversed()) {
    const [, word = '', number] =
      /^(\p{L}+(?:[ -]\p{L}+)?)[ -]?(\d{1,4}(?:\.\d{1,4})*)(?![\p{L}\p{N}])/u.exec(title) ?? []
    if (number !== undefined) return `${word.replace(/(\p{L})\p{Ll}*[ -]?/gu, '$1').toUpperCase()}${number}`
  }
  return `R${place}`
}

/** Fenced blocks of commands and plain paragraphs explain the items. */
const looksLikeCriteria = (text: Section['texts'][number]): boolean =>
  isTable(text) ||
  text.lines.some((line) => /^\s*(?:\*\*)?(?:Given|When|Then|Scenario|WHEN|THEN)\b/.test(line))

function explainNone(sections: readonly Section[], tops: ReadonlySet<Section>, list: StatedList): string {
  const titles = sections
    .filter(({ level }) => level > 0 && level < 7)
    .map(({ title }) => JSON.stringify(title))
  const seen = `Headings: ${titles.length === 0 ? 'none' : titles.slice(0, 10).join(', ')}`
  if (tops.size === 0) return `it has no heading "Acceptance Criteria". ${seen}`
  if (list.added === 0) return `there is no list under its heading "Acceptance Criteria". ${seen}`
  return `no item under its heading "Acceptance Criteria" has words. ${seen}`
}
