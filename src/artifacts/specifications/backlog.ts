/** Reads a task of Backlog.md: its acceptance criteria, `#1`, and its definition of done, `DoD#1`. Pure. */
import { collectTexts, readDocument, readSections, type Section, warnOfUnread } from './sections.ts'
import { cleanText, type ReadOptions, type Stated, StatedList } from './stated.ts'

const LISTS = [
  { name: 'AC', prefix: '#', title: /^acceptance criteria\b/i },
  { name: 'DOD', prefix: 'DoD#', title: /^definition of done\b/i },
] as const

export function readBacklog(source: string, { nested = false }: ReadOptions): Stated {
  const { body, offset, fields, featureId, taskId, sections } = readDocument(source)
  const list = new StatedList()
  for (const { name, prefix, title } of LISTS) {
    const marked = readMarked(body, offset, name)
    const found =
      marked ??
      sections.filter((section) => [...section.parents, section].some((each) => title.test(each.title)))
    let count = 0
    for (const { text, line } of found.flatMap(({ items }) =>
      items.flatMap((item) => collectTexts(item, nested)),
    )) {
      count++
      const clean = cleanText(text)
      const [start = '', number = `${count}`] = /^#(\d{1,4})[ \t]+/.exec(clean) ?? []
      list.add({ text: clean.slice(start.length), line, criterionId: `${prefix}${number}` })
    }
  }
  const isList = ({ title, parents }: Section) =>
    LISTS.some((each) =>
      [title, ...parents.map((parent) => parent.title)].some((text) => each.title.test(text)),
    )
  warnOfUnread(sections, isList, list)
  const names = { featureId: featureId ?? (fields.get('milestone') || null), taskId }
  return list.toStated(names, 'it has no list in <!-- AC:BEGIN --> or under "Acceptance Criteria"')
}

function readMarked(body: string, offset: number, name: string): Section[] | null {
  const start = body.indexOf(`<!-- ${name}:BEGIN -->`)
  const end = start < 0 ? -1 : body.indexOf(`<!-- ${name}:END -->`, start)
  if (end < 0) return null
  const from = body.indexOf('\n', start) + 1
  return readSections(body.slice(from, end), offset + body.slice(0, from).split('\n').length - 1)
}
