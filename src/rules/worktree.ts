/** Matches the worktree of a session: `…/.guardkit/worktrees/TASK-1/src` is in the worktree of TASK-1. */
const WORKTREE = /[/\\]\.[\w-]+[/\\]worktrees[/\\]([^/\\]+)/

/** @returns the name of the worktree's folder, which is the name of a task or a feature; null outside of worktrees */
export const readWorktree = (cwd: string | null): string | null => WORKTREE.exec(cwd ?? '')?.[1] ?? null
