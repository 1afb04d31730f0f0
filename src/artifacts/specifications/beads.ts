/** Reads the issues of beads: `.beads/*.jsonl`, or a list in JSON. Each issue with acceptance criteria is a task. Pure. */

import { plural } from '../../core/plural.ts'
import { readPart } from '../markdown-lines.ts'
import { parseSource } from './json.ts'
import { collectTexts, readSections } from './sections.ts'
import { describeExcess, type Stated, StatedList, type StatedTask, type StatedWarning } from './stated.ts'

export function readBeads(source: string): Stated {
  const warnings: StatedWarning[] = []
  const tasks: StatedTask[] = []
  const issues = listIssues(source.replace(/^\uFEFF/, ''), warnings)
  if (warnings.length > MAX_OTHER_LINES) {
    const [first] = warnings
    const refused = `has more than ${MAX_OTHER_LINES} lines or values that are not JSON objects`
    return { tasks: [], warnings: first === undefined ? [] : [first], refused }
  }
  let silent = 0
  for (const { issue, line } of issues) {
    const { id, acceptance_criteria: given, status } = issue
    if (status === 'tombstone') continue
    if (typeof id !== 'string' || id === '')
      warnings.push({ line, message: 'an issue has no id; it is not read' })
    else if (typeof given !== 'string' || given.trim() === '') silent++
    else {
      const list = new StatedList(warnings)
      const texts = readPart(`has the issue ${id}, which`, () => splitLoose(given))
      for (const text of texts) list.add({ text, line })
      const criteria = list.toCriteria()
      const excess = describeExcess(criteria)
      if (excess !== null) list.warn(line, `the issue ${id} ${excess}; it is not read`)
      else if (criteria.length > 0) tasks.push({ featureId: null, taskId: id, criteria })
    }
  }
  if (silent > 0)
    warnings.push({
      line: null,
      message: `${silent} of ${plural(issues.length, 'issue')} ${silent === 1 ? 'states' : 'state'} no acceptance_criteria`,
    })
  return tasks.length > 0
    ? { tasks, warnings }
    : { tasks, warnings, refused: 'states no criteria: no issue has acceptance_criteria' }
}

/** Maximum number of lines or values that are not objects. A file with more is not one of beads. */
const MAX_OTHER_LINES = 1_000

type Issue = { issue: Record<string, unknown>; line: number | null }

function listIssues(source: string, warnings: StatedWarning[]): Issue[] {
  const whole = source.trimStart().startsWith('[') ? parseSource(source).value : undefined
  const issues: Issue[] = []
  for (const [i, each] of (Array.isArray(whole) ? (whole as unknown[]) : source.split('\n')).entries()) {
    const isLine = !Array.isArray(whole)
    if (isLine && (each as string).trim() === '') continue
    const value = isLine ? parseSource(each as string).value : each
    const line = isLine ? i + 1 : null
    if (typeof value === 'object' && value !== null)
      issues.push({ issue: value as Record<string, unknown>, line })
    else if (warnings.push({ line, message: 'is not a JSON object; it is not read' }) > MAX_OTHER_LINES) break
  }
  return issues
}

const ESCAPED_BREAK = /(?<!["'`](?:\\r)?)(?:\\r)?\\n(?! ?[a-z])/g

/** Splits a text into its items, and the lines outside of lists that say something. Headings are left out. */
export function splitLoose(text: string): string[] {
  // Some programs write the two characters \n instead of each line break. In quotes or within a sentence, a text names them.
  const lines = text.includes('\n') ? text : text.replace(ESCAPED_BREAK, '\n')
  return readSections(lines).flatMap(({ items, texts }) => {
    const starts = new Set(items.map(({ line }) => line))
    const ofTexts = texts.flatMap(({ kind, line: first, lines: own }) =>
      own.flatMap((each, i) => {
        const line = first + i
        const leadsToList =
          each.trimEnd().endsWith(':') &&
          starts.has(line + 1 + Number(own[i + 1] === undefined && !starts.has(line + 1)))
        return leadsToList || (kind === 'fence' && (i === 0 || /^(?:`{3,}|~{3,})$/.test(each.trim())))
          ? []
          : [{ text: each, line }]
      }),
    )
    const all = [
      ...items.flatMap((item) => collectTexts(item)),
      ...ofTexts.filter(({ text: each }) => each.trim() !== ''),
    ]
    return all.sort((a, b) => a.line - b.line).map(({ text: each }) => each)
  })
}
