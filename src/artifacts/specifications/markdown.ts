/** Reads any Markdown file: the items of every section "Acceptance Criteria" (contract: doors.md, 3). Pure. */
import { normalizeLabel, splitLabel } from '../../rules/labels.ts'
import type { ListItem, Text } from '../markdown-lines.ts'
import {
  BOLD_LEVEL,
  collectTexts,
  describeContent,
  isTable,
  listParts,
  NAMES_CRITERIA,
  quoteTitle,
  readDocument,
  type Section,
  warnOfUnread,
} from './sections.ts'
import { cleanText, hasCheckBox, type ReadOptions, type Stated, StatedList } from './stated.ts'

/** @example readMarkdown('# Retry\n## Acceptance criteria\n- [ ] AC-1: Unknown hosts are retried', { path: 'TASK-1.md' }) */
export function readMarkdown(source: string, { nested = false }: ReadOptions): Stated {
  const { taskId, featureId, sections } = readDocument(source)
  const { list, none } = readCriteriaSections(sections, nested)
  return list.toStated({ taskId, featureId }, none)
}

export function readCriteriaSections(
  sections: readonly Section[],
  nested: boolean,
): { list: StatedList; none: string } {
  const list = new StatedList()
  const prefixes = new Map<Section, string>()
  const tops = new Set<Section>()
  moveTitlesToItems(sections, nested)
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

const findCriteriaSection = (section: Section): Section | null =>
  [...section.parents, section].find(({ title }) => NAMES_CRITERIA.test(title)) ?? null

/**
 * Converts headings and paragraphs that state a criterion to items. Changes the sections.
 * - A heading such as `### AC-3: Title` or `### Scenario: Title` becomes one item, with the content below it.
 * - If the heading has several criteria below it (`isOneCriterion`), those without a label get one: `AC-3.1`, `AC-3.2`.
 * - A paragraph that begins with a label or with `Given` becomes one item.
 */
function moveTitlesToItems(sections: readonly Section[], nested: boolean): void {
  const wholes = new Map<Section, ListItem>()
  const counts = new Map<Section, number>()
  const taken = findLabels(sections)
  /** Adds a label to a text without one, if a section around it has a label. */
  const addLabel = (text: string, chain: readonly Section[]): string => {
    const labeled = chain.find((each) => labelOf(each) !== null)
    if (labeled === undefined || splitLabel(text).label !== null) return text
    let count = counts.get(labeled) ?? 0
    do count++
    while (taken.has(normalizeLabel(`${labelOf(labeled)}.${count}`)))
    counts.set(labeled, count)
    return `${labelOf(labeled)}.${count}: ${text}`
  }
  for (const [i, section] of sections.entries()) {
    const top = findCriteriaSection(section)
    if (top === null) continue
    const upwards = [section, ...section.parents.toReversed()]
    const chain = upwards.slice(0, upwards.indexOf(top))
    const owner = chain.find((each) => readTitle(each) !== null)
    if (owner === section && isOneCriterion(section, listBelow(sections, i), nested))
      wholes.set(section, { kind: 'item', line: section.line, mark: '-', lines: [], items: [] })
    const whole = owner && wholes.get(owner)
    if (whole !== undefined) {
      const title = owner === section ? addLabel(readTitle(section) ?? '', chain) : section.title
      const parts = listParts(section).sort((a, b) => a.line - b.line)
      whole.lines.push(`${title}${parts.length > 0 ? ':' : ''}`, ...parts.map(({ text }) => cleanText(text)))
      Object.assign(section, { items: owner === section ? [whole] : [], texts: [] })
      continue
    }
    for (const item of owner === undefined ? [] : section.items)
      item.lines = [addLabel(cleanText(item.lines.join('\n')), chain)]
    moveParagraphsToItems(section)
  }
}

function findLabels(sections: readonly Section[]): ReadonlySet<string> {
  const stated = sections.filter((section) => findCriteriaSection(section) !== null)
  const labels = stated.flatMap((section) => [
    labelOf(section),
    ...section.items.map(({ lines }) => splitLabel(cleanText(lines.join('\n'))).label),
  ])
  return new Set(labels.flatMap((label) => (label === null ? [] : [normalizeLabel(label)])))
}

const labelOf = (section: Section): string | null => splitLabel(readTitle(section) ?? '').label

const SCENARIO = /^Scenario(?: Outline)?(?: \d{1,4})? ?(?:[:：–—]|-(?=\s)) *(?=\S)/i
const SPACED_LABEL = /^(AC[-_]?\d{1,4}) +(?=\S)/i

/** Returns the criterion that a heading states, such as `AC-3: Title` or the name of a scenario; null if it states none. */
function readTitle({ title }: Section): string | null {
  if (SCENARIO.test(title)) return title.replace(SCENARIO, '')
  if (splitLabel(title).label !== null) return title
  return SPACED_LABEL.test(title) ? title.replace(SPACED_LABEL, '$1: ') : null
}

function listBelow(sections: readonly Section[], heading: number): readonly Section[] {
  const level = sections[heading]?.level ?? 0
  let end = heading + 1
  while ((sections[end]?.level ?? 0) > level) end++
  return sections.slice(heading + 1, end)
}

/**
 * Checks whether a heading that states a criterion is one criterion with the content below it: the steps of a scenario, text, or
 * a single item. Several items, items with a label or check boxes, and headings directly below it are several criteria.
 */
function isOneCriterion(section: Section, below: readonly Section[], nested: boolean): boolean {
  const { items, texts } = section
  const [next] = below
  const isEmpty = items.length === 0 && texts.length === 0
  if (isEmpty && next !== undefined && (next.level !== BOLD_LEVEL || readTitle(next) !== null)) return false
  const own = [section, ...below.filter((each) => readTitle(each) === null)]
  const parts = own.flatMap((each) => each.items.flatMap((item) => collectTexts(item, nested)))
  if (parts.some(({ text }) => splitLabel(cleanText(text)).label !== null)) return false
  if (/^[*_`]*(?:given|when)\b/i.test(cleanText(items[0]?.lines[0] ?? ''))) return true
  const isOfCriteria = parts.filter(({ text }) => hasCheckBox(text)).length > 1
  return !isOfCriteria && (items.length <= 1 || SCENARIO.test(section.title))
}

/**
 * Converts lines that begin with a label (`**AC-3**: Title`), the name of a scenario, or `Given` to items. The lines that follow
 * in the paragraph belong to the item, and so do later steps.
 */
function moveParagraphsToItems(section: Section): void {
  /** `isTitle`: the item has a label or the name of a scenario, and no steps yet. */
  let last: { item: ListItem; text: Text; isTitle: boolean } | null = null
  section.texts = section.texts.filter((text) => {
    // Without a "then" in the paragraph, a "Given" without emphasis may begin an ordinary sentence.
    const hasThen = text.lines.some((line) => /\bthen\b/i.test(line))
    const firstStep = hasThen ? /^[*_]{0,2}given\b/i : /^[*_]{1,2}given\b/i
    const hasSteps = text.lines.some((line) => firstStep.test(line))
    for (const [i, line] of text.kind === 'fence' || isTable(text) ? [] : text.lines.entries()) {
      const isLabeled = /^(?:AC|CRIT|REQ|N?FR|SC)/i.test(splitLabel(line).label ?? '')
      const startsSteps = firstStep.test(line)
      const isName = hasSteps && SCENARIO.test(line)
      if (isLabeled || isName || (startsSteps && !last?.isTitle)) {
        const lines = [isName ? `${line.replace(SCENARIO, '')}:` : line]
        const item: ListItem = { kind: 'item', line: text.line + i, mark: '-', lines, items: [] }
        last = { item, text, isTitle: isName || (isLabeled && !/\bgiven\b/i.test(line)) }
        section.items.push(item)
      } else if (
        last !== null &&
        (startsSteps || last.text === text || /^[\s*_]*(?:when|then|and|but)\b/i.test(line))
      ) {
        last.item.lines.push(line)
        Object.assign(last, { text, isTitle: last.isTitle && !startsSteps })
      }
    }
    return last?.text !== text
  })
  section.items.sort((a, b) => a.line - b.line)
}

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
