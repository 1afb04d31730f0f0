/** Sends a signal to a process that may just have ended by itself. */
export function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error
  }
}

/** Whether this is the system's error of that code, such as ENOENT. */
export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
