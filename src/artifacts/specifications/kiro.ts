/** Reads `requirements.md` and `bugfix.md` of Kiro: one criterion for each EARS item, with the id `R{n}.{m}`. Pure. */
import {
  collectTexts,
  countNoun,
  isTable,
  quoteTitle,
  readDocument,
  type Section,
  splitAtLabels,
  warnOfUnread,
} from './sections.ts'
import { MAX_TEXTS, type ReadOptions, type Stated, StatedList } from './stated.ts'

/** Matches the heading of a requirement in any language: `Requirement 1: Login`, `要件1`, `1. Login`. */
const REQUIREMENT = /^(?:\p{L}[\p{L}\p{M} ]{0,30}?)?[ -]?(\d{1,4}(?:\.\d{1,4})*)(?![\p{N}\p{L}])/u
/** Matches the number of an item or a paragraph: `1.1 THE system …`, `3.1. WHEN …`, `**2.1** …`, `[ ] 1.2 IF …`. */
const NUMBERED = /^(?:\[[ xX]?\][ \t]+)?[*_]{0,2}(\d{1,4}(?:\.\d{1,4})+)[.):]?[*_]{0,2}[.):]?[ \t]+/
/** The defect of a bug fix is how the system must not behave. */
const DEFECT = /\bdefect\b|current behaviou?r/i
const EARS = /\b(?:SHALL|WHEN|WHILE)\b/

export function readKiro(source: string, { path }: ReadOptions): Stated {
  const { taskId, featureId, sections } = readDocument(source)
  const list = new StatedList()
  const counts = new Map<string, number>()
  const known = new Set<Section>()
  for (const section of sections) {
    const number = requirementOf(section)
    const entries = readEntries(section)
    const isRead = (number !== null || entries.some(({ number: own }) => own !== null)) && !isDefect(section)
    if (isRead) known.add(section)
    else {
      const found = entries.filter(({ text, number: own }) => own !== null || EARS.test(text)).length
      if (found > 0) {
        list.warn(section.line, `${quoteTitle(section)} is not read: it has ${countNoun(found, 'item')}`)
        known.add(section)
      }
      continue
    }
    warnOfUnreadTexts(section, list)
    const hasNumbers = entries.some(({ isBullet }) => !isBullet)
    for (const { text, line, number: own, isBullet } of entries) {
      const isExtra = hasNumbers && isBullet
      if (isExtra && !EARS.test(text)) {
        list.warn(line, 'an item without a number is not read: it has no SHALL, WHEN or WHILE')
        continue
      }
      const count = (counts.get(number ?? '') ?? 0) + 1
      if (!isExtra) counts.set(number ?? '', count)
      const counted = isExtra || number === null ? null : `R${number}.${count}`
      list.add({ text, line, criterionId: own === null ? counted : `R${own}` })
    }
  }
  warnOfUnread(sections, (section) => known.has(section), list)
  const name = nameOfPath(path)
  const none = 'it has no heading of a requirement ("Requirement 1") with numbered items'
  return list.toStated({ featureId: featureId ?? name, taskId: taskId ?? name }, none)
}

/** Adds a warning for each table, and for each paragraph without a number, that states a requirement. */
function warnOfUnreadTexts(section: Section, list: StatedList): void {
  for (const text of section.texts) {
    const isRequirement = text.kind === 'paragraph' && EARS.test(text.lines.join('\n'))
    if (!isRequirement || readNumbered(text.lines, 0).length > 0) continue
    const noun = isTable(text) ? 'table' : 'paragraph'
    list.warn(text.line, `${quoteTitle(section)} has 1 ${noun} that is not read`)
  }
}

const nameOfPath = (path: string): string | null => /(?:^|\/)\.kiro\/specs\/([^/]+)\//.exec(path)?.[1] ?? null

/** Finds the number of the requirement of a section, or of a section around it; null without one. */
function requirementOf(section: Section): string | null {
  const chain = [...section.parents, section].filter(({ level }) => level > 1)
  for (const { title } of chain.toReversed()) {
    const number = REQUIREMENT.exec(title)?.[1]
    if (number !== undefined) return number
  }
  return null
}

const isDefect = (section: Section): boolean =>
  [...section.parents, section].some(({ title }) => DEFECT.test(title))

type Entry = { text: string; line: number; number: string | null; isBullet: boolean }

function readEntries({ items, texts }: Section): Entry[] {
  // The limit of a list plus one, so that a longer list is refused.
  const ofItems = items.slice(0, MAX_TEXTS + 1).flatMap((item) =>
    collectTexts(item).map(({ text: whole, line }) => {
      const { label: number, text } = splitNumber(whole)
      return { text, line, number, isBullet: number === null && !/\d/.test(item.mark) }
    }),
  )
  const ofTexts = texts
    .filter(({ kind }) => kind === 'paragraph')
    .flatMap(({ line, lines }) => readNumbered(lines, line))
  return [...ofItems, ...ofTexts].sort((a, b) => a.line - b.line)
}

const readNumbered = (lines: readonly string[], first: number): Entry[] =>
  splitAtLabels(lines, first, splitNumber).map(({ label, ...entry }) => ({
    ...entry,
    number: label,
    isBullet: false,
  }))

function splitNumber(text: string): { label: string | null; text: string } {
  const [start = '', label = null] = NUMBERED.exec(text) ?? []
  return { label, text: text.slice(start.length) }
}
