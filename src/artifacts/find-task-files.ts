/** Finds the task files of a repository, one for each task (contract: specification.md, FILE). */

import { isUtf8 } from 'node:buffer'
import { lstat, readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { compareCodeUnits } from '../rules/labels.ts'
import { findSpecificationFiles } from './specifications/find-specification-files.ts'
import { chooseFormat, readSpecification } from './specifications/formats.ts'
import { namesOf, splitFrontMatter } from './specifications/front-matter.ts'
import type { StatedCriterion, StatedWarning } from './specifications/stated.ts'

export type FoundTaskFile = {
  file: string
  criteria: StatedCriterion[]
  warnings: StatedWarning[]
  others: string[]
}

export type FoundTaskFiles = {
  byTask: Map<string, FoundTaskFile>
  /** The feature of a task, if a file names it, even a file without criteria. */
  features: Map<string, string>
  skipped: { file: string; reason: string }[]
}

/** Order of the folders in `tasks/` if several files have the same id. All other folders come after them. */
const STATES = ['in_progress', 'design_approved', 'in_review', 'blocked', 'completed', 'backlog']

const MAX_BYTES = 1024 * 1024

/** Reads the Markdown files in the folder `tasks` next to `.guardkit`, or in all folders `tasks` if there is no `.guardkit`. */
export async function findTaskFiles(
  paths: readonly string[],
  taskIds: ReadonlySet<string>,
): Promise<FoundTaskFiles> {
  const found: FoundTaskFiles = { byTask: new Map(), features: new Map(), skipped: [] }
  if (taskIds.size === 0) return found
  const files: string[] = []
  for (const given of paths) {
    const { folder, isOfTasks } = await findFolder(given)
    const isTaskFile = ({ path: file }: { path: string }) =>
      file.endsWith('.md') && (isOfTasks || IN_TASKS.test(path.relative(folder, file)))
    const below = await findSpecificationFiles([folder])
    files.push(...below.files.filter(isTaskFile).map(({ path: file }) => file))
    for (const { path: file, reason } of below.refused.filter(isTaskFile))
      if (longestStart(path.basename(file), taskIds) !== null) found.skipped.push({ file, reason })
  }
  files.sort((a, b) => rankOfPath(a) - rankOfPath(b) || compareCodeUnits(a, b))
  for (const file of files) await take(file, taskIds, found)
  return found
}

/** Finds the folder `tasks` next to `.guardkit`. Returns the path itself if it is not in `.guardkit` and does not contain it. */
async function findFolder(given: string): Promise<{ folder: string; isOfTasks: boolean }> {
  const absolute = await realpath(given)
  const parts = absolute.split(path.sep)
  const inside = parts.indexOf('.guardkit')
  const root = inside < 0 ? absolute : parts.slice(0, inside).join(path.sep) || path.sep
  if (inside < 0 && !(await isOwnFolder(path.join(root, '.guardkit'))))
    return { folder: given, isOfTasks: false }
  const shown = inside < 0 ? given : path.relative(process.cwd(), root)
  return { folder: path.join(shown, 'tasks'), isOfTasks: await isOwnFolder(path.join(root, 'tasks')) }
}

/** Checks for a folder. Excludes links, because they may lead out of the repository. */
const isOwnFolder = async (at: string): Promise<boolean> =>
  (await lstat(at).catch(() => null))?.isDirectory() === true

async function take(
  shown: string,
  taskIds: ReadonlySet<string>,
  { byTask, features, skipped }: FoundTaskFiles,
): Promise<void> {
  const source = await readSource(shown).catch((error: unknown) => {
    skipped.push({ file: shown, reason: error instanceof Error ? error.message : String(error) })
    return null
  })
  if (source === null) return
  const named = namesOf(splitFrontMatter(source))
  const taskId = named.taskId ?? longestStart(path.basename(shown), taskIds)
  if (taskId === null || !taskIds.has(taskId)) return
  if (named.featureId !== null && !features.has(taskId)) features.set(taskId, named.featureId)
  const { tasks, warnings, refused } = await readSpecification(chooseFormat(shown, source), source, {
    path: shown,
  })
  const [task] = tasks
  if (task === undefined) return void skipped.push({ file: shown, reason: `${refused}.` })
  const first = byTask.get(taskId)
  if (first === undefined) byTask.set(taskId, { file: shown, criteria: task.criteria, warnings, others: [] })
  else if (!isDeepStrictEqual(first.criteria, task.criteria)) first.others.push(shown)
}

async function readSource(file: string): Promise<string> {
  if ((await lstat(file)).size > MAX_BYTES) throw new Error('is larger than 1 MiB, which no task file is')
  const bytes = await readFile(file)
  if (!isUtf8(bytes)) throw new Error('is not UTF-8')
  const source = bytes.toString('utf8')
  if (source.includes('\0')) throw new Error('holds NUL characters, which no text has')
  return source
}

/** Returns the longest task id at the start of a file name. `TASK-7-retry.md` belongs to TASK-7, not to TASK-70. */
function longestStart(name: string, taskIds: ReadonlySet<string>): string | null {
  const starts = [...taskIds].filter(
    (id) => name.startsWith(id) && !/[\p{L}\p{N}]/u.test(name.charAt(id.length)),
  )
  return starts.sort((a, b) => b.length - a.length)[0] ?? null
}

const IN_TASKS = /(?:^|[\\/])tasks[\\/]/

export function rankOfPath(file: string): number {
  const [state = ''] = (file.split(IN_TASKS).at(-1) ?? '').split(/[\\/]/)
  const rank = STATES.indexOf(state)
  return rank < 0 ? STATES.length : rank
}
