/** Reads issues of GitHub as `gh issue view --json body,number` writes them. Pure. */
import { readPart } from '../markdown-lines.ts'
import { parseSource } from './json.ts'
import { readCriteriaSections } from './markdown.ts'
import { readDocument } from './sections.ts'
import type { ReadOptions, Stated, StatedTask, StatedWarning } from './stated.ts'

type Fields = Record<string, unknown>

/** The lines of a body are not those of the file, so warnings have none. */
export function readGithubIssue(source: string, { nested = false }: ReadOptions): Stated {
  const { value, refused } = parseSource(source)
  if (refused !== undefined) return { tasks: [], warnings: [], refused }
  const issues = (Array.isArray(value) ? value : [value]).filter(isIssue)
  const tasks: StatedTask[] = []
  const warnings: StatedWarning[] = []
  let reason = 'has no issue with a body'
  for (const issue of issues) {
    const number = typeof issue.number === 'number' ? String(issue.number) : null
    const { sections, ...own } = readPart(`has the issue ${number ?? 'without a number'}, which`, () =>
      readDocument(issue.body),
    )
    const read = readCriteriaSections(sections, nested)
    const names = { featureId: own.featureId ?? featureOf(issue), taskId: own.taskId ?? number }
    const stated = read.list.toStated(names, read.none)
    const about = issues.length === 1 ? '' : `issue ${number ?? 'without a number'}: `
    for (const { message } of stated.warnings)
      warnings.push({ line: null, message: about + message.replace(/ in line \d+/g, '') })
    tasks.push(...stated.tasks)
    if (stated.refused !== undefined && issues.length > 1)
      warnings.push({ line: null, message: about + stated.refused })
    reason = stated.refused ?? reason
  }
  return tasks.length > 0 ? { tasks, warnings } : { tasks, warnings, refused: reason }
}

export const isIssue = (value: unknown): value is Fields & { body: string } =>
  typeof value === 'object' && value !== null && 'body' in value && typeof value.body === 'string'

const FEATURE_LABEL = /^(?:feature|feat|epic)[ ]?[:/][ ]?(.+)$|^(FEAT-.+)$/i

/** The feature of a label such as `feature: checkout`, otherwise the milestone. */
function featureOf({ labels, milestone }: Fields): string | null {
  const names = (Array.isArray(labels) ? labels : []).map((label: unknown) => nameOf(label) ?? '')
  for (const name of names) {
    const [, prefixed, whole] = FEATURE_LABEL.exec(name) ?? []
    const found = (prefixed ?? whole)?.trim()
    if (found !== undefined && found !== '') return found
  }
  return nameOf(milestone)
}

function nameOf(given: unknown): string | null {
  if (typeof given === 'string') return given || null
  if (typeof given !== 'object' || given === null) return null
  const { name, title } = given as Fields
  return [name, title].find((text): text is string => typeof text === 'string' && text !== '') ?? null
}
