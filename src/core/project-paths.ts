/** Compares paths of files as a project names them, whatever worktree they were written in. */
import path from 'node:path'

/** Up to and including the worktree's own folder: `…/.guardkit/worktrees/FEAT-1/src/a.py` → `src/a.py`. */
const WORKTREE = /^(?:.*[/\\])?\.[\w-]+[/\\]worktrees[/\\][^/\\]+[/\\]/

/** A path as it stands in its project: without its worktree and a leading `./`. */
export const withoutWorktree = (given: string): string =>
  given
    .trim()
    .replace(WORKTREE, '')
    .replace(/^(?:\.\/)+/, '')

/** In most paths nothing is to be normalized, which takes ten times as long as to see that. */
const ODD = /[\\:]|\/\/|\.\/|worktrees\/|^[\s/.]|[\s/.]$|^$/

/** One spelling for each file of a project; null for a path that leaves it. */
export function projectPath(given: string): string | null {
  if (!ODD.test(given)) return given
  const normal = path.posix.normalize(withoutWorktree(given).replaceAll('\\', '/'))
  const leaves =
    normal === '.' || normal === '..' || normal.startsWith('../') || /^(?:\/|[A-Za-z]:)/.test(normal)
  return leaves ? null : normal
}
