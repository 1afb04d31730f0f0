/** Says whether a process lives. Loads no package: hooks load it. */
import { systemCode } from '../core/system-code.ts'

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCode(error) === 'EPERM' // it lives, and is another user's
  }
}
