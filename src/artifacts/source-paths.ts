/** Up to and including the worktree's own folder: `…/.guardkit/worktrees/FEAT-1/src/a.py` → `src/a.py`. */
const WORKTREE = /^(?:.*[/\\])?\.[\w-]+[/\\]worktrees[/\\][^/\\]+[/\\]/

const CACHES = new Set([
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.cache',
  '.hypothesis',
])

/**
 * The files of a turn as paths of the repository: a worktree's prefix is dropped, and so are the
 * orchestrator's own files (`.guardkit/`, 1,290 of 3,119 entries in real turn states), caches and duplicates.
 * The order stays.
 */
export function sourcePaths(paths: readonly string[]): string[] {
  const relative = paths.map((path) =>
    path
      .trim()
      .replace(WORKTREE, '')
      .replace(/^(?:\.\/)+/, ''),
  )
  return [...new Set(relative)].filter((path) => path !== '' && isSource(path.split(/[/\\]/)))
}

const isSource = (parts: string[]): boolean =>
  !parts.some((part) => part === '.guardkit' || CACHES.has(part) || /\.py[co]$/.test(part))
