/** Replaces a file as a whole or not at all. Imports only built-in modules, because hooks load this file. */
import { chmodSync, chownSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { systemCode } from '../core/system-code.ts'

/**
 * Writes a file atomically. A present file keeps its permissions, and its owner and group if this process may set them.
 *
 * @param mode permissions of a new file, without those that the umask takes away
 */
export function replaceFile(file: string, text: string, mode: number): void {
  const present = statSync(file, { throwIfNoEntry: false })
  const draft = `${file}.${process.pid}.${crypto.randomUUID()}`
  try {
    // Until the draft has its owner, other users must not read it.
    writeFileSync(draft, text, { mode: present === undefined ? mode : 0o600, flag: 'wx' })
    if (present !== undefined) {
      setOwner(draft, present)
      // Not by the mode of the creation, because the umask would change it. Last, because chown clears some bits.
      chmodSync(draft, present.mode & 0o7777)
    }
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Codes for an owner that this process may not set, or that its user namespace or the file system does not know. */
const NOT_ALLOWED: ReadonlySet<string | null> = new Set(['EPERM', 'EINVAL', 'ENOTSUP', 'ENOSYS'])

/** Sets the owner and group of a file; only the group if this process may not give the file away, and neither if it may not. */
function setOwner(file: string, { uid, gid }: Stats): void {
  const own = statSync(file)
  for (const owner of new Set([uid, own.uid])) {
    if (owner === own.uid && gid === own.gid) return
    try {
      chownSync(file, owner, gid)
      return
    } catch (error) {
      if (!NOT_ALLOWED.has(systemCode(error))) throw error
    }
  }
}
