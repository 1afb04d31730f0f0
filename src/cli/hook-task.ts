/** Finds the task that a session of Claude Code works on. Loads no package: a hook must be quick. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseJson } from '../core/parse-json.ts'
import { isGone } from '../core/system-code.ts'
import { toOneLine } from '../rules/foreign-text.ts'

/** In the wire form of a query; a world alone is enough, as it has one task. */
export type NamedTask = { project?: string; feature_id?: string; task_id?: string; world_slug?: string }

const FIELDS = ['project', 'feature_id', 'task_id', 'world_slug'] as const
const FORM = '{"feature_id": "FEAT-1", "task_id": "TASK-1"}, or {"world_slug": "TASK-1"}'

/** What names the task does not name one: the message says where, and what to write. */
export class TaskNotNamed extends Error {}

/**
 * The task that TURNGRAPH_TASK names, as `FEATURE/TASK` or in the form of the file, else the one of `.turngraph/task.json`
 * in the first of the folders that has it; null where nothing names any.
 *
 * @throws TaskNotNamed
 */
export function findTask(
  named: string | undefined,
  folders: readonly (string | null | undefined)[],
): NamedTask | null {
  if (named !== undefined && named !== '') return taskIn('TURNGRAPH_TASK', named)
  for (const folder of folders) {
    if (folder == null) continue
    const file = path.join(folder, '.turngraph', 'task.json')
    const text = readIfThere(file)
    if (text !== null) return taskIn(file, text)
  }
  return null
}

export const shownTask = ({ feature_id, task_id, world_slug }: NamedTask): string =>
  toOneLine(task_id === undefined ? `world ${world_slug}` : `${feature_id}/${task_id}`)

function taskIn(where: string, text: string): NamedTask {
  const [, feature, task] = /^([^/{][^/]*)\/([^/]+)$/.exec(text.trim()) ?? []
  if (feature !== undefined && task !== undefined) return { feature_id: feature, task_id: task }
  const given = jsonObject(where, text)
  const found: NamedTask = {}
  for (const [key, value] of Object.entries(given)) {
    const field = FIELDS.find((name) => name === key)
    if (field === undefined) throw new TaskNotNamed(`${where}: ${key} is no field here. Write ${FORM}.`)
    if (typeof value !== 'string' || value === '')
      throw new TaskNotNamed(`${where}: ${key} must be a text. Write ${FORM}.`)
    found[field] = value
  }
  const isTask = found.feature_id !== undefined && found.task_id !== undefined
  if (isTask || found.world_slug !== undefined) return found
  throw new TaskNotNamed(`${where} names neither a task nor a world. Write ${FORM}.`)
}

function jsonObject(where: string, text: string): object {
  const parsed = parseJson(text)
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw new TaskNotNamed(`${where} is no JSON object. Write ${FORM}.`)
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isGone(error)) return null
    throw new TaskNotNamed(`${file} cannot be read.`)
  }
}
