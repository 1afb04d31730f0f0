/** Reads `tasks.json` of task-master: each task of each tag, with one criterion of its own and one of each subtask. Pure. */
import { parseSource } from './json.ts'
import {
  describeExcess,
  type ReadOptions,
  type Stated,
  StatedList,
  type StatedTask,
  type StatedWarning,
} from './stated.ts'

type Fields = Record<string, unknown>

export function readTaskMaster(source: string, { featureId = null }: ReadOptions): Stated {
  const { value, refused } = parseSource(source)
  if (refused !== undefined) return { tasks: [], warnings: [], refused }
  const warnings: StatedWarning[] = []
  const tasks: StatedTask[] = []
  const warn = (message: string) => warnings.push({ line: null, message })
  for (const { tag, entries } of listTags(value)) {
    const feature = tag === null ? featureId : featureId === null ? tag : `${featureId}/${tag}`
    for (const task of entries) {
      const id = idOf(task)
      if (id === null) {
        warn('a task has no id; it is not read')
        continue
      }
      const own: StatedWarning[] = []
      const list = new StatedList(own)
      list.add({ text: textOf(task), line: null, criterionId: id })
      for (const subtask of listOf(task.subtasks))
        list.add({ text: textOf(subtask), line: null, criterionId: `${id}.${idOf(subtask) ?? '?'}` })
      const criteria = list.toCriteria()
      for (const { message } of own) warn(`${tag === null ? '' : `${tag}: `}task ${id}: ${message}`)
      const excess = describeExcess(criteria)
      if (excess !== null) warn(`task ${id} ${excess}; it is not read`)
      else if (criteria.length > 0) tasks.push({ featureId: feature, taskId: id, criteria })
    }
  }
  return tasks.length > 0
    ? { tasks, warnings }
    : { tasks, warnings, refused: 'states no criteria: it has no tasks' }
}

/** The lists of tasks by tag; the older form has one list without a tag. */
export function listTags(value: unknown): { tag: string | null; entries: Fields[] }[] {
  if (!isFields(value)) return []
  if (Array.isArray(value.tasks)) return [{ tag: null, entries: listOf(value.tasks) }]
  return Object.entries(value).flatMap(([tag, given]) =>
    isFields(given) && Array.isArray(given.tasks) ? [{ tag, entries: listOf(given.tasks) }] : [],
  )
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])
const idOf = ({ id }: Fields): string | null =>
  (typeof id === 'string' && id !== '') || typeof id === 'number' ? String(id) : null

const textOf = (task: Fields): string =>
  [task.testStrategy, task.details, task.title].find(
    (text): text is string => typeof text === 'string' && text.trim() !== '',
  ) ?? ''
