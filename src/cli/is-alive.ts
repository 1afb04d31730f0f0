/**
 * Says whether a process lives. Builtin modules alone: hooks load it.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, and is another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
