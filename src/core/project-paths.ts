/**
 * Converts paths of files to the form that is relative to their project, whatever worktree they were written
 * in.
 */
import path from 'node:path'

/**
 * Matches up to and including the worktree's own folder: `…/.guardkit/worktrees/FEAT-1/src/a.py` →
 * `src/a.py`.
 */
const WORKTREE = /^(?:.*[/\\])?\.[\w-]+[/\\]worktrees[/\\][^/\\]+[/\\]/

/** Removes the worktree and a leading `./` from a path. */
export const withoutWorktree = (given: string): string =>
  given
    .trim()
    .replace(WORKTREE, '')
    .replace(/^(?:\.\/)+/, '')

/**
 * Matches paths that may need normalization. Most do not, and this check is ten times as fast as normalizing.
 */
const ODD = /[\\:]|\/\/|\.\/|worktrees\/|^[\s/.]|[\s/.]$|^$/

/**
 * Returns the same spelling for all paths of a file in a project; null for a path that leaves the project.
 */
export function projectPath(given: string): string | null {
  if (!ODD.test(given)) return given
  const normal = path.posix.normalize(withoutWorktree(given).replaceAll('\\', '/'))
  const leaves =
    normal === '.' || normal === '..' || normal.startsWith('../') || /^(?:\/|[A-Za-z]:)/.test(normal)
  return leaves ? null : normal
}
