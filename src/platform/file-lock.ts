/** Serializes processes that read and replace a file. Imports no package, because hooks load this file. */
import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { systemCode } from '../core/system-code.ts'

const RETRY_MS = 5
/** A lock is held for a few milliseconds. An older lock, or a lock from the future, belongs to a process that was killed. */
const MAX_LOCK_AGE_MS = 5_000

/**
 * Calls `work` while no other process holds the lock.
 * @throws the system error `EEXIST` if another process holds the lock for longer than `waitMs`
 */
export function withFileLock<T>(lock: string, waitMs: number, work: () => T): T {
  for (let tries = Math.ceil(waitMs / RETRY_MS); ; tries--) {
    try {
      closeSync(openSync(lock, 'wx', 0o600))
      break
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || tries <= 1) throw error
      const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
      if (Math.abs(Date.now() - made) > MAX_LOCK_AGE_MS) rmSync(lock, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
  try {
    return work()
  } finally {
    rmSync(lock, { force: true })
  }
}
