/** Reads `spec.md` and `tasks.md` of GitHub's spec-kit. Pure. */
import { splitLabel } from '../../rules/labels.ts'
import type { ListItem, Text } from '../markdown-lines.ts'
import {
  collectTexts,
  countNoun,
  type Document,
  isTable,
  listParts,
  NAMES_CRITERIA,
  quoteTitle,
  readDocument,
  type Section,
  splitAtLabels,
  warnOfUnread,
} from './sections.ts'
import { cleanText, type ReadOptions, type Stated, StatedList } from './stated.ts'

const OF_PATH = /(?:^|\/)specs\/(\d{3,}[\w-]*)\/(?:spec|tasks)\.md$/
const BRANCH = /\*\*Feature Branch\*\*\s*:\s*`?([\w./-]+)/i

/** A task of `tasks.md` may name acceptance criteria. */
const SPEC = /\b(?:FR|SC)-?\d|Acceptance Scenarios|^(?:#{1,6} |\*\*)[^\n]*Acceptance Criteria/im

export function readSpecKit(source: string, options: ReadOptions): Stated {
  const document = readDocument(source)
  const feature = document.featureId ?? OF_PATH.exec(options.path)?.[1] ?? BRANCH.exec(source)?.[1] ?? null
  return /(?:^|\/)tasks\.md$/.test(options.path) || !SPEC.test(source)
    ? readTasks(document, feature, options)
    : readSpec(document, feature)
}

/** Sections whose items with any label are requirements, and whose items without one are named. */
const REQUIREMENTS = /requirements?\b|success criteria|measurable|outcomes/i
const ENTITIES = /entit|assumption|clarification|depend/i
const KNOWN = /^(?:N?FR|SC)(?![A-Za-z])/i

function readSpec({ taskId, sections }: Document, feature: string | null): Stated {
  const list = new StatedList()
  const counts = new Map<string, number>()
  for (const section of sections) {
    const chain = [...section.parents, section].map(({ title }) => title)
    const story = storyOf(chain)
    if (chain.some((title) => SCENARIOS.test(title))) {
      addScenarios(section, story, counts, list)
      continue
    }
    if (isOfCriteria(section)) addCriteria(section, story, counts, list)
    else addRequirements(section, chain, list)
    if (KNOWN.test(section.title) && section.items.length === 0)
      list.warn(section.line, `${quoteTitle(section)} is not read: it is a heading, not an item`)
  }
  const wasRead = (section: Section) =>
    isOfCriteria(section) ||
    [section, ...section.parents].some(({ title }) => READ.some((form) => form.test(title)))
  warnOfUnread(sections, wasRead, list)
  const names = { featureId: feature, taskId: taskId ?? feature }
  return list.toStated(
    names,
    'it has no requirement (FR-001), success criterion (SC-001) or acceptance scenario',
  )
}

const SCENARIOS = /acceptance scenarios?/i
/** Headings without a warning: those of sections that are read, and of the checklist for reviewing the specification itself. */
const READ = [SCENARIOS, REQUIREMENTS, /acceptance checklist/i]

/** The title of a document may be about acceptance criteria, too. */
const isOfCriteria = (section: Section): boolean =>
  [...section.parents, section].some(({ title, level }) => level > 1 && NAMES_CRITERIA.test(title))

/** `US1.` of "User Story 1 - Title"; `AS-` without a number. */
function storyOf(chain: readonly string[]): string {
  for (const title of chain.toReversed()) {
    const number = /\bstory\s+(\d+(?:\.\d+)*)/i.exec(title)?.[1]
    if (number !== undefined) return `US${number}.`
  }
  return 'AS-'
}

function addScenarios(
  { items, texts }: Pick<Section, 'items' | 'texts'>,
  story: string,
  counts: Map<string, number>,
  list: StatedList,
): void {
  const paragraphs = texts.filter(({ lines }) => lines.some((line) => /\bgiven\b/i.test(line)))
  for (const each of listParts({ items, texts: paragraphs }).sort((a, b) => a.line - b.line)) {
    const count = (counts.get(story) ?? 0) + 1
    counts.set(story, count)
    list.add({ ...each, text: each.text.replace(KEYWORD, '$1'), criterionId: `${story}${count}` })
  }
}

/** Adds the items, rows and paragraphs with a label. The others are scenarios. */
function addCriteria(section: Section, story: string, counts: Map<string, number>, list: StatedList): void {
  for (const part of [...section.items, ...section.texts].sort((a, b) => a.line - b.line)) {
    const found = part.kind === 'item' ? listLabeled(part) : readText(part)
    const labeled = found.filter(({ label }) => label !== null)
    for (const { label, text, line } of labeled)
      list.add({ text, line, criterionId: label, section: story.slice(0, -1) })
    if (labeled.length > 0) warnOfUnlabeled(section, found, list)
    else if (part.kind === 'item') addScenarios({ items: [part], texts: [] }, story, counts, list)
    else if (isTable(part)) list.warn(part.line, `${quoteTitle(section)} has 1 table that is not read`)
    else addScenarios({ items: [], texts: [part] }, story, counts, list)
  }
}

const KEYWORD = /(?:\*\*|__)(given|when|then|and|but)(?:\*\*|__)/gi

function addRequirements(section: Section, chain: readonly string[], list: StatedList): void {
  const isOfRequirements =
    chain.some((title) => REQUIREMENTS.test(title)) && !chain.some((title) => ENTITIES.test(title))
  const found = [...section.items.flatMap(listLabeled), ...section.texts.flatMap(readText)]
  const isRead = ({ label }: Labeled) => label !== null && (isOfRequirements || KNOWN.test(label))
  for (const { label, text, line } of found.filter(isRead)) list.add({ text, line, criterionId: label })
  if (isOfRequirements) warnOfUnlabeled(section, found, list)
}

function warnOfUnlabeled(section: Section, found: readonly Labeled[], list: StatedList): void {
  const unread = found.filter(({ label, text, isItem }) => label === null && isItem && cleanText(text) !== '')
  if (unread.length === 0) return
  const message = `${quoteTitle(section)} has ${countNoun(unread.length, 'item')} without an id such as FR-001 that ${unread.length === 1 ? 'is' : 'are'} not read`
  list.warn(unread[0]?.line ?? section.line, message)
}

type Labeled = { label: string | null; text: string; line: number; isItem: boolean }

/** An item with a label, or otherwise the items in it that have one. */
function listLabeled(item: ListItem): Labeled[] {
  const start = splitLabel(cleanText(startOf(item)))
  const below = start.label === null ? item.items.flatMap(listLabeled) : []
  if (below.some((each) => each.label !== null)) return below
  const [whole] = start.label === null ? [] : collectTexts(item)
  const { label, text } = whole === undefined ? start : splitLabel(cleanText(whole.text))
  return [{ label, text, line: item.line, isItem: true }]
}

const readText = (text: Text): Labeled[] =>
  isTable(text) ? readTable(text.lines, text.line) : readParagraph(text.lines, text.line)

/** A label is in the first characters of an item. Each of many nested items contains the text of those below it. */
const MAX_START_CHARACTERS = 2_048

function startOf(item: ListItem): string {
  let start = ''
  for (let each: ListItem | undefined = item; each !== undefined; each = each.items[0])
    for (const line of each.lines) {
      start += `${line}\n`
      if (start.length > MAX_START_CHARACTERS) return start.slice(0, MAX_START_CHARACTERS)
    }
  return start
}

/** `FR-001`, `SEC-2.1` or `FR-AUTH-01`. */
const ROW_ID = /^[A-Z]{1,8}(?:-[A-Z0-9]{1,12}){0,2}-\d{1,4}(?:\.\d{1,3})*[a-z]?$/i

/** Last words of the header of the column that states a requirement. If a table has several, the first one counts. */
const HEADERS = [
  /\bdescriptions?\W*(?:\(|$)/i,
  /\brequirements?\W*(?:\(|$)/i,
  /\bcriteri(?:on|a)\W*(?:\(|$)/i,
  /\bstatements?\W*(?:\(|$)/i,
  /\btext\W*(?:\(|$)/i,
]

/** The label of a row is its first cell. Its text is the cell below one of {@link HEADERS}, or otherwise its longest cell. */
function readTable(lines: readonly string[], first: number): Labeled[] {
  let column = -1
  return lines.map((line, i) => {
    const [id = '', ...cells] = splitRow(line)
    if (isDelimiter(lines[i + 1] ?? '')) column = findColumn(cells)
    const label = id.replace(/[*_`]/g, '')
    const longest = cells.reduce((most, cell) => (cell.length > most.length ? cell : most), '')
    const text = cells[column] || longest
    return { label: ROW_ID.test(label) ? label : null, text, line: first + i, isItem: false }
  })
}

