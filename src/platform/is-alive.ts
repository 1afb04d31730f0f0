/** Checks if a process is alive. Imports no package, because hooks load this file. */
import { systemCode } from '../core/system-code.ts'

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCode(error) === 'EPERM' // the process is alive and belongs to another user
  }
}
