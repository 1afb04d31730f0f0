/** Finds the task files of a repository, one for each task (contract: specification.md, FILE). */

import { isUtf8 } from 'node:buffer'
import { lstat, readdir, readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { compareCodeUnits } from '../rules/labels.ts'
import { IS_A_LINK } from './folders.ts'
import { chooseFormat, readSpecification } from './specifications/formats.ts'
import { namesOf, splitFrontMatter } from './specifications/front-matter.ts'
import type { StatedCriterion, StatedWarning } from './specifications/stated.ts'

/** The content of a task's file. `others` are files of the same id with other criteria. */
export type FoundTaskFile = {
  file: string
  criteria: StatedCriterion[]
  warnings: StatedWarning[]
  others: string[]
}

export type FoundTaskFiles = {
  /** By requested task id. */
  byTask: Map<string, FoundTaskFile>
  /** The feature of a task, if a file names it, even a file without criteria. */
  features: Map<string, string>
  skipped: { file: string; reason: string }[]
}

/** Order of the folders in `tasks/` if several files have the same id. All other folders come after them. */
const STATES = ['in_progress', 'design_approved', 'in_review', 'blocked', 'completed', 'backlog']

const MAX_BYTES = 1024 * 1024
const MAX_FILES = 20_000
const DEEPEST = 16

type Candidate = { file: string; shown: string; rank: number }

/**
 * Reads `tasks/**\/*.md` in the folder that contains `.guardkit`. Otherwise reads every folder `tasks` below the path.
 *
 * @param taskIds the tasks whose files are wanted
 */
export async function findTaskFiles(
  paths: readonly string[],
  taskIds: ReadonlySet<string>,
): Promise<FoundTaskFiles> {
  const skipped: FoundTaskFiles['skipped'] = []
  const candidates = new Map<string, Candidate>()
  for (const given of taskIds.size === 0 ? [] : paths) {
    for (const folder of await findTaskFolders(given)) {
      for await (const { file, unusable } of markdownBelow(folder.absolute, 0)) {
        const below = path.relative(folder.absolute, file)
        const shown = path.join(folder.shown, below)
        if (unusable !== null) {
          if (longestStart(path.basename(file), taskIds) !== null)
            skipped.push({ file: shown, reason: unusable })
          continue
        }
        if (candidates.size >= MAX_FILES) {
          skipped.push({
            file: folder.shown,
            reason: `holds more than ${MAX_FILES} files; the others are not read`,
          })
          break
        }
        candidates.set(file, { file, shown, rank: rankFolder(below) })
      }
    }
  }
  const sorted = [...candidates.values()].sort((a, b) => a.rank - b.rank || compareCodeUnits(a.file, b.file))
  const found: FoundTaskFiles = { byTask: new Map(), features: new Map(), skipped }
  for (const candidate of sorted) await take(candidate, taskIds, found)
  return found
}

async function take(
  { file, shown }: Candidate,
  taskIds: ReadonlySet<string>,
  { byTask, features, skipped }: FoundTaskFiles,
): Promise<void> {
  const name = path.basename(file)
  const source = await readSource(file).catch((error: unknown) => {
    skipped.push({ file: shown, reason: error instanceof Error ? error.message : String(error) })
    return null
  })
  if (source === null) return
  const named = namesOf(splitFrontMatter(source))
  const taskId = named.taskId ?? longestStart(name, taskIds)
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

type TasksFolder = { absolute: string; shown: string }

async function findTaskFolders(given: string): Promise<TasksFolder[]> {
  const absolute = await realpath(given)
  const parts = absolute.split(path.sep)
  const inside = parts.indexOf('.guardkit')
  const root = inside < 0 ? absolute : parts.slice(0, inside).join(path.sep) || path.sep
  const shown = inside < 0 ? given : path.relative(process.cwd(), root) || '.'
  if (inside >= 0 || (await isFolder(path.join(absolute, '.guardkit')))) {
    const tasks = path.join(root, 'tasks')
    return (await isFolder(tasks)) ? [{ absolute: tasks, shown: path.join(shown, 'tasks') }] : []
  }
  return foldersNamedTasks({ absolute, shown: given }, 0)
}

async function foldersNamedTasks(at: TasksFolder, depth: number): Promise<TasksFolder[]> {
  const found: TasksFolder[] = []
  for (const entry of depth > DEEPEST ? [] : await listEntries(at.absolute)) {
    if (!entry.isDirectory() || isLeftOut(entry.name)) continue
    const below = { absolute: path.join(at.absolute, entry.name), shown: path.join(at.shown, entry.name) }
    if (entry.name === 'tasks') found.push(below)
    else found.push(...(await foldersNamedTasks(below, depth + 1)))
  }
  return found
}

/** Lists the Markdown files, and links, devices and the like with such a name. Links are not followed. */
async function* markdownBelow(
  folder: string,
  depth: number,
): AsyncGenerator<{ file: string; unusable: string | null }> {
  for (const entry of depth > DEEPEST ? [] : await listEntries(folder)) {
    const below = path.join(folder, entry.name)
    if (entry.isDirectory() && !isLeftOut(entry.name)) yield* markdownBelow(below, depth + 1)
    else if (entry.name.endsWith('.md')) {
      const unusable = entry.isSymbolicLink() ? IS_A_LINK : 'has the name of a task file, but is not a file'
      yield { file: below, unusable: entry.isFile() ? null : unusable }
    }
  }
}

/** Excludes worktrees and similar folders, which contain copies of the repository. */
const isLeftOut = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

/** Lists a folder. The import reads the same folders and reports those that cannot be listed. */
const listEntries = async (folder: string) =>
  (await readdir(folder, { withFileTypes: true }).catch(() => [])).sort((a, b) =>
    compareCodeUnits(a.name, b.name),
  )

function rankFolder(below: string): number {
  const [state = ''] = below.split(path.sep)
  const rank = STATES.indexOf(state)
  return rank < 0 ? STATES.length : rank
}

/** The rank of a file by the folder below `tasks`. */
export const rankOfPath = (file: string): number =>
  rankFolder(file.split(/(?:^|[\\/])tasks[\\/]/).at(-1) ?? '')

/** Checks for a folder. Excludes links, because they may lead out of the repository. */
const isFolder = async (at: string): Promise<boolean> =>
  (await lstat(at).catch(() => null))?.isDirectory() === true