const splitRow = (row: string): string[] =>
  row
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell, i) => i > 0 || cell !== '')

const isDelimiter = (row: string): boolean => /^[\s|:-]+$/.test(row) && row.includes('-')

function findColumn(headers: readonly string[]): number {
  const found = HEADERS.map((name) => headers.findIndex((header) => name.test(header)))
  return found.find((column) => column >= 0) ?? -1
}

const readParagraph = (lines: readonly string[], first: number): Labeled[] =>
  splitAtLabels(lines, first, splitLabel).map((labeled) => ({ ...labeled, isItem: false }))

const TASK = /^[*_]{0,2}(T\d{3,}[a-z]?)[*_]{0,2}[:.]?[ \t]+(?:\[(?:P|US\d+)\][ \t]*)*/

function readTasks(
  { sections }: Document,
  featureId: string | null,
  { tasks: isWanted = false }: ReadOptions,
): Stated {
  const file = new StatedList()
  const { warnings } = file
  const found = sections
    .flatMap(({ items }) => items.flatMap((item) => collectTexts(item, true)))
    .flatMap(({ text, line }) => {
      const clean = cleanText(text)
      const [start = '', id] = TASK.exec(clean) ?? []
      return id === undefined ? [] : [{ id, text: clean.slice(start.length), line }]
    })
  if (found.length === 0)
    return { tasks: [], warnings, refused: 'states no criteria: it has no task such as "- [ ] T001"' }
  if (!isWanted) {
    file.warn(null, `has ${countNoun(found.length, 'task')}; --tasks reads each`)
    return { tasks: [], warnings }
  }
  const seen = new Set<string>()
  const tasks = found.flatMap(({ id, text, line }) => {
    if (seen.has(id)) file.warn(line, `the task ${id} is there more than once; the first one is read`)
    if (seen.has(id)) return []
    seen.add(id)
    const list = new StatedList(warnings)
    list.add({ text, line, criterionId: null })
    return list.size === 0 ? [] : [{ featureId, taskId: id, criteria: list.toCriteria() }]
  })
  return { tasks, warnings }
}
