/** Finds the task that a session of Claude Code works on, and binds the session to it. Loads no package: a hook must be quick. */
import path from 'node:path'
import { parseJson } from '../core/parse-json.ts'
import { systemCode } from '../core/system-code.ts'
import { withFileLock } from '../platform/file-lock.ts'
import { findRepository, foldersUpwards, isRepository, kindOf, realPath } from '../platform/folders.ts'
import { replaceFile } from '../platform/replace-file.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { readSmallFile, UnusableFile } from './hook-files.ts'

/** Scope in the wire form of a query. Only a world is enough, because it has one task. */
export type NamedTask = { project?: string; feature_id?: string; task_id?: string; world_slug?: string }

/** A task, and the session that is bound to it. `file` is null if TURNGRAPH_TASK in the session's own environment names the task. */
export type FoundTask = { task: NamedTask; file: string | null; sessionId: string | null }

const FIELDS = ['project', 'feature_id', 'task_id', 'world_slug', 'session_id'] as const
const FORM = '{"feature_id": "FEAT-1", "task_id": "TASK-1"}, or {"world_slug": "TASK-1"}'

/** Value of TURNGRAPH_TASK for a session without a task, even if its folder has one. */
export const NO_TASK = 'none'

/** The source of the task does not name one. The message names the source and the remedy. */
export class TaskNotNamed extends Error {
  constructor(message: string) {
    super(toOneLine(message))
  }
}

/** Checks whether a task is for a session: the session is bound to it, or its environment names it. */
export const isBoundTo = ({ file, sessionId: bound }: FoundTask, sessionId: string | null): boolean =>
  file === null || (bound !== null && bound === sessionId)

/** Returns the task of TURNGRAPH_TASK, otherwise that of {@link findTaskFile}; null if there is neither. @throws TaskNotNamed */
export function findTask(
  named: string | undefined,
  folders: readonly (string | null | undefined)[],
): FoundTask | null {
  if (named === NO_TASK) return null
  if (named !== undefined && named !== '') return { ...parseTask('TURNGRAPH_TASK', named), file: null }
  const file = findTaskFile(folders)
  return file === null ? null : readTask(file)
}

/**
 * Chooses the project of a task. The file comes last because a repository may contain it, and a repository must not choose the
 * place of the user's data.
 */
export const chooseTaskProject = (
  option: string | undefined,
  { task, file }: Pick<FoundTask, 'task' | 'file'>,
): string | undefined =>
  option ??
  (file === null ? task.project : undefined) ??
  (process.env.TURNGRAPH_PROJECT || undefined) ??
  task.project

export const taskFileIn = (folder: string): string => path.join(folder, '.turngraph', 'task.json')

/** The first `.turngraph/task.json` in or above one of these folders, or in the main checkout of its git worktree. */
export function findTaskFile(folders: readonly (string | null | undefined)[]): string | null {
  for (const folder of folders) {
    if (folder == null) continue
    const near = foldersUpwards(path.resolve(folder)).map(taskFileIn).find(isPresent)
    if (near !== undefined) return near
    const main = mainCheckoutOf(folder)
    if (main !== null && isPresent(taskFileIn(main))) return taskFileIn(main)
  }
  return null
}

/** Returns the root of the main checkout if a folder lies in a git worktree, whose own root may be anywhere; otherwise null. */
function mainCheckoutOf(folder: string): string | null {
  const root = findRepository(folder)
  if (root === undefined || isRepository(root)) return null
  const gitFolder = namedIn(path.join(root, '.git'), /^gitdir: (.+)$/m, root)
  if (gitFolder === null) return null
  const common = namedIn(path.join(gitFolder, 'commondir'), /^(.+)$/m, gitFolder)
  return common !== null && path.basename(common) === '.git' ? path.dirname(common) : null
}

function namedIn(file: string, form: RegExp, folder: string): string | null {
  try {
    const name = form.exec(readSmallFile(file) ?? '')?.[1]?.trim()
    return name === undefined || name === '' ? null : path.resolve(folder, name)
  } catch {
    return null // not a file of git
  }
}

const isPresent = (file: string): boolean => kindOf(file) !== null

/** Reads a task file; null if it does not exist. @throws TaskNotNamed */
export function readTask(file: string): FoundTask | null {
  try {
    const text = readSmallFile(file)
    return text === null ? null : { ...parseTask(file, text), file }
  } catch (error) {
    if (error instanceof UnusableFile) throw new TaskNotNamed(`${file} ${error.message}.`)
    throw error
  }
}

export const shownTask = ({ feature_id, task_id, world_slug }: NamedTask): string =>
  toOneLine(task_id === undefined ? `world ${world_slug}` : `${feature_id}/${task_id}`)

export function parseTask(where: string, text: string): Pick<FoundTask, 'task' | 'sessionId'> {
  const [, feature, task] = /^([^/{][^/]*)\/([^/]+)$/.exec(text.trim()) ?? []
  if (feature !== undefined && task !== undefined)
    return { task: { feature_id: feature, task_id: task }, sessionId: null }
  const found: NamedTask & { session_id?: string } = {}
  for (const [key, value] of Object.entries(jsonObject(where, text))) {
    const field = FIELDS.find((name) => name === key)
    if (field === undefined) throw new TaskNotNamed(`${where}: ${key} is no field here. Write ${FORM}.`)
    if (typeof value !== 'string' || value === '')
      throw new TaskNotNamed(`${where}: ${key} must be a text. Write ${FORM}.`)
    found[field] = value
  }
  const { session_id: sessionId = null, ...named } = found
  const isTask = named.feature_id !== undefined && named.task_id !== undefined
  if (isTask || named.world_slug !== undefined) return { task: named, sessionId }
  throw new TaskNotNamed(`${where} names neither a task nor a world. Write ${FORM}.`)
}

function jsonObject(where: string, text: string): object {
  const parsed = parseJson(text.replace(/^\uFEFF/, ''))
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw new TaskNotNamed(`${where} is neither FEATURE/TASK nor a JSON object. Write ${FORM}.`)
}

export function writeTask(file: string, task: NamedTask, sessionId: string | null): void {
  const given = { ...task, ...(sessionId !== null && { session_id: sessionId }) }
  replaceFile(file, `${JSON.stringify(given, null, 2)}\n`, 0o600)
}

/**
 * Binds a session to the task of a file, unless the task is bound already. If two sessions start at once, only one is bound.
 * @returns the task with the session that is bound to it now; null if the file is gone @throws TaskNotNamed
 */
export function bindSession(file: string, sessionId: string): FoundTask | null {
  const real = realPath(file)
  try {
    return withFileLock(`${real}.lock`, LOCK_WAIT_MS, () => {
      const found = readTask(real)
      if (found === null || found.sessionId !== null) return found && { ...found, file }
      writeTask(real, found.task, sessionId)
      return { ...found, file, sessionId }
    })
  } catch (error) {
    if (systemCode(error) === null) throw error
    throw new TaskNotNamed(
      `${file} cannot be written, so this session is not bound to it. Set TURNGRAPH_TASK for the session.`,
    )
  }
}

const LOCK_WAIT_MS = 500
