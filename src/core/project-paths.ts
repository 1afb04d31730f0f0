/** Converts paths of files to the form that is relative to their project, whatever worktree they were written in. */
import path from 'node:path'
import { fileKey } from './keys.ts'

/** Matches the path of a worktree: `…/.guardkit/worktrees/FEAT-1/src/a.py` → `src/a.py` */
const WORKTREE = /^(?:.*[/\\])?\.[\w-]+[/\\]worktrees[/\\][^/\\]+[/\\]/

/** Removes the worktree and a leading `./` from a path. */
export const withoutWorktree = (given: string): string =>
  given
    .trim()
    .replace(WORKTREE, '')
    .replace(/^(?:\.\/)+/, '')

/** Matches paths that may need normalization. Most do not, and this check is ten times as fast as normalizing. */
const ODD = /[\\:]|\/\/|\.\/|worktrees\/|^[\s/.]|[\s/.]$|^$/

/** Returns the same spelling for all paths of a file in a project; null for a path that leaves the project. */
export function projectPath(given: string): string | null {
  if (!ODD.test(given)) return given
  const normal = path.posix.normalize(withoutWorktree(given).replaceAll('\\', '/'))
  const leaves =
    normal === '.' || normal === '..' || normal.startsWith('../') || /^(?:\/|[A-Za-z]:)/.test(normal)
  return leaves ? null : normal
}

/** Maximum number of files of a turn that are stored as nodes. */
const MAX_FILES = 50
/** A longer text is not the name of a file, and exceeds the limit of an index. */
const MAX_PATH_LENGTH = 1_000

/** Returns the files of a project in their normal spelling, without duplicates. */
export const listProjectFiles = (paths: readonly string[]): string[] =>
  [...new Set(paths.flatMap((given) => projectPath(given) ?? []))]
    .filter(({ length }) => length <= MAX_PATH_LENGTH)
    .slice(0, MAX_FILES)

/** Returns the nodes of the files of a turn, sorted by key. A write locks them in this order. */
export const listFileNodes = (
  project: string,
  paths: readonly string[],
): { key: string; project: string; path: string }[] =>
  listProjectFiles(paths)
    .map((file) => ({ key: fileKey(project, file), project, path: file }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
