/** Finds the worktree that a session ran in: `…/.guardkit/worktrees/TASK-1/src` is in that of TASK-1. */
const WORKTREE = /[/\\]\.[\w-]+[/\\]worktrees[/\\]([^/\\]+)/

/** @returns the name of the worktree's folder, which is that of a task or a feature; null if the folder is in none */
export const readWorktree = (cwd: string | null): string | null => WORKTREE.exec(cwd ?? '')?.[1] ?? null
